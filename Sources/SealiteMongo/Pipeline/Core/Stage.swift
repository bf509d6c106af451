internal import SealiteValues

/// A parsed stage of a pipeline.
protocol Stage: Sendable {
    /// Returns the rows that the stage produces from its input in a run of the pipeline.
    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor
}
