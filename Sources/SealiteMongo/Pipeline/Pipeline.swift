public import SealiteValues

/// An aggregation pipeline, parsed once and run over rows.
///
/// Rows are pulled through the stages one by one. `$group`, `$sort`, `$facet` and their kin hold what they need, which is counted and refused above a
/// limit.
public struct Pipeline: Sendable {
    private let stages: [any Stage]
    private let slotCount: Int
    private let variables: [(slot: Int, node: ExpressionNode)]

    /// The pipeline of its stages, with the variables that all of them know.
    ///
    /// - Throws: `MongoError` for an unknown stage or operator, or a specification that no rows could make right.
    public init(parsing stages: [MongoDocument], variables: MongoDocument = [:]) throws {
        try self.init(parsingValues: stages.map { .document($0) }, variables: variables)
    }

    /// The pipeline of an array of stages, each an object with one member.
    public init(parsingValues stages: [BSON], variables: MongoDocument = [:]) throws {
        let slots = SlotCounter()
        let outer = PipelineParser(slots)
        try variables.keys.forEach(ExpressionParser.checkVariable)
        let (parser, added) = outer.binding(variables.keys)
        self.variables = try zip(added, variables).map { ($0, try outer.expressions.parse($1.value)) }
        self.stages = try parser.stages(stages)
        slotCount = slots.count
    }

    /// Returns the rows that the stages make of rows.
    public func rows(
        from input: RowCursor, options: PipelineOptions, store: (any PipelineStore)? = nil
    ) throws -> RowCursor {
        var run = PipelineRun(
            options: options, store: store, memory: MemoryBudget(limit: options.memoryLimit), slotCount: slotCount)
        let evaluation = run.evaluation()
        run.variables = try variables.map { ($0.slot, try $0.node.value(evaluation)) }
        return try stages.open(input, run)
    }
}
