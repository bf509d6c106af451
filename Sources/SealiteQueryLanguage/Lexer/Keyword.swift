/// The keywords of SQL++.
///
/// The first group is reserved: such a word must be quoted to be used as a name. Any other keyword is a name where a
/// name is expected, unless the following words make it a keyword; documents may therefore use `value`, `key` or
/// `first` as property names.
enum Keyword: UInt8, CaseIterable {
    case and, any, `as`, asc, between, by, `case`, collate, cross, desc, distinct, `else`, end, every, `false`, from,
        group, having
    case `in`, inner, `is`, join, left, like, limit, missing, natural, not, null, offset, on, or, order, outer, right,
        satisfies
    case select, then, `true`, unnest, using, valued, when, `where`

    case all, array, current, delete, escape, except, exists, filter, following, `for`, groups, insert, intersect, into,
        key, `let`
    case match, meta, nulls, first, last, over, partition, preceding, prediction, range, rank, raw, recursive,
        returning, row, rows
    case set, some, unbounded, union, unset, update, value, values, with

    /// A Boolean value that says whether the word must be quoted to be used as a name.
    var isReserved: Bool { rawValue <= Keyword.where.rawValue }

    /// The keyword's word in upper case.
    var text: String { "\(self)".uppercased() }

    /// Finds the keyword that a word in any case spells; nil if it is no keyword.
    init?(_ word: ArraySlice<UInt8>) {
        guard word.count <= Self.longest, let first = word.first else { return nil }
        let packed = Self.pack(word)
        guard let known = Self.table[Int(first & 0x1F)].first(where: { $0.packed == packed }) else { return nil }
        self = known.keyword
    }

    private static let longest = 16
    /// The keywords, grouped by the last five bits of their first letter.
    private static let table: [[(packed: UInt128, keyword: Keyword)]] = (0..<32).map { letter in
        allCases.map { (pack(Array($0.text.utf8)[...]), $0) }.filter { $1.text.utf8.first.map { $0 & 0x1F } == letter }
    }

    /// Packs up to 16 bytes into one number, with letters in upper case.
    private static func pack(_ word: ArraySlice<UInt8>) -> UInt128 {
        var packed: UInt128 = 0
        for byte in word { packed = packed << 8 | UInt128(byte.isLowercaseLetter ? byte & 0xDF : byte) }
        return packed
    }
}
