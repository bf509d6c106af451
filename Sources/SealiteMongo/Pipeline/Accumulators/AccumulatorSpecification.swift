internal import SealiteValues

/// A parsed accumulator, such as `{"$sum": "$a"}`.
struct AccumulatorSpecification: Sendable {
    /// The expression that is evaluated for each row.
    let input: ExpressionNode
    /// Creates an empty accumulator.
    let make: @Sendable (Evaluation) throws -> any Accumulator
    /// A Boolean value that says whether new accumulators don't depend on the first row of their group.
    var isIndependent = false

    /// Creates the accumulator of a specification. In a group, the operand of a unary accumulator can't be an array;
    /// elsewhere an array of one expression is allowed.
    init(_ specification: BSON, of field: String, takesArrays: Bool = false, _ parser: ExpressionParser) throws {
        guard case .document(let document) = specification else {
            throw MongoError(code: 40234, "The member '\(field)' is an object with an accumulator.")
        }
        guard document.count == 1, let member = document.members.first else {
            throw MongoError(code: 40238, "The member '\(field)' has one accumulator, not \(document.count) members.")
        }
        guard let kind = AccumulatorKind.all[member.key] else {
            throw MongoError(code: 15952, "unknown group operator '\(member.key)'")
        }
        if !takesArrays, kind.isUnary, case .array(let items) = member.value {
            throw MongoError(
                code: 40237, "The accumulator \(kind.name) takes one argument, not an array of \(items.count).")
        }
        self = try kind.make(member.value, parser)
    }

    init(_ input: ExpressionNode, _ make: @escaping @Sendable (Evaluation) throws -> any Accumulator) {
        (self.input, self.make) = (input, make)
    }
}
