public import FoundationEssentials
public import SealiteBase
public import SealiteCredentials

/// The reason for which an authenticator has no secrets for a handshake, or a login or logout failed. No error contains
/// a secret.
public struct AuthenticationError: SealiteError, Sendable, Hashable {
    /// The kind of a failure.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The credential store is locked, or the user dismissed the prompt to unlock it.
        case storeLocked = "credential-store-locked"
        /// The credential store can't be used now: it doesn't respond, its vault file or collection doesn't exist, or
        /// it would transmit secrets unencrypted.
        case storeUnavailable = "credential-store-unavailable"
        /// The store is refused because of the owner or mode of its file or folder.
        case storePermission = "permission"
        /// The store contains no credential for the endpoint.
        case notFound = "not-found"
        /// The store contains credentials of several accounts, and none was named.
        case ambiguous
        /// The stored credential can't be used: it is damaged, duplicate, or can't be sent. Or the store can't be
        /// opened, for example with a wrong passphrase, or a root certificate, a pin or the URL for a login is
        /// malformed.
        case unusable
        /// The server refused the name, the password or the session, or the stored session has expired and can't be
        /// renewed.
        case rejected = "credentials-rejected"
        /// The password would have gone over an unencrypted connection to another machine.
        case unencrypted
        /// The server can't be reached, or didn't respond within the time limit.
        case unreachable
        /// The server's name has no address.
        case unknownHost = "unknown-host"
        /// The server's certificate isn't trusted.
        case untrusted
        /// The server answered a login or logout with HTTP 408, 429, or 500 or above: it is unavailable or overloaded.
        case serverFailed = "server-failed"
        /// The server's answer isn't a valid answer to a login or logout (a redirect isn't), the server doesn't speak
        /// TLS, or it requires a client certificate, which a login doesn't present.
        case badAnswer = "bad-answer"
        /// The task was cancelled.
        case cancelled
    }

    /// The kind of the failure, for programs; the only part that `==` compares.
    public let code: Code
    /// The failed operation, its object and the cause, in one sentence.
    public let reason: String
    /// The reason, followed by the hint in parentheses if there is one.
    public var description: String { hint.map { "\(reason) (\($0))" } ?? reason }
    /// The code in lowercase words with hyphens between them, such as `bad-answer`.
    public var identifier: String { code.rawValue }
    /// The next step; nil if there is none.
    public let hint: String?

    /// Creates an error; authenticators outside this package use this initializer too.
    public init(_ code: Code, _ reason: String, hint: String? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }

    /// A Boolean value that says whether a later attempt may succeed without a change of a credential. After a
    /// transient error, a replicator goes offline and tries again; it never treats the error as a refusal.
    public var isTransient: Bool {
        switch code {
        case .storeLocked, .storeUnavailable, .unreachable, .unknownHost, .serverFailed: true
        default: false
        }
    }

    /// Returns whether two errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension AuthenticationError {
    /// Creates the error for the failure of a credential store, with the same reason and hint. The code is
    /// `storeUnavailable` for transient errors, for a missing vault or collection, and for a provider without
    /// encryption; `unusable` for errors without a code of their own.
    public init(_ error: CredentialError) {
        let code: Code
        let reason: String
        switch error.code {
        case .locked, .promptDismissed:
            (code, reason) = (.storeLocked, "credential store locked: \(error.reason)")
        case .notFound: (code, reason) = (.notFound, error.reason)
        case .ambiguous: (code, reason) = (.ambiguous, error.reason)
        case .cancelled: (code, reason) = (.cancelled, error.reason)
        case .permission: (code, reason) = (.storePermission, error.reason)
        // A missing vault may be on a disk that will be mounted, so it doesn't prove that there is no credential.
        // The two others depend on the provider's state and settings.
        case _ where error.isTransient || [.noVault, .noCollection, .unencryptedSession].contains(error.code):
            (code, reason) = (.storeUnavailable, "credential store not available: \(error.reason)")
        default: (code, reason) = (.unusable, error.reason)
        }
        self.init(code, reason, hint: error.hint)
    }
}

/// The next steps after errors of logins and sessions.
package enum LoginRemedy: Remedy, Hashable {
    /// Logging in to a server again, after there was no session with it or the session had ended.
    case logIn
    /// Storing the right password, after a server refused the name or password that was stored.
    case storePassword

    package var text: String {
        switch self {
        case .logIn: "log in again"
        case .storePassword: "store the right password"
        }
    }
}

extension AuthenticationError: LocalizedError {
    /// The same as ``AuthenticationError/reason``.
    public var errorDescription: String? { reason }
    /// The same as ``AuthenticationError/hint``.
    public var recoverySuggestion: String? { hint }
}
