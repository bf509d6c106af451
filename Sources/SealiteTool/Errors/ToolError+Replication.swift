import SealiteDatabase
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
            case .incompatibleVersioning: (.failed, Self.incompatibleVersioning)
            case .invalidConfiguration: (.usage, "usage")
            case .corruptAttachment, .conflict, .resolverFailed, .aheadOfClock: (.failed, "documents-failed")
            }
        self.init(status, code: code, error.reason, hint: Self.hint(error.code))
    }

    /// Returns the error; if the remote doesn't sync with version vectors, which this side's database has, with a hint
    /// that says which remotes to upgrade, and how to sync with one that can't be.
    func explained(_ own: DocumentVersioning) -> ToolError {
        guard own == .vectors, code == Self.incompatibleVersioning else { return self }
        var explained = self
        explained.hint =
            "upgrade the remote: a Sync Gateway or an app with Couchbase Lite to version 4, a database with 'sealite upgrade"
            + " DATABASE --versioning vectors'; to sync with one that can't be upgraded, move the documents into a database"
            + " made with 'sealite create --versioning trees', with 'sealite export --all' and 'sealite import'"
        return explained
    }

    /// A Boolean value that says whether the server refused this side's certificate, or requires one.
    var isOfClientCertificate: Bool { [Self.certificateRequired, Self.certificateRejected].contains(code) }

    private static let (certificateRequired, certificateRejected) =
        ("client-certificate-required", "client-certificate-rejected")
    private static let incompatibleVersioning = "incompatible-versioning"

    private static func meaning(of code: TransportError.Code) -> (ExitStatus, String) {
        switch code {
        case .clientCertificateRequired: (.wrongKey, certificateRequired)
        case .clientCertificateRejected: (.wrongKey, certificateRejected)
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
        case .connection(.clientCertificateRejected):
            "store one of an issuer that the server accepts with 'sealite credential set URL --identity FILE'"
        case .remote("LiteCore", 19):
            "leave out --channel: a 'sealite serve' or another listener serves whole collections, not channels"
        case .incompatibleVersioning:
            "upgrade the database that has revision trees with 'sealite upgrade DATABASE --versioning vectors'"
        default: nil
        }
    }
}
