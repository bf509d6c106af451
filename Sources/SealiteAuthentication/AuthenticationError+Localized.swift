public import FoundationEssentials

extension AuthenticationError: LocalizedError {
    /// The same as ``AuthenticationError/reason``.
    public var errorDescription: String? { reason }
    /// The same as ``AuthenticationError/hint``.
    public var recoverySuggestion: String? { hint }
}
