/// Converts UTF-8 to Unicode's normalization form D. https://unicode.org/reports/tr15/
enum CanonicalDecomposition {
    /// Returns the scalars of a text in form D. A byte outside of any scalar becomes U+FFFD.
    static func scalars(of text: borrowing Span<UInt8>) -> [UInt32] {
        let tables = CollationTables.shared
        var scalars: [UInt32] = []
        scalars.reserveCapacity(text.count)
        var hasMarks = false
        var offset = 0
        while offset < text.count {
            let scalar = nextScalar(text, &offset)
            if scalar < 0xC0 {
                scalars.append(scalar)
            } else if (0xAC00...0xD7A3).contains(scalar) {
                appendSyllable(scalar, to: &scalars)
            } else if tables.appendDecomposed(scalar, to: &scalars) {
                hasMarks = true
            }
        }
        if hasMarks { reorder(&scalars, tables) }
        return scalars
    }

    /// Appends the decomposition of a Hangul syllable.
    private static func appendSyllable(_ syllable: UInt32, to scalars: inout [UInt32]) {
        let index = syllable - 0xAC00
        scalars.append(0x1100 + index / 588)
        scalars.append(0x1161 + index % 588 / 28)
        if index % 28 != 0 { scalars.append(0x11A7 + index % 28) }
    }

    /// Sorts each sequence of combining marks by their combining classes; the sort is stable.
    private static func reorder(_ scalars: inout [UInt32], _ tables: CollationTables) {
        var start = 0
        while start < scalars.count {
            guard tables.combiningClass(scalars[start]) != 0 else {
                start += 1
                continue
            }
            var end = start + 1
            while end < scalars.count, tables.combiningClass(scalars[end]) != 0 { end += 1 }
            if end - start > 1 {
                let marks = scalars[start..<end].enumerated().map {
                    (key: (tables.combiningClass($0.element), $0.offset), scalar: $0.element)
                }
                scalars.replaceSubrange(start..<end, with: marks.sorted { $0.key < $1.key }.map(\.scalar))
            }
            start = end
        }
    }

    private static func nextScalar(_ text: borrowing Span<UInt8>, _ offset: inout Int) -> UInt32 {
        let first = text[offset]
        offset += 1
        guard first >= 0x80 else { return UInt32(first) }
        let (count, least): (Int, UInt32)
        switch first {
        case 0xC2...0xDF: (count, least) = (1, 0x80)
        case 0xE0...0xEF: (count, least) = (2, 0x800)
        case 0xF0...0xF4: (count, least) = (3, 0x10000)
        default: return 0xFFFD
        }
        guard text.count - offset >= count else { return 0xFFFD }
        var scalar = UInt32(first) & (0x3F >> UInt32(count))
        for index in offset..<(offset + count) {
            guard text[index] & 0xC0 == 0x80 else { return 0xFFFD }
            scalar = scalar << 6 | UInt32(text[index] & 0x3F)
        }
        guard scalar >= least, scalar <= 0x10FFFF, !(0xD800...0xDFFF).contains(scalar) else { return 0xFFFD }
        offset += count
        return scalar
    }
}
