/// A text that equals only one of the same bytes. Swift's own equality takes "é" as one Unicode scalar and as two for the same.
struct ExactText: Hashable, Sendable {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Whether two texts have the same bytes.
    @inline(__always)
    static func areSame(_ left: String, _ right: String) -> Bool {
        // The first comparison is quick, and true for all that have the same bytes.
        left == right && left.utf8.elementsEqual(right.utf8)
    }

    static func == (left: Self, right: Self) -> Bool { areSame(left.text, right.text) }

    /// By the bytes: a string's own hash is one for all its normal forms, and a hostile document could have many such names.
    func hash(into hasher: inout Hasher) {
        unsafe text.utf8.span.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
