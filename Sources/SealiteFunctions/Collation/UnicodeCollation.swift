import SealiteJSON
internal import Synchronization

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

extension UnicodeCollation {
    /// The collations of the root order, created on first use, in the order of `Name.index`.
    private static let roots = (0..<4).map { UnicodeCollation(Name(index: $0, locale: nil)) }
    /// A bounded cache of the collations of locales.
    private static let localized = Mutex<[Name: UnicodeCollation]>([:])
    private static let maximumKeptCount = 256

    /// A collation's name: `unicode`, `unicode-nocase`, `unicode-nodiac` or `unicode-nocase-nodiac`, optionally with a
    /// colon and a locale.
    private struct Name: Hashable {
        let index: Int
        let locale: String?

        init(index: Int, locale: String?) { (self.index, self.locale) = (index, locale) }

        init?(_ bytes: borrowing Span<UInt8>) {
            var offset = 0
            guard Self.skip("unicode", bytes, &offset) else { return nil }
            let ignoresCase = Self.skip("-nocase", bytes, &offset)
            let ignoresDiacritics = Self.skip("-nodiac", bytes, &offset)
            index = (ignoresCase ? 1 : 0) + (ignoresDiacritics ? 2 : 0)
            guard offset < bytes.count else {
                locale = nil
                return
            }
            guard Self.skip(":", bytes, &offset), offset < bytes.count else { return nil }
            // No locale with an order of its own has a longer name, suffixes included.
            guard bytes.count - offset <= 64 else {
                locale = nil
                return
            }
            locale = unsafe bytes.extracting(offset...).withUnsafeBufferPointer {
                unsafe String(decoding: $0, as: UTF8.self)
            }
        }

        private static func skip(_ word: StaticString, _ bytes: borrowing Span<UInt8>, _ offset: inout Int) -> Bool {
            let end = offset + word.utf8CodeUnitCount
            guard end <= bytes.count, TextCollation.equals(bytes.extracting(offset..<end), word) else { return false }
            offset = end
            return true
        }
    }

    private convenience init(_ name: Name) {
        self.init(
            caseSensitive: name.index & 1 == 0, diacriticSensitive: name.index & 2 == 0, locale: name.locale)
    }

    /// Returns the collation with a name; nil for an unknown name. A locale without an order of its own has the root
    /// order. Can be called on any thread.
    static func named(_ bytes: borrowing Span<UInt8>) -> UnicodeCollation? {
        guard let name = Name(bytes) else { return nil }
        guard name.locale != nil else { return roots[name.index] }
        return localized.withLock { collations in
            if let found = collations[name] { return found }
            let made = UnicodeCollation(name)
            if collations.count < maximumKeptCount { collations[name] = made }
            return made
        }
    }
}

/// Writes the levels of a string's key under a Unicode collation (Documentation/Collation.md §3). Trailing common
/// weights and levels are omitted, since they are the lowest of all.
struct CollationKeyWriter {
    private var pendingSeparators = 0
    private var pendingCommons = 0

    private static let separator: UInt8 = 1
    private static let common: UInt8 = 2

    mutating func startLevel() {
        pendingSeparators += 1
        pendingCommons = 0
    }

    private mutating func flush(_ key: inout GrowingBytes) {
        for _ in 0..<pendingSeparators { key.append(Self.separator) }
        for _ in 0..<pendingCommons { key.append(Self.common) }
        (pendingSeparators, pendingCommons) = (0, 0)
    }

    /// Appends a primary weight: two bytes, the first of which is above the separator, and two more for an offset
    /// between the root order's weights.
    static func appendPrimary(_ element: CollationElement, to key: inout GrowingBytes) {
        let weight = UInt16(truncatingIfNeeded: element.primary >> 16)
        let place = UInt8(truncatingIfNeeded: element.primary)
        if element.isContinuation {
            key.append(UInt8(weight >> 8))
        } else {
            // The weights of U+FFFD and U+FFFF are above all implicit ones and would exceed the range.
            key.append(weight >= 0xFE00 ? 0xFE : UInt8(weight >> 8) + 2)
        }
        key.append(UInt8(truncatingIfNeeded: weight))
        guard place != 0 else { return }
        // No weight begins with such a high byte: a weight with an offset comes after any continuation of the weight
        // without it.
        key.append(0xFF)
        key.append(place)
    }

    mutating func appendSecondary(_ element: CollationElement, to key: inout GrowingBytes) {
        guard element.secondary != CollationElement.commonSecondary else {
            pendingCommons += 1
            return
        }
        flush(&key)
        let distance = element.secondary &- CollationElement.commonSecondary
        key.append(UInt8(truncatingIfNeeded: distance >> 7) + 3)
        key.append(UInt8(truncatingIfNeeded: distance & 0x7F))
    }

    mutating func appendTertiary(_ element: CollationElement, capitalsFirst: Bool, to key: inout GrowingBytes) {
        let distance = element.tertiary &- CollationElement.commonTertiary
        let place = UInt8(truncatingIfNeeded: distance & 0x3F)
        let byte = UInt8(truncatingIfNeeded: (distance >> 6) << 1) + (place == 0 ? 0 : 1)
        if capitalsFirst {
            flush(&key)
            key.append(byte + 4 + 80 * (2 - element.letterCase))
        } else if distance == 0 {
            pendingCommons += 1
            return
        } else {
            flush(&key)
            key.append(byte + 3)
        }
        if place != 0 { key.append(place) }
    }

    mutating func appendCase(_ element: CollationElement, capitalsFirst: Bool, to key: inout GrowingBytes) {
        let letterCase = capitalsFirst ? 2 - element.letterCase : element.letterCase
        guard letterCase != 0 else {
            pendingCommons += 1
            return
        }
        flush(&key)
        key.append(Self.common + letterCase)
    }
}
