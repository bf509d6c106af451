internal import SealiteBase
internal import SealiteJSON

/// A time of a hybrid logical clock: a number of nanoseconds since 1970, with a counter in place of its low 16 bits.
/// Not zero.
package struct HybridTime: Sendable, Hashable, Comparable, LosslessStringConvertible {
    /// The smallest time that is valid in a peer's version, 18 minutes after the beginning of 1970. Smaller numbers
    /// have other meanings.
    package static let earliest = HybridTime(unchecked: 0x100_0000_0000)
    /// The largest time that a clock issues and that is valid in a peer's version, in the year 2262.
    package static let latest = HybridTime(unchecked: 0x7FFF_FFFF_FFFF_FFFF)
    /// The number of nanoseconds by which a time from a peer may exceed the system's time: two minutes.
    package static let tolerance: UInt64 = 120_000_000_000
    /// The mask of the low 16 bits of a raw value, which are the counter.
    static let counterMask: UInt64 = 0xFFFF

    /// The time as a 64-bit number.
    package let rawValue: UInt64

    private init(unchecked rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates a time; nil for zero.
    package init?(rawValue: UInt64) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// Parses a time; nil if the text isn't 1 to 16 lowercase hexadecimal digits without leading zeros.
    package init?(_ text: String) {
        self.init(digits: text.utf8.span, 0, text.utf8.count)
    }

    /// Parses a time in the bytes from `start` up to `end`; nil if these aren't 1 to 16 lowercase hexadecimal digits
    /// without leading zeros.
    init?(digits: borrowing Span<UInt8>, _ start: Int, _ end: Int) {
        guard start < end, end - start <= 16, digits[start] != UInt8(ascii: "0") else { return nil }
        var value: UInt64 = 0
        for index in start..<end {
            guard let digit = Hexadecimal.lowercaseValue(digits[index]) else { return nil }
            value = value << 4 | UInt64(digit)
        }
        rawValue = value
    }

    /// Returns whether the time is acceptable from a peer if the system's time is `now`, in nanoseconds since 1970.
    package func isPlausible(at now: UInt64) -> Bool {
        guard self >= .earliest, self <= .latest else { return false }
        return rawValue <= now || rawValue - now <= Self.tolerance
    }

    /// The time in lowercase hexadecimal digits.
    package var description: String { String(rawValue, radix: 16) }

    /// The number of hexadecimal digits of the time's text.
    var digitCount: Int { (UInt64.bitWidth - rawValue.leadingZeroBitCount + 3) / 4 }

    /// Appends the time in lowercase hexadecimal digits.
    func appendText(to text: inout GrowingBytes) {
        for shift in stride(from: 4 * (digitCount - 1), through: 0, by: -4) {
            text.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: rawValue >> UInt64(shift)) & 15))
        }
    }

    /// Returns whether a time is earlier than another.
    package static func < (left: HybridTime, right: HybridTime) -> Bool { left.rawValue < right.rawValue }
}
