internal import Synchronization

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
