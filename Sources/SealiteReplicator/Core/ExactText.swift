/// A text that equals only one of the same bytes, as ids of documents do. Swift's own equality takes "é" as one scalar and as
/// two for the same.
struct ExactText: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: Self, right: Self) -> Bool {
        // The first comparison is quick, and true for all that have the same bytes.
        left.text == right.text && left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// By the bytes: a string's own hash is one for all its normal forms, and a peer could send many such ids.
    func hash(into hasher: inout Hasher) {
        unsafe text.utf8.span.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
