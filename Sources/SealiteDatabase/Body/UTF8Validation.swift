/// Checks UTF-8 as the Unicode standard's table 3-7 has it: no surrogates, no overlong forms, nothing past U+10FFFF.
enum UTF8Validation {
    static func isValid(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        while index < range.upperBound {
            let lead = bytes[index]
            index += 1
            if lead < 0x80 { continue }
            let count: Int
            var second: ClosedRange<UInt8> = 0x80...0xBF
            switch lead {
            case 0xC2...0xDF: count = 1
            case 0xE0: (count, second) = (2, 0xA0...0xBF)
            case 0xED: (count, second) = (2, 0x80...0x9F)
            case 0xE1...0xEF: count = 2
            case 0xF0: (count, second) = (3, 0x90...0xBF)
            case 0xF4: (count, second) = (3, 0x80...0x8F)
            case 0xF1...0xF3: count = 3
            default: return false
            }
            guard count <= range.upperBound - index, second.contains(bytes[index]) else { return false }
            for offset in 1..<max(count, 1) where bytes[index + offset] & 0xC0 != 0x80 { return false }
            index += count
        }
        return true
    }
}

/// Hexadecimal digits.
enum Hexadecimal {
    /// The value of a digit, of either case.
    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x61 + 10
        case 0x41...0x46: digit - 0x41 + 10
        default: nil
        }
    }

    /// The lowercase digit of a value below 16.
    @inline(__always)
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x57 + value
    }
}
