/// A text that is compared by its bytes. Swift's own equality treats "é" as one Unicode scalar and as two as equal.
public struct ExactText: Hashable, Sendable {
    /// The text.
    public let text: String

    /// Creates a text that is compared by its bytes.
    @inlinable public init(_ text: String) { self.text = text }

    /// Returns whether two texts have the same bytes.
    @inlinable @inline(__always)
    public static func areSame(_ left: String, _ right: String) -> Bool {
        left.utf8.span.hasSameBytes(as: right.utf8.span)
    }

    /// Returns whether both texts have the same bytes.
    @inlinable public static func == (left: Self, right: Self) -> Bool { areSame(left.text, right.text) }

    /// Hashes the bytes: a string's own hash is the same for all canonically equivalent strings, of which a malicious
    /// document could contain so many that lookups become slow.
    @inlinable public func hash(into hasher: inout Hasher) {
        unsafe text.utf8.span.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension Span<UInt8> {
    /// Returns whether both spans have the same bytes.
    @inlinable @inline(__always)
    func hasSameBytes(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                var index = 0
                while index + 8 <= left.count {
                    let (word, otherWord) = unsafe (
                        left.loadUnaligned(fromByteOffset: index, as: UInt64.self),
                        right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                    )
                    guard word == otherWord else { return false }
                    index += 8
                }
                while index < left.count {
                    guard unsafe left[index] == right[index] else { return false }
                    index += 1
                }
                return true
            }
        }
    }
}
