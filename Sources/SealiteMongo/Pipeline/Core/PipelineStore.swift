internal import SealiteValues

/// Access to other collections than the pipeline's own, for stages that read or write them.
public protocol PipelineStore {
    /// Returns the rows of a collection; empty if it doesn't exist.
    func rows(of collection: String) throws -> RowCursor

    /// Replaces all documents of a collection (`$out`).
    func replace(_ collection: String, with rows: RowCursor) throws

    /// Merges documents into a collection by a specification (`$merge`).
    func merge(_ rows: RowCursor, into specification: MergeSpecification) throws
}
