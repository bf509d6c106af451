package import SealiteCrypto

extension SealedFileError {
    /// Returns the error of this target for a failure of the crypto floor.
    package init(crypto error: CryptoError) {
        switch error.code {
        case .authenticationFailed:
            self = .tamperedHeader("a key slot's check value fits and its wrapped key doesn't")
        case .costRefused:
            self = SealedFileError(
                .costRefused, error.reason, hint: "raise --max-kdf-memory only if you created this file")
        default:
            self = SealedFileError(.internalFailure, error.reason)
        }
    }

    /// Runs crypto and turns its failure into an error of this target.
    package static func mappingCrypto<R: ~Copyable>(_ body: () throws(CryptoError) -> R) throws(SealedFileError) -> R {
        do throws(CryptoError) {
            return try body()
        } catch {
            throw SealedFileError(crypto: error)
        }
    }
}
