internal import SealiteValues

extension ExpressionOperator {
    /// The operators that search in strings, or replace parts of them.
    static let searches: [ExpressionOperator] = [
        .init("$indexOfBytes", 2...4) { try index($0, "$indexOfBytes", 40091) { Array($0.utf8) } },
        .init("$indexOfCP", 2...4) { try index($0, "$indexOfCP", 40093) { Array($0.unicodeScalars) } },
        .init("$replaceOne", named: replacementNames, required: Set(replacementNames), code: 51749) {
            try replace($0, "$replaceOne", 1)
        },
        .init("$replaceAll", named: replacementNames, required: Set(replacementNames), code: 51749) {
            try replace($0, "$replaceAll", .max)
        },
    ]

    private static let replacementNames = ["input", "find", "replacement"]

    private static func index<Unit: Equatable>(
        _ arguments: Arguments, _ name: String, _ code: Int, _ units: (String) -> [Unit]
    ) throws -> BSON? {
        if arguments[0].isNullish { return .null }
        guard case .string(let text) = arguments[0] else {
            throw MongoError(code: code, "\(name) takes a string as its first argument, not \(arguments[0].typeName).")
        }
        guard case .string(let part) = arguments[1] else {
            throw MongoError(
                code: code + 1, "\(name) takes a string as its second argument, not \(arguments[1].typeName).")
        }
        let all = units(text)
        let (start, end) = try Arrays.bounds(arguments, all.count, name)
        if arguments.count > 2, let given = arguments[2].exactInt32, given > all.count { return .int32(-1) }
        return BSON(start <= end ? all.firstPlace(of: units(part), from: start, to: end) ?? -1 : -1)
    }

    private static func replace(_ arguments: Arguments, _ name: String, _ limit: Int) throws -> BSON? {
        var texts: [[UInt8]] = []
        for (index, argument) in arguments.enumerated() {
            if case .string(let text) = argument {
                texts.append(Array(text.utf8))
            } else if !argument.isNullish {
                throw MongoError(
                    code: 51746 - index,
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
            try Text.check(byteCount: result.count, name)
        }
        result += text[copied...]
        try Text.check(byteCount: result.count, name)
        return result
    }
}
