package import SealiteCrypto

extension SealedFileError {
    /// Creates the error for a failure of the cryptographic module. A refused cost is taken for that of a new
    /// passphrase: `UnlockBudget` checks the costs of existing slots before they are tried.
    package init(crypto error: CryptoError) {
        switch error.code {
        case .authenticationFailed:
            self = .tamperedHeader("an encrypted key in it failed authentication")
        case .costRefused:
            self = SealedFileError(.costRefused, error.reason, hint: "choose a cost within the limits")
        default:
            self = SealedFileError(.internalFailure, error.reason)
        }
    }

    /// Runs a cryptographic operation, and converts the error that it throws to a `SealedFileError`.
    package static func mappingCrypto<R: ~Copyable>(_ body: () throws(CryptoError) -> R) throws(SealedFileError) -> R {
        do throws(CryptoError) {
            return try body()
        } catch {
            throw SealedFileError(crypto: error)
        }
    }
}
