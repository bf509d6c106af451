internal import SealiteValues

extension ExpressionOperator {
    /// The operators that remove characters from the ends of strings.
    static let trims: [ExpressionOperator] = [
        trim("$trim", start: true, end: true), trim("$ltrim", start: true, end: false),
        trim("$rtrim", start: false, end: true),
    ]

    private static func trim(_ name: String, start: Bool, end: Bool) -> ExpressionOperator {
        .init(name) { operand, parser in
            let operands = try NamedOperands(operand, of: name, ["input", "chars"], required: ["input"], code: 50694)
            let input = try operands["input"].map(parser.parse) ?? .constant(nil)
            guard let characters = try operands["chars"].map(parser.parse) else {
                return .call({ try trimmed($0[0], name, whiteSpace, start, end) }, [input])
            }
            return .call(
                { arguments in
                    if arguments[0].isNullish || arguments[1].isNullish { return .null }
                    guard case .string(let characters) = arguments[1] else {
                        throw MongoError(
                            code: 50700, "\(name) takes a string as 'chars', not \(arguments[1].typeName).")
                    }
                    return try trimmed(arguments[0], name, Set(characters.unicodeScalars), start, end)
                }, [input, characters])
        }
    }

    private static func trimmed(
        _ input: BSON?, _ name: String, _ characters: Set<Unicode.Scalar>, _ start: Bool, _ end: Bool
    ) throws -> BSON? {
        if input.isNullish { return .null }
        guard case .string(let text) = input else {
            throw MongoError(code: 50699, "\(name) takes a string as 'input', not \(input.typeName).")
        }
        var rest = text.unicodeScalars[...]
        if start { rest = rest.drop { characters.contains($0) } }
        if end {
            while let last = rest.last, characters.contains(last) { rest.removeLast() }
        }
        return .string(String(rest))
    }

    /// The characters that are trimmed by default, as in MongoDB: NUL, ASCII white space, and the spaces from U+00A0 to
    /// U+200A.
    private static let whiteSpace: Set<Unicode.Scalar> = [
        "\u{0}", " ", "\t", "\n", "\u{B}", "\u{C}", "\r", "\u{A0}", "\u{1680}", "\u{2000}", "\u{2001}", "\u{2002}",
        "\u{2003}", "\u{2004}", "\u{2005}", "\u{2006}", "\u{2007}", "\u{2008}", "\u{2009}", "\u{200A}",
    ]
}
