import SealiteCredentials
import SealiteCrypto

extension ExitStatus {
    /// Creates the exit status for an error of a credential store.
    init(_ code: CredentialError.Code) {
        switch code {
        case .notFound, .noVault: self = .noInput
        case .locked, .promptDismissed, .noSessionBus, .noProvider, .noCollection, .unencryptedSession, .providerFailed:
            self = .unavailable
        case .timedOut: self = .tryAgain
        case .cancelled: self = .failed
        case .duplicate, .damaged: self = .damaged
        case .ambiguous, .tooLarge, .invalidArgument: self = .usage
        case .exists: self = .exists
        case .unsupportedVersion: self = .notSealed
        case .wrongPassphrase: self = .wrongKey
        case .permission: self = .permission
        case .diskFull: self = .inputOutput
        }
    }

    /// Creates the exit status for an error of a client identity, a certificate with its private key.
    init(_ code: IdentityError.Code) {
        switch code {
        case .wrongPassphrase: self = .wrongKey
        case .failed: self = .internalError
        default: self = .damaged
        }
    }
}

extension ToolError {
    init(_ error: CredentialError) {
        self.init(ExitStatus(error.code), code: error.code.rawValue, error.reason, hint: error.hint)
    }

    init(_ error: IdentityError) {
        self.init(ExitStatus(error.code), code: error.code.rawValue, error.reason, hint: error.hint)
    }
}
