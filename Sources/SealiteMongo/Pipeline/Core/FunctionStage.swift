internal import SealiteValues

/// A stage of a pipeline that is implemented by a function from the input rows to the output rows.
struct FunctionStage: Stage {
    let function: @Sendable (RowCursor, PipelineRun) throws -> RowCursor

    init(_ function: @escaping @Sendable (RowCursor, PipelineRun) throws -> RowCursor) { self.function = function }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor { try function(input, run) }
}
