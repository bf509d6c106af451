public import FoundationEssentials

extension CredentialError: LocalizedError {
    /// The reason.
    public var errorDescription: String? { reason }
    /// The hint.
    public var recoverySuggestion: String? { hint }
}

extension TransportError: LocalizedError {
    /// The reason.
    public var errorDescription: String? { reason }
}
