import SealiteJSON

/// The order of strings of `COLLATE UNICODE`: the Unicode collation algorithm with the root order of CLDR or with a
/// locale's (Documentation/Collation.md).
///
/// Two strings are equal if all compared weights are equal: those of letters always, those of accents if the order is
/// diacritic-sensitive, then those of case if it is case-sensitive.
final class UnicodeCollation: Sendable {
    let isCaseSensitive: Bool
    let isDiacriticSensitive: Bool
    private let tailoring: CollationTailoring?
    /// The collation elements of the ASCII characters; nil if the locale has rules for ASCII strings.
    private let ascii: [CollationElement]?

    /// The version of the tables of the Unicode collations. Keys don't change within a version.
    static var version: Int { CollationTables.shared.version }

    /// Creates the order of a locale such as `sv` or `de_AT`; the root order for nil, and for a locale without an order
    /// of its own.
    init(caseSensitive: Bool, diacriticSensitive: Bool, locale: String? = nil) {
        (isCaseSensitive, isDiacriticSensitive) = (caseSensitive, diacriticSensitive)
        tailoring = locale.flatMap(CollationTailoring.of(locale:))
        ascii = tailoring?.changesASCII == true ? nil : Self.asciiElements(tailoring)
    }

    private static func asciiElements(_ tailoring: CollationTailoring?) -> [CollationElement] {
        (UInt32(0)..<128).map { scalar in
            var found: [CollationElement] = []
            CollationTables.shared.append(CollationTables.shared.entry(scalar), to: &found)
            let element = found.first ?? CollationElement(packed: 0)
            return tailoring?.move(element) ?? element
        }
    }

    /// Returns a negative number, 0 or a positive number if the left string comes before, is equal to or comes after
    /// the right one.
    func compare(_ left: borrowing Span<UInt8>, _ right: borrowing Span<UInt8>) -> Int {
        if let ascii, Self.isASCII(left), Self.isASCII(right) { return compare(left, right, ascii) }
        var a = GrowingBytes(capacity: left.count * 3)
        var b = GrowingBytes(capacity: right.count * 3)
        appendKey(of: left, to: &a)
        appendKey(of: right, to: &b)
        for index in 0..<min(a.count, b.count) where a[index] != b[index] { return a[index] < b[index] ? -1 : 1 }
        return a.count - b.count
    }

    private static func isASCII(_ text: borrowing Span<UInt8>) -> Bool {
        var bits: UInt8 = 0
        for index in 0..<text.count { bits |= text[index] }
        return bits < 0x80
    }

    /// Compares ASCII strings, in which each character has at most one element and accents are equal.
    private func compare(
        _ left: borrowing Span<UInt8>, _ right: borrowing Span<UInt8>, _ elements: [CollationElement]
    ) -> Int {
        var (i, j, difference) = (0, 0, 0)
        while true {
            while i < left.count, elements[Int(left[i])].primary == 0 { i += 1 }
            while j < right.count, elements[Int(right[j])].primary == 0 { j += 1 }
            guard i < left.count, j < right.count else { break }
            let (a, b) = (elements[Int(left[i])], elements[Int(right[j])])
            if a.primary != b.primary { return a.primary < b.primary ? -1 : 1 }
            if difference == 0 { difference = caseWeight(a) - caseWeight(b) }
            (i, j) = (i + 1, j + 1)
        }
        if i < left.count || j < right.count { return i < left.count ? 1 : -1 }
        return difference
    }

    /// Returns the weight, at the last compared level, of an element that has a primary weight; 0 if the order isn't
    /// case-sensitive.
    private func caseWeight(_ element: CollationElement) -> Int {
        guard isCaseSensitive else { return 0 }
        let letterCase = hasCapitalsFirst ? 2 - Int(element.letterCase) : Int(element.letterCase)
        guard isDiacriticSensitive else { return letterCase }
        return hasCapitalsFirst ? letterCase << 14 | Int(element.tertiary) : Int(element.tertiary)
    }

    private var hasCapitalsFirst: Bool { tailoring?.hasCapitalsFirst == true }

    /// Appends a string's key; the bytes of keys compare as `compare` compares the strings.
    func appendKey(of text: borrowing Span<UInt8>, to key: inout GrowingBytes) {
        var writer = CollationKeyWriter()
        let elements = self.elements(of: text)
        for element in elements where element.primary != 0 { CollationKeyWriter.appendPrimary(element, to: &key) }
        if isDiacriticSensitive {
            writer.startLevel()
            for element in elements where element.secondary != 0 { writer.appendSecondary(element, to: &key) }
        }
        guard isCaseSensitive else { return }
        writer.startLevel()
        if isDiacriticSensitive {
            for element in elements where element.tertiary != 0 {
                writer.appendTertiary(element, capitalsFirst: hasCapitalsFirst, to: &key)
            }
        } else {
            for element in elements where element.primary != 0 && !element.isContinuation {
                writer.appendCase(element, capitalsFirst: hasCapitalsFirst, to: &key)
            }
        }
    }

    private func elements(of text: borrowing Span<UInt8>) -> [CollationElement] {
        guard let ascii, Self.isASCII(text) else { return CollationScanner(text, tailoring).elements }
        var elements: [CollationElement] = []
        elements.reserveCapacity(text.count)
        for index in 0..<text.count {
            let element = ascii[Int(text[index])]
            if element.primary != 0 { elements.append(element) }
        }
        return elements
    }
}
