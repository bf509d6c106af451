public import FoundationEssentials

extension MongoError: LocalizedError {
    /// The same as ``MongoError/message``.
    public var errorDescription: String? { message }
}
