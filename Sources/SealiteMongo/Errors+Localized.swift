public import FoundationEssentials

extension MongoError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}
