internal import SealiteFunctions
internal import SealiteValues

extension ExpressionOperator {
    /// The operators `$regexMatch`, `$regexFind` and `$regexFindAll`.
    static let regularExpressions: [ExpressionOperator] = [
        regex("$regexMatch", null: .bool(false)) { .bool(try $0.matches(limit: 1).isEmpty == false) },
        regex("$regexFind", null: .null) { try $0.matches(limit: 1).first ?? .null },
        regex("$regexFindAll", null: .array([])) { .array(try $0.matches(limit: .max)) },
    ]

    private static func regex(
        _ name: String, null: BSON, _ result: @escaping @Sendable (RegexSearch) throws -> BSON
    ) -> ExpressionOperator {
        .init(name) { operand, parser in
            let codes = OperandCodes(
                shape: 51103, unknown: 31024, absent: 31022, absentByName: ["regex": 31023])
            let nodes = try NamedOperands(operand, of: name, ["input", "regex", "options?"], code: codes).nodes(parser)
            let form: ExpressionNode.Form = { evaluation in
                let arguments = try nodes.map { try $0.value(evaluation) }
                let regex = try RegexSearch.regex(arguments[1], arguments[2], name)
                let expression = try regex.map { try evaluation.patterns.expression(of: $0, name) }
                guard let text = try RegexSearch.input(arguments[0], name), let expression else { return null }
                return try result(RegexSearch(text: text, expression: expression, name: name))
            }
            // Constant patterns are compiled once, when the expression is parsed, so that an invalid pattern is refused
            // before the first row.
            if nodes.allSatisfy({ $0.constant != nil }) {
                return .constant(try form(Evaluation(Row([:]), slotCount: 0, now: DateTime(milliseconds: 0))))
            }
            if let pattern = nodes[1].constant, let options = nodes[2].constant,
                let regex = try RegexSearch.regex(pattern, options, name)
            {
                _ = try PatternCache().expression(of: regex, name)
            }
            return .form(form)
        }
    }
}

/// A search of a string for the matches of a regular expression.
struct RegexSearch {
    let text: String
    let expression: RegularExpression
    let name: String

    /// Returns the string of the argument `input` of the operator `name`; nil if it is null, undefined or missing.
    static func input(_ value: BSON?, _ name: String) throws -> String? {
        if value.isNullish { return nil }
        return try requireString(value, 51104, "\(name) takes a string as 'input'")
    }

    /// Returns the regular expression of the arguments `regex` and `options` of the operator `name`; nil if `regex` is
    /// null, undefined or missing.
    static func regex(_ pattern: BSON?, _ options: BSON?, _ name: String) throws -> Regex? {
        let given = try options.isNullish ? nil : requireString(options, 51106, "\(name) takes a string as 'options'")
        try require(given?.utf8.contains(0) != true, 51110, "\(name) takes no options with a NUL character.")
        func checkOptions() throws {
            try require(
                given?.allSatisfy({ "imsxu".contains($0) }) ?? true, 51108,
                "\(name) takes only the options i, m, s, x and u.")
        }
        switch pattern {
        case nil, .null, .undefined: return nil
        case .string(let pattern):
            try checkOptions()
            return Regex(pattern, options: given ?? "")
        case .regex(let regex):
            try require(
                given == nil || regex.options.isEmpty, 51107,
                "\(name) takes options in 'regex' or in 'options', not in both.")
            try checkOptions()
            return Regex(regex.pattern, options: given ?? regex.options)
        default:
            throw MongoError(code: 51105, "\(name) takes a string or a regular expression, not \(pattern.typeName).")
        }
    }

    /// Returns at most `limit` matches from the start of the string as documents: `match` is the text, `idx` its index
    /// in code points, and `captures` an array of the texts of the groups, null for a group without a match.
    func matches(limit: Int) throws -> [BSON] {
        var matches: [BSON] = []
        var (counted, characters, byteCount) = (0, 0, 0)
        let bytes = Array(text.utf8)
        let isComplete = try expression.forEachMatch(in: bytes, isCancelled: { WorkMeter.isCancelled }) { expression in
            guard let place = expression.place(0) else { return true }
            characters += bytes[counted..<place.lowerBound].count { $0 & 0xC0 != 0x80 }
            counted = place.lowerBound
            let captures = (1..<max(1, expression.groupCount)).map { group in
                expression.place(group).map { BSON.string(Array(bytes[$0]).text) } ?? .null
            }
            matches.append([
                "match": .string(Array(bytes[place]).text), "idx": BSON(characters), "captures": .array(captures),
            ])
            byteCount += place.count * (1 + captures.count) + 64 * (1 + captures.count)
            try Text.check(byteCount: byteCount, name)
            return matches.count < limit
        }
        guard isComplete else {
            try WorkMeter.look()
            throw MongoError(
                code: 51156, "The regular expression of \(name) takes more steps or memory for its input than allowed.")
        }
        return matches
    }
}
