import SealiteReplicator

extension ToolError {
    /// Creates an error for an error of a replicator or listener.
    init(_ error: ReplicatorError) {
        if let authentication = error.authentication {
            self.init(authentication)
            return
        }
        let (status, code): (ExitStatus, String) =
            switch error.code {
            case .http(401): (.wrongKey, "credentials-rejected")
            case .http(403): (.failed, "forbidden")
            case .connection(let code): Self.meaning(of: code)
            case .http: (.unavailable, "refused")
            case .remote: (.failed, "remote-failed")
            case .protocolViolation: (.protocolFailed, "remote-failed")
            case .credentialsUnavailable: (.unavailable, "credentials-unavailable")
            case .collectionNotFound: (.noInput, "no-such-collection")
            case .storage: (.inputOutput, "storage")
            case .alreadyRunning: (.tryAgain, "already-running")
            case .incompatibleVersioning: (.failed, "incompatible-versioning")
            case .invalidConfiguration: (.usage, "usage")
            case .corruptAttachment, .conflict, .resolverFailed: (.failed, "documents-failed")
            }
        self.init(status, code: code, error.reason, hint: Self.hint(error.code))
    }

    private static func meaning(of code: TransportError.Code) -> (ExitStatus, String) {
        switch code {
        case .clientCertificateRequired: (.wrongKey, "client-certificate-required")
        case .clientCertificateRejected: (.wrongKey, "credentials-rejected")
        case .unencryptedCredential, .invalidURL, .invalidHeader: (.usage, "usage")
        case .unknownIssuer, .pinMismatch, .notSelfSigned, .wrongHost, .certificateExpired, .certificateNotYetValid,
            .certificateUntrusted:
            (.protocolFailed, "server-not-trusted")
        case .unknownHost: (.noHost, "connection")
        default: (.unavailable, "connection")
        }
    }

    private static func hint(_ code: ReplicatorError.Code) -> String? {
        switch code {
        case .http(401): "store the right credential with 'sealite credential set'"
        case .connection(.unknownIssuer), .connection(.notSelfSigned):
            "name the server's public key with --pin, or its issuer with --ca"
        case .connection(.pinMismatch):
            "compare the pin with the one that the server's operator or 'sealite serve' names;"
                + " a server with a new key has a new pin"
        case .connection(.wrongHost):
            "connect to a name that is in the certificate, or name the server's public key with --pin"
        case .connection(.clientCertificateRequired): "store one with 'sealite credential set URL --identity FILE'"
        case .remote("LiteCore", 19):
            "leave out --channel: a 'sealite serve' or another listener serves whole collections, not channels"
        case .incompatibleVersioning:
            "upgrade the database that has revision trees with 'sealite upgrade DATABASE --versioning vectors'"
        default: nil
        }
    }
}
