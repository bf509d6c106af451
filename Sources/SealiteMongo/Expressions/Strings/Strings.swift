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
            return .int32(texts[0].elementsEqual(texts[1]) ? 0 : texts[0].lexicographicallyPrecedes(texts[1]) ? -1 : 1)
        },
        .init("$toLower") { .string(lowercased(try Text.coerced($0, "$toLower"))) },
        .init("$toUpper") { .string(mapped(try Text.coerced($0, "$toUpper"), 0x61...0x7A)) },
    ]

    private static func string(_ value: BSON?, _ name: String, _ code: Int) throws -> String {
        try requireString(value, code, "\(name) takes a string")
    }

    private static func lowercased(_ text: String) -> String { mapped(text, 0x41...0x5A) }

    /// Returns the text with the ASCII letters of a range changed to the opposite case: upper to lower, or lower to
    /// upper.
    private static func mapped(_ text: String, _ letters: ClosedRange<UInt8>) -> String {
        text.utf8.map { letters.contains($0) ? $0 ^ 0x20 : $0 }.text
    }

    @Sendable private static func concatenate(_ arguments: OperatorArguments) throws -> BSON? {
        var text = ""
        for argument in arguments {
            if argument.isNullish { return .null }
            text += try string(argument, "$concat", 16702)
            try Text.checkValue(text)
        }
        return .string(text)
    }

    @Sendable private static func split(_ arguments: OperatorArguments) throws -> BSON? {
        if arguments[0].isNullish || arguments[1].isNullish { return .null }
        let text = Array(try string(arguments[0], "$split", 40085).utf8)
        let separator = Array(try string(arguments[1], "$split", 10_503_900).utf8)
        try require(!separator.isEmpty, 40087, "$split takes no empty separator.")
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

extension ExpressionOperator {
    /// The operators that return substrings by indices.
    static let substrings: [ExpressionOperator] = [
        .init("$substr", 3...3) { try bytes($0, "$substr") },
        .init("$substrBytes", 3...3) { try bytes($0, "$substrBytes") },
        .init("$substrCP", 3...3, scalars),
    ]

    /// Returns a numeric argument as an integer: of a double without its fraction, of a decimal the nearest one, or the
    /// least one if a decimal isn't one of 64 bits.
    ///
    /// - Throws: `MongoError` 31109 for a double that 64 bits can't represent.
    private static func place(_ number: BSONNumber, _ name: String) throws -> Int {
        switch number {
        case .int32(let value): return Int(value)
        case .int64(let value): return Int(value)
        case .double(let value):
            return try require(
                Int(exactly: value.rounded(.towardZero)), 31109,
                "\(name) takes numbers of 64 bits as its index and its count.")
        case .decimal(let value): return value.rounded(places: 0).exactInt64.map { Int($0) } ?? .min
        }
    }

    private static func bytes(_ arguments: OperatorArguments, _ name: String) throws -> BSON? {
        let text = Array(try Text.coerced(arguments[0], name).utf8)
        let places = try [1, 2].map { index in
            try requireNumber(arguments[index], 16033 + index, "\(name) takes numbers as its index and its count")
        }
        let (start, count) = (try place(places[0], name), try place(places[1], name))
        try require(start >= 0, 50752, "\(name) takes no negative index.")
        guard start < text.count else { return .string("") }
        let end = count < 0 || count > text.count - start ? text.count : start + count
        let isInside = { (place: Int) in place < text.count && text[place] & 0xC0 == 0x80 }
        try require(!isInside(start), 28656, "The bytes that \(name) takes begin inside of a UTF-8 character.")
        try require(!isInside(end), 28657, "The bytes that \(name) takes end inside of a UTF-8 character.")
        return .string(Array(text[start..<end]).text)
    }

    @Sendable private static func scalars(_ arguments: OperatorArguments) throws -> BSON? {
        let text = Array(try Text.coerced(arguments[0], "$substrCP").unicodeScalars)
        let places = try arguments.dropFirst().enumerated().map { index, argument in
            try requireNumber(argument, 34450 + 2 * index, "$substrCP takes numbers as its index and its count")
            return try require(
                argument.exactInt32, 34451 + 2 * index, "$substrCP takes 32-bit integers as its index and its count.")
        }
        try require(places[1] >= 0, 34454, "$substrCP takes no negative number of characters.")
        try require(places[0] >= 0, 34455, "$substrCP takes no negative index.")
        var result = String.UnicodeScalarView()
        result.append(contentsOf: text.dropFirst(places[0]).prefix(places[1]))
        return .string(String(result))
    }
}

extension ExpressionOperator {
    /// The operators that remove characters from the ends of strings.
    static let trims: [ExpressionOperator] = [
        trim("$trim", start: true, end: true), trim("$ltrim", start: true, end: false),
        trim("$rtrim", start: false, end: true),
    ]

    private static let trimCodes = OperandCodes(shape: 50696, unknown: 50694, absent: 50695)

    private static func trim(_ name: String, start: Bool, end: Bool) -> ExpressionOperator {
        .init(name) { operand, parser in
            let operands = try NamedOperands(operand, of: name, ["input", "chars?"], code: trimCodes)
            let input = try operands.node("input", parser)
            guard let characters = try operands["chars"].map(parser.parse) else {
                return .call({ try trimmed($0[0], name, whiteSpace, start, end) }, [input])
            }
            return .call(
                { arguments in
                    if arguments[0].isNullish { return .null }
                    _ = try requireString(arguments[0], 50699, "\(name) takes a string as 'input'")
                    if arguments[1].isNullish { return .null }
                    let characters = try requireString(arguments[1], 50700, "\(name) takes a string as 'chars'")
                    return try trimmed(arguments[0], name, Set(characters.unicodeScalars), start, end)
                }, [input, characters])
        }
    }

    private static func trimmed(
        _ input: BSON?, _ name: String, _ characters: Set<Unicode.Scalar>, _ start: Bool, _ end: Bool
    ) throws -> BSON? {
        if input.isNullish { return .null }
        let text = try requireString(input, 50699, "\(name) takes a string as 'input'")
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

extension ExpressionOperator {
    /// The operators that search in strings, or replace parts of them.
    static let searches: [ExpressionOperator] = [
        .init("$indexOfBytes", 2...4) { arguments in
            try index(arguments, "$indexOfBytes", 40091, { Array($0.utf8) }) { text, part, start, end in
                start <= end ? text.firstPlace(of: part, from: start, to: end) : nil
            }
        },
        .init("$indexOfCP", 2...4) { arguments in
            try index(arguments, "$indexOfCP", 40093, { Array($0.unicodeScalars) }) { text, part, start, end in
                if text.isEmpty, part.isEmpty, start == 0 { return 0 }
                // The part begins before `end`, and may go on behind it.
                let place = text.firstPlace(of: part, from: start, to: text.count)
                return place.flatMap { $0 < end ? $0 : nil }
            }
        },
        .init("$replaceOne", named: replacementNames, code: replacementCodes) { try replace($0, "$replaceOne", 1) },
        .init("$replaceAll", named: replacementNames, code: replacementCodes) { try replace($0, "$replaceAll", .max) },
    ]

    private static let replacementNames = ["input", "find", "replacement"]
    private static let replacementCodes = OperandCodes(
        shape: 51751, unknown: 51750, absent: 51749, absentByName: ["find": 51748, "replacement": 51747])
    /// The codes of arguments of other types, in the order of the names.
    private static let replacementTypeCodes = [10_503_904, 10_503_901, 10_503_902]

    private static func index<Unit: Equatable>(
        _ arguments: OperatorArguments, _ name: String, _ code: Int, _ units: (String) -> [Unit],
        _ search: (_ text: [Unit], _ part: [Unit], _ start: Int, _ end: Int) -> Int?
    ) throws -> BSON? {
        if arguments[0].isNullish { return .null }
        let text = try requireString(arguments[0], code, "\(name) takes a string as its first argument")
        let part = try requireString(arguments[1], code + 1, "\(name) takes a string as its second argument")
        let all = units(text)
        let (start, end) = try Arrays.bounds(arguments, all.count, name)
        if arguments.count > 2, let given = arguments[2].exactInt32, given > all.count { return .int32(-1) }
        return BSON(search(all, units(part), start, end) ?? -1)
    }

    private static func replace(_ arguments: OperatorArguments, _ name: String, _ limit: Int) throws -> BSON? {
        var texts: [[UInt8]] = []
        for (index, argument) in arguments.enumerated() {
            if case .string(let text) = argument {
                texts.append(Array(text.utf8))
            } else if !argument.isNullish {
                throw MongoError(
                    code: replacementTypeCodes[index],
                    "\(name) takes a string as '\(replacementNames[index])', not \(argument.typeName).")
            }
        }
        guard texts.count == arguments.count else { return .null }
        return .string(try replaced(texts[0], texts[1], texts[2], limit, name).text)
    }

    /// Returns the text with the first occurrences of `found`, at most `limit`, replaced. An empty `found` occurs
    /// before every character and at the end.
    private static func replaced(
        _ text: [UInt8], _ found: [UInt8], _ replacement: [UInt8], _ limit: Int, _ name: String
    ) throws -> [UInt8] {
        var result: [UInt8] = []
        var (copied, start, count) = (0, 0, 0)
        while count < limit, let place = text.firstPlace(of: found, from: start, to: text.count) {
            result += text[copied..<place]
            result += replacement
            (copied, start) = (place + found.count, place + max(found.count, 1))
            while found.isEmpty, start < text.count, text[start] & 0xC0 == 0x80 { start += 1 }
            count += 1
            try Text.checkValue(byteCount: result.count)
        }
        result += text[copied...]
        try Text.checkValue(byteCount: result.count)
        return result
    }
}
