/// The canonical form of numbers for revision digests, which is that of Couchbase Lite: integers of up to 64 bits,
/// signed or unsigned, as their digits; every other number as the nearest double, with the fewest digits that are read
/// as the same double. From 1e-4 up to below 1e16 the text has no exponent and at least one digit after the point;
/// otherwise it has an exponent with a sign and at least two digits.
enum CanonicalNumber {
    /// Appends the canonical form of an integer, given as the range of its text in `bytes`.
    @inline(__always)
    static func appendInteger(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int, to text: inout GrowingBytes
    ) {
        let isShort = end - start < 19 && (end - start != 2 || bytes[start] != minus)
        isShort ? text.append(bytes, start, end) : appendLongInteger(bytes, start, end, to: &text)
    }

    /// Appends the canonical form of a number with a fraction or an exponent, given as the range of its text in
    /// `bytes`.
    @inline(__always)
    static func appendFloat(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int, to text: inout GrowingBytes
    ) {
        isCanonical(bytes, start, end) ? text.append(bytes, start, end) : appendDouble(bytes, start, end, to: &text)
    }

    private static let minus = UInt8(ascii: "-")
    private static let point = UInt8(ascii: ".")
    private static let zero = UInt8(ascii: "0")

    private static func appendLongInteger(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int, to text: inout GrowingBytes
    ) {
        if end - start == 2, bytes[start + 1] == zero { return text.append(zero) }
        // Without an allocation for the common case, an integer of 19 or 20 digits that 64 bits hold.
        var value: UInt64 = 0
        let isNegative = bytes[start] == minus
        for index in (isNegative ? start + 1 : start)..<end {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(bytes[index] &- zero))
            guard !overflow, !carry else { return appendDouble(bytes, start, end, to: &text) }
            value = sum
        }
        guard !isNegative || value <= 1 << 63 else { return appendDouble(bytes, start, end, to: &text) }
        text.append(bytes, start, end)
    }

    /// Returns whether a text of up to 15 significant digits is canonical already: a double preserves 15 digits. False
    /// also for canonical texts with more digits or with an exponent.
    @inline(__always)
    private static func isCanonical(_ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        // Bytes that aren't a number come from a damaged body, and are written unchanged.
        guard end - start >= 3 else { return true }
        var index = bytes[start] == minus ? start + 1 : start
        // Of a number below 1 at most three zeros follow the point: it is at least 1e-4, or 0.0.
        guard end - index <= 16, bytes[end - 1] != zero || bytes[end - 2] == point else { return false }
        if bytes[index] == zero, end - index > 5, bytes[index + 2] == zero, bytes[index + 3] == zero,
            bytes[index + 4] == zero, bytes[index + 5] == zero
        {
            return false
        }
        var points = 0
        while index < end {
            let byte = bytes[index]
            guard byte == point || byte &- zero < 10 else { return false }
            points += byte == point ? 1 : 0
            index += 1
        }
        return points == 1
    }

    private static func appendDouble(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int, to text: inout GrowingBytes
    ) {
        var digits: [UInt8] = []
        digits.reserveCapacity(end - start)
        for index in start..<end { digits.append(bytes[index]) }
        // A number outside of the range of a double has no canonical form; the digest is then that of the unchanged
        // text.
        guard let value = Double(String(decoding: digits, as: UTF8.self)), value.isFinite else {
            return text.append(bytes, start, end)
        }
        for byte in form(of: value).utf8 { text.append(byte) }
    }

    /// Returns the canonical form of a finite double for revision digests, such as `0.5`, `100.0` and `1e+16`.
    static func form(of value: Double) -> String {
        // The standard library returns the shortest text that is parsed as the same number, in another layout.
        let parts = value.magnitude.description.split(separator: "e")
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
        // The number is 0.DIGITS times ten to the power of the exponent.
        var digits = (mantissa[0] + fraction)[...]
        var exponent = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        while digits.count > 1, digits.first == "0" {
            digits = digits.dropFirst()
            exponent -= 1
        }
        while digits.count > 1, digits.last == "0" { digits = digits.dropLast() }
        let sign = value.sign == .minus ? "-" : ""
        if digits == "0" { return sign + "0.0" }
        guard (-3...16).contains(exponent) else {
            let power = exponent - 1
            let tail = digits.dropFirst()
            return sign + digits.prefix(1) + (tail.isEmpty ? "" : "." + tail) + (power < 0 ? "e-" : "e+")
                + (abs(power) < 10 ? "0" : "") + String(abs(power))
        }
        if exponent <= 0 { return sign + "0." + String(repeating: "0", count: -exponent) + digits }
        let whole = digits.prefix(exponent) + String(repeating: "0", count: max(0, exponent - digits.count))
        let rest = digits.dropFirst(exponent)
        return sign + whole + "." + (rest.isEmpty ? "0" : rest)
    }
}
