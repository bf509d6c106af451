/// A time of a hybrid logical clock: nanoseconds since 1970 in the high 48 bits, a counter in the low 16. Not zero.
package struct HybridTime: Sendable, Hashable, Comparable, LosslessStringConvertible {
    /// The least time that a peer may name: 18 minutes after 1970, below which are numbers of other kinds.
    package static let earliest = HybridTime(unchecked: 0x100_0000_0000)
    /// The greatest time that there is.
    package static let latest = HybridTime(unchecked: 0x7FFF_FFFF_FFFF_FFFF)
    /// The nanoseconds by which a peer's time may be ahead of the system's: two minutes.
    package static let tolerance: UInt64 = 120_000_000_000
    /// The bits of the counter.
    static let counterMask: UInt64 = 0xFFFF

    /// The 64 bits.
    package let rawValue: UInt64

    private init(unchecked rawValue: UInt64) { self.rawValue = rawValue }

    /// Makes a time; nil of zero.
    package init?(rawValue: UInt64) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// Makes a time of its text; nil where that isn't 1 to 16 lowercase hexadecimal digits without leading zeros.
    package init?(_ text: String) {
        self.init(digits: text.utf8.span, 0, text.utf8.count)
    }

    /// Makes a time of the digits in a range of bytes; nil where they aren't as in a text.
    init?(digits: borrowing Span<UInt8>, _ start: Int, _ end: Int) {
        guard start < end, end - start <= 16, digits[start] != UInt8(ascii: "0") else { return nil }
        var value: UInt64 = 0
        for index in start..<end {
            switch digits[index] {
            case let digit where (0x30...0x39).contains(digit): value = value << 4 | UInt64(digit - 0x30)
            case let digit where (0x61...0x66).contains(digit): value = value << 4 | UInt64(digit - 0x57)
            default: return nil
            }
        }
        rawValue = value
    }

    /// Returns whether a peer may name the time when the system's clock says `now`, in nanoseconds since 1970.
    package func isPlausible(at now: UInt64) -> Bool {
        guard self >= .earliest, self <= .latest else { return false }
        return rawValue <= now || rawValue - now <= Self.tolerance
    }

    /// The text.
    package var description: String { String(rawValue, radix: 16) }

    /// Returns whether a time comes before another one.
    package static func < (left: HybridTime, right: HybridTime) -> Bool { left.rawValue < right.rawValue }
}
