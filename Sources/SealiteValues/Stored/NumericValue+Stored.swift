package import SealiteJSON

extension NumericValue {
    /// Creates the number of a stored element without a copy: an integer of 64 bits if it has neither fraction nor
    /// exponent and fits, otherwise the nearest double.
    ///
    /// - Returns: nil if the element's bytes aren't the text of a number.
    package init?(_ element: JSONBElement, in bytes: borrowing Span<UInt8>) {
        guard let scan = NumberScan(bytes, element.start..<element.end) else { return nil }
        if let integer = scan.integer {
            self = .integer(integer)
        } else if let double = scan.shortDouble {
            self = .double(double)
        } else {
            guard let double = Double(element.text(in: bytes)) else { return nil }
            self = .double(double)
        }
    }
}

extension JSONBElement {
    /// Returns the element's payload, its bytes after the header, as text; invalid UTF-8 is replaced.
    package func text(in bytes: borrowing Span<UInt8>) -> String {
        let payload = bytes.extracting(start..<end)
        return unsafe payload.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

/// The parts of a number's text, parsed in one pass.
private struct NumberScan {
    private var isNegative = false
    /// The first digits as one number, at most 19 of them.
    private var mantissa: UInt64 = 0
    private var digitCount = 0
    /// The power of ten by which the digits of `mantissa` are multiplied.
    private var exponent = 0
    private var isInteger = true

    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20,
        1e21, 1e22,
    ]

    init?(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) {
        var index = range.lowerBound
        if index < range.upperBound, bytes[index] == 0x2D { (isNegative, index) = (true, index + 1) }
        let hasDigits = digits(bytes, &index, range.upperBound)
        guard hasDigits else { return nil }
        if index < range.upperBound, bytes[index] == 0x2E {
            isInteger = false
            index += 1
            let start = index
            guard digits(bytes, &index, range.upperBound) else { return nil }
            exponent -= index - start
        }
        guard index < range.upperBound else { return }
        guard bytes[index] | 0x20 == 0x65, power(bytes, index + 1, range.upperBound) else { return nil }
    }

    private mutating func digits(_ bytes: borrowing Span<UInt8>, _ index: inout Int, _ end: Int) -> Bool {
        let start = index
        while index < end, bytes[index] >= 0x30, bytes[index] <= 0x39 {
            if mantissa > 0 || bytes[index] != 0x30 { digitCount += 1 }
            if digitCount <= 19 { mantissa = mantissa &* 10 &+ UInt64(bytes[index] - 0x30) }
            index += 1
        }
        return index > start
    }

    private mutating func power(_ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        isInteger = false
        var index = start
        let isMinus = index < end && bytes[index] == 0x2D
        if isMinus || index < end && bytes[index] == 0x2B { index += 1 }
        guard index < end else { return false }
        var value = 0
        while index < end {
            guard bytes[index] >= 0x30, bytes[index] <= 0x39 else { return false }
            value = min(value * 10 + Int(bytes[index] - 0x30), 100_000)
            index += 1
        }
        exponent += isMinus ? -value : value
        return true
    }

    /// The integer; nil if there is a fraction or an exponent, if 64 bits can't represent it, and for -0.
    var integer: Int64? {
        guard isInteger, digitCount <= 19, mantissa <= 1 << 63 else { return nil }
        guard isNegative else { return Int64(exactly: mantissa) }
        return mantissa == 0 ? nil : mantissa == 1 << 63 ? .min : -Int64(mantissa)
    }

    /// The double, if doubles represent the digits and the power of ten exactly, so that a single operation rounds
    /// once; otherwise nil.
    var shortDouble: Double? {
        guard digitCount <= 19, mantissa < 1 << 53, (-22...22).contains(exponent) else { return nil }
        let digits = Double(mantissa)
        let value = exponent < 0 ? digits / Self.powers[-exponent] : digits * Self.powers[exponent]
        return isNegative ? -value : value
    }
}
