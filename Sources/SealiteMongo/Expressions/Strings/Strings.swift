internal import SealiteValues

extension ExpressionOperator {
    /// The operators on whole strings, such as `$concat` and `$toLower`.
    static let strings: [ExpressionOperator] = [
        .init("$concat", 0..., concatenate),
        .init("$split", 2...2, split),
        .init("$strLenBytes") { BSON(try string($0, "$strLenBytes", 34473).utf8.count) },
        .init("$strLenCP") { BSON(try string($0, "$strLenCP", 34471).unicodeScalars.count) },
        .init("$strcasecmp", 2...2) { arguments in
            let texts = try arguments.map { lowercased(try Text.coerced($0, "$strcasecmp")).utf8 }
            return .int32(
                texts[0].elementsEqual(texts[1]) ? 0 : texts[0].lexicographicallyPrecedes(texts[1]) ? -1 : 1)
        },
        .init("$toLower") { .string(lowercased(try Text.coerced($0, "$toLower"))) },
        .init("$toUpper") { .string(mapped(try Text.coerced($0, "$toUpper"), 0x61...0x7A)) },
    ]

    private static func string(_ value: BSON?, _ name: String, _ code: Int) throws -> String {
        guard case .string(let text) = value else {
            throw MongoError(code: code, "\(name) takes a string, not \(value.typeName).")
        }
        return text
    }

    private static func lowercased(_ text: String) -> String { mapped(text, 0x41...0x5A) }

    /// Returns the text with the ASCII letters of a range changed to the opposite case: upper to lower, or lower to
    /// upper.
    private static func mapped(_ text: String, _ letters: ClosedRange<UInt8>) -> String {
        text.utf8.map { letters.contains($0) ? $0 ^ 0x20 : $0 }.text
    }

    @Sendable private static func concatenate(_ arguments: Arguments) throws -> BSON? {
        var text = ""
        for argument in arguments {
            if argument.isNullish { return .null }
            text += try string(argument, "$concat", 16702)
            try Text.check(byteCount: text.utf8.count, "$concat")
        }
        return .string(text)
    }

    @Sendable private static func split(_ arguments: Arguments) throws -> BSON? {
        if arguments[0].isNullish || arguments[1].isNullish { return .null }
        let text = Array(try string(arguments[0], "$split", 40085).utf8)
        let separator = Array(try string(arguments[1], "$split", 40086).utf8)
        guard !separator.isEmpty else { throw MongoError(code: 40087, "$split takes no empty separator.") }
        var parts: [BSON] = []
        var start = 0
        while let place = text.firstPlace(of: separator, from: start, to: text.count) {
            parts.append(.string(Array(text[start..<place]).text))
            start = place + separator.count
            try Arrays.check(count: parts.count, "$split")
        }
        parts.append(.string(Array(text[start...]).text))
        return .array(parts)
    }
}
