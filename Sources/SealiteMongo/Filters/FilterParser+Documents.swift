internal import SealiteValues

// Operators on whole documents.
extension FilterParser {
    /// A function that parses the operand of an operator on whole documents and returns its condition; nil if there is
    /// nothing to test, as for `$comment`.
    typealias DocumentReader = @Sendable (FilterParser, BSON, Level) throws -> FilterTree?

    /// The functions that parse the operators on whole documents, such as `$and`, by the operators' names.
    static let documentOperators: [String: DocumentReader] = [
        "$and": { parser, operand, level in .every(try parser.alternatives("$and", operand, level)) },
        "$or": { parser, operand, level in
            let trees = try parser.alternatives("$or", operand, level)
            return trees.count == 1 ? trees[0] : .any(trees)
        },
        "$nor": { parser, operand, level in .not(.any(try parser.alternatives("$nor", operand, level))) },
        "$expr": { parser, operand, level in try parser.expression(operand, level) },
        "$jsonSchema": { parser, operand, _ in try parser.schema(operand) },
        "$comment": { _, _, _ in nil },
        "$alwaysTrue": { _, operand, _ in .constant(try constant("$alwaysTrue", operand, true)) },
        "$alwaysFalse": { _, operand, _ in .constant(try constant("$alwaysFalse", operand, false)) },
        "$where": { _, _, _ in throw MongoError.badValue("A filter can't have $where: JavaScript isn't run.") },
        "$text": { _, _, _ in
            throw MongoError.badValue("A filter can't have $text; a query in SQL++ can use a full-text index.")
        },
    ]

    private func alternatives(_ name: String, _ operand: BSON, _ level: Level) throws -> [FilterTree] {
        guard case .array(let items) = operand, !items.isEmpty else {
            throw MongoError.badValue("\(name) takes an array of at least one filter.")
        }
        return try items.map { item in
            guard case .document(let document) = item else {
                throw MongoError.badValue("$and, $or and $nor take an array of objects.")
            }
            return try self.document(document, at: level)
        }
    }

    private static func constant(_ name: String, _ operand: BSON, _ value: Bool) throws -> Bool {
        guard operand.exactInt64 == 1 else { throw MongoError.failedToParse("\(name) takes the integer 1.") }
        return value
    }

    private func expression(_ operand: BSON, _ level: Level) throws -> FilterTree {
        guard level == .top else {
            throw MongoError.badValue("$expr belongs to the filter of a document, not of an item of an array.")
        }
        needsID = true
        return .document(try DocumentConditions.expression(operand, context))
    }

    private func schema(_ operand: BSON) throws -> FilterTree {
        needsID = true
        return .document(try DocumentConditions.schema(operand))
    }
}
