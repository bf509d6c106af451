public import FoundationEssentials

extension MongoError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}

extension BulkWriteError: LocalizedError {
    /// The reasons of the writes that failed.
    public var errorDescription: String? { description }
}
