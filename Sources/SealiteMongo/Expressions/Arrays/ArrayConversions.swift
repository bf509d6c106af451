internal import SealiteValues

extension ExpressionOperator {
    /// The operators `$objectToArray` and `$arrayToObject`, which convert objects to arrays of names and values, and
    /// back.
    static let arrayConversions: [ExpressionOperator] = [
        .init("$objectToArray") { argument in
            if argument.isNullish { return .null }
            guard case .document(let document) = argument else {
                throw MongoError(code: 40390, "$objectToArray takes an object, not \(argument.typeName).")
            }
            return .array(document.map { .document(["k": .string($0.key), "v": $0.value]) })
        },
        .init("$arrayToObject", 1...1) { arguments in
            guard let items = try Arrays.items(arguments[0], "$arrayToObject", 40386) else { return .null }
            return .document(try object(items, arguments.work))
        },
    ]

    private static func object(_ items: [BSON], _ work: WorkMeter) throws -> MongoDocument {
        var places: [[UInt8]: Int] = [:]
        var members: [MongoDocument.Member] = []
        var isPairs: Bool?
        for item in items {
            try work.charge(2)
            let (key, value) = try member(item, &isPairs)
            guard !key.utf8.contains(0) else {
                throw MongoError(code: 4940401, "$arrayToObject takes no name with a NUL character.")
            }
            if let place = places[Array(key.utf8)] {
                members[place].value = value
            } else {
                places[Array(key.utf8)] = members.count
                members.append(.init(key, value))
            }
        }
        return MongoDocument(members)
    }

    /// Returns the name and the value that an item gives: a pair `[name, value]` or an object with `k` and `v`. All
    /// items must have the same form; `isPairs`, nil before the first item, says which one it is.
    private static func member(_ item: BSON, _ isPairs: inout Bool?) throws -> (String, BSON) {
        switch item {
        case .array(let pair) where isPairs != false:
            isPairs = true
            guard pair.count == 2 else {
                throw MongoError(code: 40397, "$arrayToObject takes arrays of two items, not of \(pair.count).")
            }
            return (try name(pair[0], 40395), pair[1])
        case .document(let document) where isPairs != true:
            isPairs = false
            guard document.count == 2 else {
                throw MongoError(code: 40392, "$arrayToObject takes objects with two members, 'k' and 'v'.")
            }
            guard let key = document["k"], let value = document["v"] else {
                throw MongoError(code: 40393, "$arrayToObject takes objects with the members 'k' and 'v'.")
            }
            return (try name(key, 40394), value)
        default:
            throw MongoError(
                code: isPairs == nil ? 40398 : 40391,
                "$arrayToObject takes items that are all arrays or all objects; one of them is of the type \(item.type.alias)."
            )
        }
    }

    private static func name(_ value: BSON, _ code: Int) throws -> String {
        guard case .string(let text) = value else {
            throw MongoError(code: code, "$arrayToObject takes strings as names, not \(value.type.alias).")
        }
        return text
    }
}
