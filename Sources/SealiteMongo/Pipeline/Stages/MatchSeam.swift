internal import SealiteValues

/// A stand-in for filters: equality, ranges, `$and`, `$or`, `$exists` and `$expr`, until `Filter` is there.
enum MatchSeam {
    typealias Matcher = @Sendable (Evaluation) throws -> Bool

    static func matcher(_ filter: MongoDocument, _ parser: ExpressionParser) throws -> Matcher {
        let parts = try filter.map { try part($0.key, $0.value, parser) }
        return { evaluation in try parts.allSatisfy { try $0(evaluation) } }
    }

    private static func part(_ key: String, _ value: BSON, _ parser: ExpressionParser) throws -> Matcher {
        switch (key, value) {
        case ("$expr", _):
            let node = try parser.parse(value)
            return { try node.value($0).isTrue }
        case ("$and", .array(let items)):
            let parts = try items.map { try matcher(document($0), parser) }
            return { evaluation in try parts.allSatisfy { try $0(evaluation) } }
        case ("$or", .array(let items)):
            let parts = try items.map { try matcher(document($0), parser) }
            return { evaluation in try parts.contains { try $0(evaluation) } }
        case (_, .document(let operators)) where operators.members.first?.key.hasPrefix("$") == true:
            let parts = try operators.map { try condition(key, $0.key, $0.value) }
            return { evaluation in try parts.allSatisfy { try $0(evaluation) } }
        default: return try condition(key, "$eq", value)
        }
    }

    private static func document(_ value: BSON) throws -> MongoDocument {
        guard case .document(let document) = value else { throw MongoError.badValue("not an object") }
        return document
    }

    private static func condition(_ path: String, _ name: String, _ operand: BSON) throws -> Matcher {
        let names = try FieldPath(path).names
        let tests: [String: @Sendable (Int) -> Bool] = [
            "$eq": { $0 == 0 }, "$gt": { $0 > 0 }, "$gte": { $0 >= 0 }, "$lt": { $0 < 0 }, "$lte": { $0 <= 0 },
        ]
        if name == "$ne" {
            let equal = try condition(path, "$eq", operand)
            return { try !equal($0) }
        }
        if name == "$exists" { return { ($0.row.member(at: names) != nil) == Optional(operand).isTrue } }
        guard let test = tests[name] else { throw MongoError.badValue("unknown operator: \(name)") }
        return { evaluation in
            evaluation.row.leaves(at: names).contains { leaf in
                let value = leaf ?? .null
                return value.type.rank == operand.type.rank && test(value.compared(to: operand))
            } || evaluation.row.member(at: names).map { $0.type.rank == operand.type.rank && test($0.compared(to: operand)) } ?? false
        }
    }
}
