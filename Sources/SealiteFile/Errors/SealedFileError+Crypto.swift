package import SealiteCrypto

extension SealedFileError {
    /// Creates the error for a failure of the cryptographic module.
    package init(crypto error: CryptoError) {
        switch error.code {
        case .authenticationFailed:
            self = .tamperedHeader("an encrypted key in it failed authentication")
        case .costRefused:
            self = SealedFileError(
                .costRefused, error.reason, hint: Remedy.raiseKeyMemory.hint)
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
