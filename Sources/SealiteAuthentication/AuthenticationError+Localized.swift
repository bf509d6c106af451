public import FoundationEssentials

extension AuthenticationError: LocalizedError {
    /// The reason.
    public var errorDescription: String? { reason }
    /// The hint.
    public var recoverySuggestion: String? { hint }
}
