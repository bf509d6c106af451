internal import SealiteValues

/// Access to other collections than the pipeline's own, for stages that read or write them.
public protocol PipelineStore {
    /// Returns the rows of a collection; empty if it doesn't exist.
    func rows(of collection: String) throws -> RowCursor

    /// Replaces all documents of a collection by rows (`$out`); a collection that doesn't exist is created.
    func replace(_ collection: String, with rows: RowCursor) throws

    /// Merges rows into a collection as a specification says (`$merge`); a collection that doesn't exist is created.
    func merge(_ rows: RowCursor, into specification: MergeSpecification) throws
}
