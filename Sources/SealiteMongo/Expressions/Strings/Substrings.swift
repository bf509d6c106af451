internal import SealiteValues

extension ExpressionOperator {
    /// The operators that return substrings by indices.
    static let substrings: [ExpressionOperator] = [
        .init("$substr", 3...3) { try bytes($0, "$substr") },
        .init("$substrBytes", 3...3) { try bytes($0, "$substrBytes") },
        .init("$substrCP", 3...3, scalars),
    ]

    /// Returns a numeric argument as an integer without its fraction, clamped to 64 bits; throws `MongoError` with
    /// `code` if it isn't a number.
    private static func place(_ value: BSON?, _ name: String, _ code: Int) throws -> Int {
        guard let number = Number(value) else {
            throw MongoError(code: code, "\(name) takes numbers as its index and its count, not \(value.typeName).")
        }
        if let integer = number.integer { return Int(integer) }
        // NaN becomes the least integer; a number out of range becomes the least or the greatest one.
        return Int(exactly: number.double.rounded(.towardZero)) ?? (number.double > 0 ? .max : .min)
    }

    private static func bytes(_ arguments: Arguments, _ name: String) throws -> BSON? {
        let text = Array(try Text.coerced(arguments[0], name).utf8)
        let start = try place(arguments[1], name, 16034)
        let count = try place(arguments[2], name, 16035)
        guard start >= 0 else { throw MongoError(code: 50752, "\(name) takes no negative index.") }
        guard start < text.count else { return .string("") }
        let end = count < 0 || count > text.count - start ? text.count : start + count
        let isInside = { (place: Int) in place < text.count && text[place] & 0xC0 == 0x80 }
        guard !isInside(start) else {
            throw MongoError(code: 28656, "The bytes that \(name) takes begin inside of a UTF-8 character.")
        }
        guard !isInside(end) else {
            throw MongoError(code: 28657, "The bytes that \(name) takes end inside of a UTF-8 character.")
        }
        return .string(Array(text[start..<end]).text)
    }

    @Sendable private static func scalars(_ arguments: Arguments) throws -> BSON? {
        let text = Array(try Text.coerced(arguments[0], "$substrCP").unicodeScalars)
        let places = try arguments.dropFirst().enumerated().map { index, argument in
            guard Number(argument) != nil else {
                throw MongoError(
                    code: 34450 + 2 * index,
                    "$substrCP takes numbers as its index and its count, not \(argument.typeName).")
            }
            guard let place = argument.exactInt32 else {
                throw MongoError(
                    code: 34451 + 2 * index, "$substrCP takes 32-bit integers as its index and its count.")
            }
            return place
        }
        guard places[0] >= 0 else { throw MongoError(code: 34455, "$substrCP takes no negative index.") }
        guard places[1] >= 0 else { throw MongoError(code: 34454, "$substrCP takes no negative number of characters.") }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: text.dropFirst(places[0]).prefix(places[1]))
        return .string(String(result))
    }
}
