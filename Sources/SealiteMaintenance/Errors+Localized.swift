public import FoundationEssentials
public import SealiteCrypto
public import SealiteFile

// The modules of these errors do without Foundation, which would make the loadable extension much larger.

extension SealedFileError: LocalizedError {
    /// The same as the error's `reason`.
    public var errorDescription: String? { reason }
    /// The same as the error's `hint`.
    public var recoverySuggestion: String? { hint }
}

extension CryptoError: LocalizedError {
    /// The same as the error's `reason`.
    public var errorDescription: String? { reason }
}

extension IdentityError: LocalizedError {
    /// The same as the error's `reason`.
    public var errorDescription: String? { reason }
    /// The same as the error's `hint`.
    public var recoverySuggestion: String? { hint }
}
