/// Parses numbers in JSON text as Floats, correctly rounded.
enum FloatText {
    /// Returns the Float nearest to the number in a range of bytes; nil if the range contains anything else, or a number
    /// that is too large for a Float.
    @inline(__always)
    static func parse(_ bytes: RawSpan, _ start: Int, _ end: Int) -> Float? {
        assert(start >= 0 && start <= end && end <= bytes.byteCount)
        var scan = Scan(position: start, end: end)
        guard scan.number(bytes) else { return nil }
        return scan.value ?? slow(bytes, start, end)
    }

    /// Parses a number with many digits, or one that is close to the middle between two Floats.
    @inline(never)
    private static func slow(_ bytes: RawSpan, _ start: Int, _ end: Int) -> Float? {
        let text = unsafe bytes.extracting(start..<end).withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        guard let value = Float(text), value.isFinite else { return nil }
        return value
    }

    /// Powers of ten as doubles; those above 10²² are rounded.
    fileprivate static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37,
        1e38, 1e39, 1e40,
    ]
    /// Powers of ten from 10⁰ to 10¹⁶.
    fileprivate static let integerPowers: [UInt64] = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
        100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
        10_000_000_000_000_000,
    ]
}

/// A scan of the text of one number; the text is an argument of each call.
private struct Scan {
    private var position: Int
    private let end: Int
    private var isNegative = false
    /// The digits without the decimal point, modulo 2⁶⁴.
    private var significand: UInt64 = 0
    /// The number of digits after the zeros at the start.
    private var digitCount = 0
    /// The power of ten by which the significand is multiplied.
    private var exponent = 0

    @inline(__always)
    init(position: Int, end: Int) { (self.position, self.end) = (position, end) }

    /// Scans the whole number; returns false if the text isn't one.
    @inline(__always)
    mutating func number(_ bytes: RawSpan) -> Bool {
        // Signs are as good as random: branches on them would be mispredicted.
        isNegative = current(bytes) == 0x2D
        position += isNegative ? 1 : 0
        let start = position
        guard digit(bytes) else { return false }
        // Most numbers have one digit before the point.
        if current(bytes) != 0x2E { digits(bytes) }
        digitCount = position - start
        // Leading zeros aren't allowed.
        guard digitCount == 1 || byte(bytes, start) != 0x30 else { return false }
        if current(bytes) == 0x2E {
            position += 1
            let count = fraction(bytes)
            guard count > 0 else { return false }
            exponent = -count
            digitCount += count
        }
        // More digits fit if the first ones are zeros.
        if digitCount > 18 { digitCount -= zeros(bytes, start) }
        return position == end || power(bytes)
    }

    /// The byte at the position, 0 at the end.
    @inline(__always)
    private func current(_ bytes: RawSpan) -> UInt8 { position < end ? byte(bytes, position) : 0 }

    @inline(__always)
    private func byte(_ bytes: RawSpan, _ offset: Int) -> UInt8 {
        assert(offset >= 0 && offset < bytes.byteCount)
        return unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    /// Scans the digits after a decimal point and returns their number.
    @inline(__always)
    private mutating func fraction(_ bytes: RawSpan) -> Int {
        let start = position
        while end - position > 16, digit(bytes) {}
        // Up to sixteen digits at the end of the text are taken at once, whatever their number, since that is as good as
        // random too. What precedes them becomes zeros.
        let count = end - position
        if count > 0, count <= 16, end >= 16 {
            let high = Self.digits(word(bytes, end - 16), last: max(count - 8, 0))
            let low = Self.digits(word(bytes, end - 8), last: min(count, 8))
            if Self.areDigits(high, low) {
                let value = Self.value(high) &* 100_000_000 &+ Self.value(low)
                significand = significand &* FloatText.integerPowers[count] &+ value
                position = end
                return position - start
            }
        }
        digits(bytes)
        return position - start
    }

    /// Scans digits one by one.
    @inline(__always)
    private mutating func digits(_ bytes: RawSpan) { while digit(bytes) {} }

    /// Scans a digit; returns false if there is none.
    @inline(__always)
    private mutating func digit(_ bytes: RawSpan) -> Bool {
        let digit = current(bytes) &- 0x30
        guard digit <= 9 else { return false }
        significand = significand &* 10 &+ UInt64(digit)
        position += 1
        return true
    }

    /// Returns the eight bytes at an offset, the first one in the lowest bits.
    @inline(__always)
    private func word(_ bytes: RawSpan, _ offset: Int) -> UInt64 {
        assert(offset >= 0 && offset + 8 <= bytes.byteCount)
        return unsafe UInt64(
            littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// Returns eight characters, the first one in the lowest bits, of which all but the last `count` are replaced by zeros.
    @inline(__always)
    private static func digits(_ word: UInt64, last count: Int) -> UInt64 {
        // A shift by 64 leaves nothing.
        let kept = UInt64.max << UInt64(64 - 8 * count)
        return word & kept | 0x3030_3030_3030_3030 & ~kept
    }

    /// Returns whether twice eight characters are decimal digits.
    @inline(__always)
    private static func areDigits(_ high: UInt64, _ low: UInt64) -> Bool {
        // Digits are 0x30 to 0x39, and remain below 0x40 with six more. A carry comes only from a byte that is none.
        let (zeros, six): (UInt64, UInt64) = (0x3030_3030_3030_3030, 0x0606_0606_0606_0606)
        let others = (high ^ zeros) | (low ^ zeros) | ((high &+ six) ^ zeros) | ((low &+ six) ^ zeros)
        return others & 0xF0F0_F0F0_F0F0_F0F0 == 0
    }

    /// Returns the value of eight decimal digits, the first one in the lowest bits.
    @inline(__always)
    private static func value(_ digits: UInt64) -> UInt64 {
        // Neighbours are joined: to four numbers of two digits, to two of four, to one.
        let pairs = ((digits & 0x0F0F_0F0F_0F0F_0F0F) &* (10 << 8 + 1)) >> 8 & 0x00FF_00FF_00FF_00FF
        let fours = (pairs &* (100 << 16 + 1)) >> 16 & 0x0000_FFFF_0000_FFFF
        return (fours &* (10_000 << 32 + 1)) >> 32
    }

    /// Returns the number of zeros at the start of the digits, one of which may be before the decimal point.
    private func zeros(_ bytes: RawSpan, _ start: Int) -> Int {
        var (offset, count) = (start, 0)
        while offset < end {
            let byte = byte(bytes, offset)
            guard byte == 0x30 || byte == 0x2E else { break }
            if byte == 0x30 { count += 1 }
            offset += 1
        }
        return count
    }

    /// Scans an exponent up to the end; returns false if there is none.
    private mutating func power(_ bytes: RawSpan) -> Bool {
        guard current(bytes) | 0x20 == 0x65 else { return false }
        position += 1
        let sign = current(bytes)
        if sign == 0x2B || sign == 0x2D { position += 1 }
        guard position < end else { return false }
        var power = 0
        while position < end {
            let digit = current(bytes) &- 0x30
            guard digit <= 9 else { return false }
            // Far outside of what the fast conversion takes, so that further digits don't matter.
            power = min(power * 10 + Int(digit), 1_000_000)
            position += 1
        }
        exponent += sign == 0x2D ? -power : power
        return true
    }

    /// The number as Float; nil if the conversion by way of a double may round it twice or overflow.
    @inline(__always)
    var value: Float? {
        guard digitCount <= 18, exponent.magnitude < FloatText.powers.count else { return nil }
        guard significand != 0 else { return isNegative ? -0.0 : 0 }
        let power = FloatText.powers[Int(exponent.magnitude)]
        // Of at most 18 digits, and so an Int64, which takes less to convert.
        let digits = Double(Int64(bitPattern: significand))
        let double = exponent < 0 ? digits / power : digits * power
        // The double is at most two units in its last place away from the number, since the significand, the power and the
        // result are each rounded once. If none of these doubles is the middle between two Floats, which are 29 bits
        // shorter, the double and the number have the same nearest Float.
        let rest = Int(double.bitPattern & (1 << 29 - 1))
        guard double >= Double(Float.leastNormalMagnitude), (rest - 1 << 28).magnitude > 4 else { return nil }
        let value = Float(double)
        guard value.isFinite else { return nil }
        return Float(bitPattern: value.bitPattern | (isNegative ? 1 << 31 : 0))
    }
}
