internal import SealiteValues

/// The conditions of filters on whole documents.
enum DocumentConditions {
    /// The condition of `$expr`: the expression's value counts as true.
    static func expression(_ operand: BSON, _ context: FilterContext) throws -> DocumentCondition {
        let expression = try AggregationExpression(parsing: operand)
        let now = context.now
        return { try expression.value(of: $0, now: now).isTrue }
    }

    /// The condition of `$jsonSchema`: the document fulfils the schema.
    static func schema(_ operand: BSON) throws -> DocumentCondition {
        throw MongoError.badValue("$jsonSchema isn't there yet")
    }
}
