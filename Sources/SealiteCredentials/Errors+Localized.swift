public import FoundationEssentials

extension CredentialError: LocalizedError {
    /// The same as the error's `reason`.
    public var errorDescription: String? { reason }
    /// The same as the error's `hint`.
    public var recoverySuggestion: String? { hint }
}

extension TransportError: LocalizedError {
    /// The same as the error's `reason`.
    public var errorDescription: String? { reason }
}
