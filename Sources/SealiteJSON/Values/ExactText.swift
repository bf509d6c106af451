/// A text that equals only one of the same bytes. Swift's own equality takes "é" as one Unicode scalar and as two for the same.
public struct ExactText: Hashable, Sendable {
    /// The text.
    public let text: String

    /// The text as one that is told apart by its bytes.
    @inlinable public init(_ text: String) { self.text = text }

    /// Returns whether two texts have the same bytes.
    @inlinable @inline(__always)
    public static func areSame(_ left: String, _ right: String) -> Bool {
        // The first comparison is quick, and true for all that have the same bytes.
        left == right && left.utf8.elementsEqual(right.utf8)
    }

    /// Returns whether both have the same bytes.
    @inlinable public static func == (left: Self, right: Self) -> Bool { areSame(left.text, right.text) }

    /// By the bytes: a string's own hash is one for all its normal forms, and a hostile document could have many such names.
    @inlinable public func hash(into hasher: inout Hasher) {
        unsafe text.utf8.span.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
