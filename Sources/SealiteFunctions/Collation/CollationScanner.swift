/// Finds the collation elements of a string: normalization, contractions, and the elements of the root order or of a
/// tailoring. https://unicode.org/reports/tr10/#Main_Algorithm
struct CollationScanner {
    private let tables = CollationTables.shared
    private let tailoring: CollationTailoring?
    /// The string in Unicode's normalization form D. A scalar that an earlier contraction consumed is replaced by
    /// `used`.
    private var scalars: [UInt32]
    private(set) var elements: [CollationElement] = []

    private static let used = UInt32.max
    /// The maximum number of marks after a contraction that are searched for marks of the contraction; strings in
    /// stream-safe form have fewer marks.
    private static let maximumMarkDistance = 32

    init(_ text: borrowing Span<UInt8>, _ tailoring: CollationTailoring?) {
        self.tailoring = tailoring
        scalars = CanonicalDecomposition.scalars(of: text)
        elements.reserveCapacity(scalars.count + 8)
        var index = 0
        while index < scalars.count {
            if scalars[index] == Self.used { index += 1 } else { index = appendElements(at: index) }
        }
    }

    /// The longest string found so far that begins at the current scalar and has collation elements of its own.
    private struct Match {
        var suffix: [UInt32]
        var found: Found
    }

    private enum Found {
        case root(CollationTables.Entry)
        case tailored([CollationElement])
    }

    /// Appends the elements of the longest string from an index on that has elements of its own.
    ///
    /// - Returns: the index after this string.
    private mutating func appendElements(at start: Int) -> Int {
        let starter = scalars[start]
        let mappings = tailoring?.mappings[starter]
        guard mappings != nil || tables.beginsContractions(starter) else {
            append(.root(tables.entry(starter)), starter)
            return start + 1
        }
        let single = mappings?.last { $0.suffix.isEmpty }
        var match = Match(suffix: [], found: single.map { .tailored($0.elements) } ?? .root(tables.entry(starter)))
        if let longest = longestMatch(at: start) { match = longest }
        let end = start + 1 + match.suffix.count
        extend(&match, starter, behind: end)
        append(match.found, starter)
        return end
    }

    /// Returns the longest contraction of contiguous scalars from an index on; nil if there is none.
    private func longestMatch(at start: Int) -> Match? {
        var longest: Match?
        for mapping in tailoring?.mappings[scalars[start]] ?? [] where !mapping.suffix.isEmpty {
            guard scalars[(start + 1)...].starts(with: mapping.suffix) else { continue }
            longest = Match(suffix: mapping.suffix, found: .tailored(mapping.elements))
            break
        }
        tables.forEachContraction(scalars[start]) { suffix, entry in
            guard suffix.count > longest?.suffix.count ?? 0 else { return false }
            guard scalars.count - start > suffix.count else { return true }
            for index in 0..<suffix.count where scalars[start + 1 + index] != tables.scalar(index, of: suffix) {
                return true
            }
            longest = Match(suffix: Array(scalars[(start + 1)...(start + suffix.count)]), found: .root(entry))
            return false
        }
        return longest
    }

    /// Returns the collation elements of a starter followed by exactly the given marks; nil if there are none.
    private func match(_ starter: UInt32, _ suffix: [UInt32]) -> Found? {
        if let mapping = tailoring?.mappings[starter]?.first(where: { $0.suffix == suffix }) {
            return .tailored(mapping.elements)
        }
        var found: Found?
        tables.forEachContraction(starter) { candidate, entry in
            guard candidate.count == suffix.count else { return candidate.count > suffix.count }
            for index in 0..<suffix.count where suffix[index] != tables.scalar(index, of: candidate) { return true }
            found = .root(entry)
            return false
        }
        return found
    }

    /// Extends a match by discontiguous marks after it, unless a mark between blocks them.
    private mutating func extend(_ match: inout Match, _ starter: UInt32, behind end: Int) {
        var lastClass: UInt8 = 0
        for index in end..<min(end + Self.maximumMarkDistance, scalars.count) where scalars[index] != Self.used {
            let combiningClass = tables.combiningClass(scalars[index])
            guard combiningClass != 0 else { return }
            guard combiningClass != lastClass else { continue }
            let suffix = match.suffix + [scalars[index]]
            if let found = self.match(starter, suffix) {
                match = Match(suffix: suffix, found: found)
                scalars[index] = Self.used
            } else {
                lastClass = combiningClass
            }
        }
    }

    private mutating func append(_ found: Found, _ starter: UInt32) {
        let first = elements.count
        switch found {
        case .tailored(let tailored): elements += tailored
        case .root(let entry) where entry.isImplicit: CollationElement.appendImplicit(starter, to: &elements)
        case .root(let entry): tables.append(entry, to: &elements)
        }
        guard let tailoring, !tailoring.moves.isEmpty else { return }
        for index in first..<elements.count { elements[index] = tailoring.move(elements[index]) }
    }
}

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
