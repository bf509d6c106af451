internal import SealiteValues

/// The stage `$lookup`, which adds to each row an array of rows of another collection: those with an equal value, or
/// those that a pipeline produces from these or from all rows.
struct LookupStage: Stage {
    private let collection: String?
    private let name: [String]
    private let localPath: FilterPath?
    private let foreignPath: FilterPath?
    private let variables: [(slot: Int, node: ExpressionNode)]
    private let stages: [any Stage]
    /// A Boolean value that says whether the pipeline doesn't depend on the row, so that its result is the same for all
    /// rows.
    private let isIndependent: Bool

    init(_ specification: BSON, _ parser: PipelineParser) throws {
        let members = try StageMembers(
            specification, of: "$lookup", ["from", "localField", "foreignField", "as", "let", "pipeline"],
            required: ["as"])
        guard let text = try members.string("as") else {
            throw MongoError(code: 40414, "$lookup needs the member 'as'.")
        }
        name = try FieldPath(text).names
        localPath = try members.string("localField").map { try FilterPath(try FieldPath($0).text) }
        foreignPath = try members.string("foreignField").map { try FilterPath(try FieldPath($0).text) }
        guard (localPath == nil) == (foreignPath == nil), localPath != nil || members["pipeline"] != nil else {
            throw MongoError(
                code: 9, "$lookup needs both 'localField' and 'foreignField', or a 'pipeline' and neither of them.")
        }
        let given = try members.document("let") ?? [:]
        guard given.isEmpty || members["pipeline"] != nil else {
            throw MongoError(code: 9, "$lookup takes 'let' only with a 'pipeline'.")
        }
        try given.keys.forEach(ExpressionParser.checkVariable)
        let (inner, slots) = parser.binding(given.keys)
        variables = try zip(slots, given).map { ($0, try parser.expressions.parse($1.value)) }
        stages = try members["pipeline"].map { try inner.nested($0, of: "$lookup") } ?? []
        collection = try members.string("from")
        guard collection != nil || stages.first is DocumentsStage else {
            throw MongoError(code: 9, "$lookup needs 'from', or a 'pipeline' that begins with $documents.")
        }
        isIndependent = localPath == nil && given.isEmpty && !parser.isNested
    }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        let evaluation = run.evaluation()
        var foreign: ForeignRows?
        var known: FoundDocuments?
        return input.map { row in
            let rows = try foreign ?? ForeignRows(collection, by: foreignPath, run, for: "$lookup")
            foreign = rows
            evaluation.row = row
            let found = try known ?? documents(row, rows, evaluation, run)
            if isIndependent { known = found }
            return try found.added(to: row, at: name)
        }
    }

    /// Returns the documents of the other collection that are found for a row. Afterwards only documents that are kept
    /// for all rows count in the memory budget.
    private func documents(
        _ row: Row, _ foreign: ForeignRows, _ evaluation: Evaluation, _ run: PipelineRun
    ) throws -> FoundDocuments {
        let rows = localPath.map { foreign.rows(matching: row.localValues(at: $0)) } ?? foreign.rows
        var inner = run
        for (slot, node) in variables { inner.variables.append((slot, try node.value(evaluation))) }
        let found = try run.memory.releasing {
            var output = try stages.open(run.cursor(rows), inner)
            return try FoundDocuments(output.documents(run, "$lookup"))
        }
        if isIndependent { try run.memory.take(found.array.memoryByteCount, for: "$lookup") }
        return found
    }
}
