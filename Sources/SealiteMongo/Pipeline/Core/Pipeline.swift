public import SealiteValues

/// An aggregation pipeline, parsed once and run over rows.
///
/// Rows are pulled through the stages one by one. Stages such as `$group`, `$sort` and `$facet` hold rows or groups in
/// memory; the memory is estimated, and an error is thrown above a limit.
public struct Pipeline: Sendable {
    private let stages: [any Stage]
    private let slotCount: Int
    private let variables: [(slot: Int, node: ExpressionNode)]

    /// Creates a pipeline of stages, with variables that are in scope in all of them.
    ///
    /// - Throws: `MongoError` for an unknown stage or operator, or a specification that is invalid for every input.
    public init(parsing stages: [MongoDocument], variables: MongoDocument = [:]) throws {
        try self.init(parsingValues: stages.map { .document($0) }, variables: variables)
    }

    /// Creates a pipeline of an array of stages, each an object with one member.
    public init(parsingValues stages: [BSON], variables: MongoDocument = [:]) throws {
        try self.init(parsingValues: stages, variables: variables, metadata: [])
    }

    /// Creates a pipeline of an array of stages; `isOfDatabase` says whether it has no collection, and `metadata` are the
    /// fields of metadata that the rows have.
    init(
        parsingValues stages: [BSON], variables: MongoDocument, isOfDatabase: Bool = false,
        metadata: Set<MetadataField> = []
    ) throws {
        let slots = SlotCounter()
        var parser = PipelineParser(slots)
        parser.isOfDatabase = isOfDatabase
        parser.expressions.metadata = metadata
        // A variable may use the variables before it.
        self.variables = try variables.map { member in
            try ExpressionParser.checkVariable(member.key)
            let node = try parser.expressions.parse(member.value)
            let (inner, added) = parser.binding([member.key])
            parser = inner
            return (added[0], node)
        }
        self.stages = try parser.stages(stages)
        slotCount = slots.count
    }

    /// Runs the pipeline and returns the rows that its stages produce.
    ///
    /// - Parameters:
    ///   - input: the rows of the first stage.
    ///   - options: the time and the limits.
    ///   - store: gives access to the collections that `$lookup` and similar stages read, and that `$out` and `$merge`
    ///     write; nil to refuse these stages when their rows are asked for.
    ///   - subject: the row with which the variables are evaluated, which must give each a value; nil for none.
    /// - Returns: the rows, which are computed on demand.
    /// - Throws: `MongoError` if a variable or the operand of `$documents` can't be evaluated, or a variable has no value
    ///   for `subject`.
    public func rows(
        from input: RowCursor, options: PipelineOptions, store: (any PipelineStore)? = nil,
        variablesOf subject: Row? = nil
    ) throws -> RowCursor {
        var run = PipelineRun(
            options: options, store: store, memory: MemoryBudget(limit: options.memoryLimit), slotCount: slotCount)
        let evaluation = run.evaluation()
        if let subject { evaluation.row = subject }
        for (slot, node) in variables {
            let value = try node.value(evaluation)
            try require(
                value != nil || subject == nil, 17276, "A variable of 'let' has no value for a document.")
            evaluation.slots[slot] = value
            run.variables.append((slot, value))
        }
        return try stages.open(input, run)
    }
}
