public import FoundationEssentials

extension BulkWriteError: LocalizedError {
    /// The reasons of the writes that failed.
    public var errorDescription: String? { description }
}
