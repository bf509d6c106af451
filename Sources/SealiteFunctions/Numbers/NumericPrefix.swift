import SealiteBase

/// The number at the start of a string.
struct NumericPrefix {
    /// The number's value, which is finite; 0 if the string doesn't begin with a number, or the number is too large for
    /// a double.
    let value: Double
    /// The value as an integer, if it is written in decimal digits without fraction and exponent, and 64 bits can
    /// represent it; otherwise nil.
    let integer: Int64?

    /// Creates the number at the start of a text: optional white space and sign, then decimal digits with fraction and
    /// exponent or, if `allowsHexadecimal` is true, hexadecimal digits after 0x.
    init(_ text: QueryBytes, allowsHexadecimal: Bool = true) {
        var reader = Reader(text)
        reader.pass { $0 == 0x20 || $0 &- 0x09 < 5 }
        let start = reader.offset
        let isNegative = reader.pass(0x2D)
        if !isNegative { _ = reader.pass(0x2B) }
        if allowsHexadecimal, let value = reader.hexadecimal() {
            (self.value, integer) = (isNegative ? -value : value, nil)
            return
        }
        let hasWhole = reader.pass { $0 &- 0x30 < 10 } > 0
        var end = reader.offset
        var isWhole = true
        if reader.pass(0x2E) {
            let hasFraction = reader.pass { $0 &- 0x30 < 10 } > 0
            if hasFraction || hasWhole { (end, isWhole) = (reader.offset, false) }
            guard hasFraction || hasWhole else {
                (value, integer) = (0, nil)
                return
            }
        } else if !hasWhole {
            (value, integer) = (0, nil)
            return
        }
        reader.offset = end
        if reader.pass(0x65) || reader.pass(0x45) {
            if !reader.pass(0x2D) { _ = reader.pass(0x2B) }
            if reader.pass({ $0 &- 0x30 < 10 }) > 0 { (end, isWhole) = (reader.offset, false) }
        }
        let number = reader.string(start..<end)
        integer = isWhole ? Int64(number) : nil
        let nearest = integer.map { Double($0) } ?? Double(number) ?? 0
        value = nearest.isFinite ? nearest : 0
    }

    /// A reader of the text's bytes.
    private struct Reader {
        let text: QueryBytes
        var offset = 0

        init(_ text: QueryBytes) { self.text = text }

        var current: UInt8? { offset < text.count ? unsafe text.payload[offset] : nil }

        @discardableResult
        mutating func pass(_ test: (UInt8) -> Bool) -> Int {
            let start = offset
            while let byte = current, test(byte) { offset += 1 }
            return offset - start
        }

        mutating func pass(_ byte: UInt8) -> Bool {
            guard current == byte else { return false }
            offset += 1
            return true
        }

        func string(_ range: Range<Int>) -> String {
            unsafe String(decoding: UnsafeBufferPointer(rebasing: text.payload[range]), as: UTF8.self)
        }

        /// Reads the value of hexadecimal digits after 0x; returns nil, and reads nothing, if there are none.
        mutating func hexadecimal() -> Double? {
            let start = offset
            guard pass(0x30), pass(0x78) || pass(0x58) else {
                offset = start
                return nil
            }
            var value = 0.0
            let count = pass { byte in
                guard let digit = Hexadecimal.value(byte) else { return false }
                value = value * 16 + Double(digit)
                return true
            }
            guard count > 0 else {
                offset = start
                return nil
            }
            return value.isFinite ? value : 0
        }
    }
}
