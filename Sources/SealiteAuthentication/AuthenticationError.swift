public import SealiteCredentials

/// Why there was nothing to show at a handshake. No error carries a secret.
public struct AuthenticationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The credential store is locked.
        case storeLocked = "credential-store-locked"
        /// The credential store can't be reached now.
        case storeUnavailable = "credential-store-unavailable"
        /// The store holds no credential for the endpoint.
        case notFound = "not-found"
        /// The store holds credentials of several accounts, and none was named.
        case ambiguous
        /// What the store holds can't be used: damaged, duplicate, or not to be sent as it is.
        case unusable
        /// The server refused the name, the password or the session.
        case rejected = "credentials-rejected"
        /// The password would have gone over an unencrypted connection to another machine.
        case unencrypted
        /// The server can't be reached, or didn't answer in time.
        case unreachable
        /// The server's certificate isn't trusted.
        case untrusted
        /// The server answered that it can't serve now.
        case serverFailed = "server-failed"
        /// The server's answer isn't one to a login.
        case badAnswer = "bad-answer"
        /// The task was cancelled.
        case cancelled
    }

    /// What went wrong, for programs; the only part that counts in `==`.
    public let code: Code
    /// What failed, on what and why, for people.
    public let reason: String
    /// The next step, where there is one.
    public let hint: String?

    /// Makes an error; authenticators outside this package use it too.
    public init(_ code: Code, _ reason: String, hint: String? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }

    /// The reason, and the hint in brackets.
    public var description: String { hint.map { "\(reason) (\($0))" } ?? reason }

    /// Whether asking again later may help without anybody changing a credential. A replicator that gets such an error
    /// is offline and tries again; it never takes it for a refusal.
    public var isPassing: Bool {
        switch code {
        case .storeLocked, .storeUnavailable, .unreachable, .serverFailed: true
        default: false
        }
    }

    /// Errors are equal when their codes are equal.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension AuthenticationError {
    /// The error of a store as the replicator tells it apart: locked, not available now, or nothing to use in it.
    public init(_ error: CredentialError) {
        let code: Code
        let reason: String
        switch error.code {
        case .locked, .promptDismissed:
            (code, reason) = (.storeLocked, "credential store locked: \(error.reason)")
        case .notFound: (code, reason) = (.notFound, error.reason)
        case .ambiguous: (code, reason) = (.ambiguous, error.reason)
        case .cancelled: (code, reason) = (.cancelled, error.reason)
        // A vault that isn't there now may be on a disk that will be: no proof that there is no credential.
        case _ where error.isPassing || error.code == .noVault:
            (code, reason) = (.storeUnavailable, "credential store not available: \(error.reason)")
        default: (code, reason) = (.unusable, error.reason)
        }
        self.init(code, reason, hint: error.hint)
    }
}
