/// The keywords and kinds of tokens that the parser would have accepted at the current token, for error messages.
struct Expectations {
    private var keywords: UInt128 = 0
    private var kinds: UInt64 = 0

    mutating func insert(_ keyword: Keyword) { keywords |= 1 << UInt128(keyword.rawValue) }
    mutating func insert(_ kind: Token.Kind) { kinds |= 1 << UInt64(kind.rawValue) }

    mutating func removeAll() {
        keywords = 0
        kinds = 0
    }

    func contains(_ kind: Token.Kind) -> Bool { kinds & (1 << UInt64(kind.rawValue)) != 0 }

    /// The expected keywords as words in upper case.
    var words: [String] { Keyword.allCases.filter { keywords & (1 << UInt128($0.rawValue)) != 0 }.map(\.text) }

    /// The expected keywords and kinds of tokens as phrases. Operators are left out unless nothing else is expected.
    var phrases: [String] {
        let words = contains(.operation) ? words.filter { !["AND", "OR", "COLLATE"].contains($0) } : words
        let kinds = Token.Kind.allCases.filter { contains($0) && $0 != .operation }.map(\.phrase)
        let all = words + kinds
        return all.isEmpty && contains(.operation) ? [Token.Kind.operation.phrase] : all
    }
}
