internal import SealiteValues

/// A parsed accumulator, such as `{"$sum": "$a"}`.
struct AccumulatorSpecification: Sendable {
    /// The expression whose value for each row is added to the accumulator.
    let input: ExpressionNode
    /// A function that returns a new, empty accumulator.
    let make: @Sendable (Evaluation) throws -> any Accumulator
    /// A Boolean value that says whether new accumulators don't depend on the first row of their group.
    var isIndependent = false

    /// Creates the accumulator that a specification describes; `field` is the member to compute, for error messages.
    /// The operand of an accumulator of one expression may be an array only if `takesArrays`.
    init(_ specification: BSON, of field: String, takesArrays: Bool = false, _ parser: ExpressionParser) throws {
        guard case .document(let document) = specification else {
            throw MongoError(code: 40234, "The member '\(field)' must be an object with an accumulator.")
        }
        guard document.count == 1, let member = document.members.first else {
            throw MongoError(code: 40238, "The member '\(field)' needs one accumulator, not \(document.count) members.")
        }
        guard let kind = AccumulatorKind.all[member.key] else {
            throw MongoError(code: 15952, "There is no accumulator '\(member.key)'.")
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
