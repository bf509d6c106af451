import SealiteJSON

/// An order of strings that COLLATE chooses by its name.
enum TextCollation {
    /// The order of UTF-8 bytes.
    case binary
    /// The order of UTF-8 bytes, with A to Z equal to a to z.
    case nocase
    /// The order of the Unicode collation algorithm, for a locale or with differences ignored.
    case unicode(UnicodeCollation)

    /// The version of the Unicode collations. The results of `compare` and `appendKey` don't change within a version.
    static var version: Int { UnicodeCollation.version }

    /// Returns the collation with a name, such as `nocase` or `unicode:sv`; nil for an unknown name.
    static func named(_ name: borrowing Span<UInt8>) -> TextCollation? {
        if equals(name, "nocase") { return .nocase }
        if equals(name, "binary") { return .binary }
        return UnicodeCollation.named(name).map(Self.unicode)
    }

    static func equals(_ name: borrowing Span<UInt8>, _ other: StaticString) -> Bool {
        guard name.count == other.utf8CodeUnitCount else { return false }
        for index in 0..<name.count {
            guard unsafe name[index] == other.utf8Start[index] else { return false }
        }
        return true
    }

    /// A Boolean value that says whether strings are equal only if their bytes are equal.
    var isBinary: Bool { if case .binary = self { true } else { false } }

    /// A Boolean value that says whether strings are compared byte by byte, by `areSame`.
    var isBytewise: Bool {
        switch self {
        case .binary, .nocase: true
        case .unicode: false
        }
    }

    /// Returns whether two bytes are equal in a collation that compares byte by byte.
    @inline(__always)
    func areSame(_ left: UInt8, _ right: UInt8) -> Bool {
        left == right || !isBinary && Self.folded(left) == Self.folded(right)
    }

    /// Returns the lowercase letter of a byte from A to Z, otherwise the byte.
    @inline(__always)
    private static func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// Returns a negative number, 0 or a positive number if the left string comes before, is equal to or comes after
    /// the right one.
    func compare(_ left: borrowing Span<UInt8>, _ right: borrowing Span<UInt8>) -> Int {
        if case .unicode(let collation) = self { return collation.compare(left, right) }
        let isFolded = !isBinary
        for index in 0..<min(left.count, right.count) {
            var (a, b) = (left[index], right[index])
            if isFolded { (a, b) = (Self.folded(a), Self.folded(b)) }
            if a != b { return a < b ? -1 : 1 }
        }
        return left.count - right.count
    }

    /// Appends a string's key; the bytes of keys compare as `compare` compares the strings.
    func appendKey(of text: borrowing Span<UInt8>, to key: inout GrowingBytes) {
        if case .unicode(let collation) = self { return collation.appendKey(of: text, to: &key) }
        guard !isBinary else { return key.append(text) }
        for index in 0..<text.count { key.append(Self.folded(text[index])) }
    }
}
