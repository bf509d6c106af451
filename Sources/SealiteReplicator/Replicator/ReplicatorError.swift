public import FoundationEssentials
internal import Logging
public import SealiteAuthentication
public import SealiteBase
public import SealiteCredentials
internal import SealiteProtocol

/// The reason why a replicator stopped or is offline, or a document couldn't be replicated.
///
/// Two errors are equal when their codes are. Reasons hold no content of documents and no credentials.
public struct ReplicatorError: SealiteError, Sendable, Equatable {
    /// The kind of the failure.
    public enum Code: Sendable, Hashable {
        /// The connection could not be opened, or ended.
        case connection(TransportError.Code)
        /// The remote answered with this HTTP status (for a document 403, 404, 413 and others, otherwise the reason why
        /// the session ended), or this side refused a document of the remote with it.
        case http(Int)
        /// The remote answered with an error of another domain.
        case remote(domain: String, code: Int)
        /// The remote has no collection with the scope and name of the local one.
        case collectionNotFound
        /// The remote broke the protocol.
        case protocolViolation
        /// Reading or writing the local database failed.
        case storage
        /// The content of an attachment from the remote doesn't match its digest or its announced length.
        case corruptAttachment
        /// The document was changed on both sides.
        case conflict
        /// The version of a document from the remote is dated more than two minutes ahead of this computer's clock, so the
        /// document isn't stored yet: either this clock or that of the computer that saved the document is wrong.
        case aheadOfClock
        /// The conflict couldn't be resolved, because the conflict resolver or the local database failed. The conflict
        /// stays, and the resolver is called again at the next connection or start.
        case resolverFailed
        /// No credentials exist for the remote, or they are currently unavailable; `authentication` gives the reason.
        case credentialsUnavailable
        /// Another replicator, in this process or another, replicates the same database with the same target.
        case alreadyRunning
        /// The configuration is invalid.
        case invalidConfiguration
        /// One side has revision trees, and the other has version vectors.
        case incompatibleVersioning
    }

    /// The kind of the failure.
    public let code: Code
    /// The reason for people: the failed operation, its object and the cause.
    public let reason: String
    /// The code in lowercase words with hyphens between them, such as `already-running`; for a failed connection, the
    /// identifier of the `TransportError`.
    public var identifier: String {
        if case .connection(let code) = code { Self.identifier(of: code) } else { Self.identifier(of: code) }
    }
    /// The error that caused this one: for `resolverFailed` that of the conflict resolver, whose text may hold content
    /// of documents, or of the local database; otherwise the same as ``authentication``.
    public private(set) var underlying: (any Error)?
    /// A Boolean value that says whether retrying later may help.
    public let isTransient: Bool
    /// The server's HTTP response, if the server refused the handshake; otherwise nil.
    public private(set) var answer: HTTPAnswer?
    /// The certificates that the server presented in a handshake that failed, leaf first, as X.509 DER; empty for any
    /// other failure, and if the server presented none.
    public private(set) var serverCertificates: [[UInt8]] = []
    /// The authentication error, if there were no credentials for the handshake or a login failed; otherwise nil.
    public private(set) var authentication: AuthenticationError?
    /// The positions, in the configuration, of the collections that the remote doesn't have; empty except for
    /// `collectionNotFound`.
    public private(set) var missingCollections: [Int] = []

    init(_ code: Code, _ reason: String, isTransient: Bool = false) {
        self.code = code
        self.reason = reason
        self.isTransient = isTransient
    }

    /// Converts a failure of the local database.
    init(storage error: any Error) {
        let failure = StoreFailure(error)
        self.init(.storage, failure.reason, isTransient: failure.isTransient)
    }

    init(_ error: SessionError) {
        let code: Code =
            switch error.code {
            case .http(let status): .http(status)
            case .remote("LiteCore", 501): .incompatibleVersioning
            case .remote(let domain, let code): .remote(domain: domain, code: code)
            case .collectionNotFound: .collectionNotFound
            case .protocolViolation: .protocolViolation
            case .webSocket(let code): .connection(.closedByPeer(code))
            case .storage: .storage
            case .corruptAttachment: .corruptAttachment
            case .conflict: .conflict
            case .aheadOfClock: .aheadOfClock
            }
        self.init(code, error.reason, isTransient: error.isCuredByTime)
        missingCollections = error.missingCollections
    }

    /// Converts a failure of the connection. A continuous replicator waits for an unavailable network, and for a peer
    /// that closed the connection in an orderly way, since it may return.
    init(_ error: TransportError, isContinuous: Bool) {
        var isTransient = error.recovery == .transient || isContinuous && error.recovery == .network
        if case .closedByPeer(let status) = error.code, isContinuous, [1_000, 1_001, 1_012, 1_013].contains(status) {
            isTransient = true
        }
        self.init(Code(error.code), error.reason, isTransient: isTransient)
        answer = error.answer
        serverCertificates = error.serverCertificates
    }

    /// Converts a failure to provide credentials. A transient one, such as a locked credential store, means offline;
    /// credentials that the remote refused are converted to its status 401.
    init(_ error: AuthenticationError) {
        let code: Code =
            switch error.code {
            case .rejected: .http(401)
            case .unencrypted: .connection(.unencryptedCredential)
            default: .credentialsUnavailable
            }
        let prefix = error.code == .rejected ? "credentials rejected: " : ""
        self.init(code, prefix + error.description, isTransient: error.isTransient)
        authentication = error
        underlying = error
    }

    /// Converts the error for which a conflict couldn't be resolved, of the resolver or of the database. Texts of an
    /// application's own errors may hold content of documents, so the reason names only the type of such an error.
    init(resolving error: any Error) {
        let cause = (error as? any SealiteError)?.reason ?? "the resolver threw an error of the type \(type(of: error))"
        self.init(.resolverFailed, "the conflict couldn't be resolved: \(cause)")
        underlying = error
    }

    /// Returns whether two errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// The same as ``reason``.
    public var description: String { reason }
}

extension ReplicatorError: LocalizedError {
    /// The same as ``ReplicatorError/reason``.
    public var errorDescription: String? { reason }
}

extension ReplicatorError.Code {
    /// The code for the log. The domain of a remote's error is left out, since the remote chooses it.
    var inLog: Logger.MetadataValue {
        switch self {
        case .connection(let code): "\(code)"
        case .http(let status): "http(\(status))"
        case .remote(_, let code): "remote(\(code))"
        default: "\(self)"
        }
    }

    /// Converts the code of a failed connection.
    init(_ code: TransportError.Code) {
        if case .http(let status) = code { self = .http(status) } else { self = .connection(code) }
    }
}
