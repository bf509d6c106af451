public import FoundationEssentials

extension ReplicatorError: LocalizedError {
    /// The reason.
    public var errorDescription: String? { reason }
}
