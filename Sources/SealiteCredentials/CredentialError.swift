/// Why something with a credential didn't work, told apart by what a person can do about it.
///
/// Two errors are equal when their codes are. No error carries a secret.
public struct CredentialError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong, for programs. The raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// The store was read, and there is no such credential. Never given when something was locked or unreachable.
        case notFound = "not-found"
        /// The collection or vault is locked, so that the credential can't be read, or its absence can't be proven.
        case locked
        /// The person dismissed the prompt, or the provider could not show it.
        case promptDismissed = "prompt-dismissed"
        /// There is no session bus, or it doesn't answer at its address.
        case noSessionBus = "no-session-bus"
        /// Nobody on the session bus provides the Secret Service, or the provider left in the middle of a call.
        case noProvider = "no-provider"
        /// The provider has no collection of that name, or no default collection.
        case noCollection = "no-collection"
        /// There is no vault where it should be.
        case noVault = "no-vault"
        /// No answer within the time limit.
        case timedOut = "timed-out"
        /// The task was cancelled.
        case cancelled
        /// Several items with different secrets stand under the same service, account and kind.
        case duplicate
        /// Several credentials fit, and the caller has to say which.
        case ambiguous
        /// The destination already holds another credential under that name.
        case exists
        /// What is stored isn't what its kind says.
        case damaged
        /// What is stored was written by a newer version.
        case unsupportedVersion = "unsupported-version"
        /// The passphrase or key does not open the store.
        case wrongPassphrase = "wrong-passphrase"
        /// The system or the provider refused access, or a file's owner or mode is not acceptable.
        case permission
        /// The provider would carry secrets over the bus unencrypted.
        case unencryptedSession = "unencrypted-session"
        /// The secret is larger than a store takes.
        case tooLarge = "too-large"
        /// There is no room left to save.
        case diskFull = "disk-full"
        /// The provider failed in a way that isn't one of the others.
        case providerFailed = "provider-failed"
        /// The caller asked for something that makes no sense.
        case invalidArgument = "invalid-argument"
    }

    /// What went wrong, for programs; the only part that counts in `==`.
    public let code: Code
    /// What failed, on what and why, for people.
    public let reason: String
    /// The next step, where there is one.
    public let hint: String?

    /// Makes an error; stores outside this package use it too.
    public init(_ code: Code, _ reason: String, hint: String? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }

    /// The reason, and the hint in brackets.
    public var description: String { hint.map { "\(reason) (\($0))" } ?? reason }

    /// Whether the same call may succeed later without anybody changing what is stored. A caller that gets such an
    /// error knows nothing of whether the credential exists.
    public var isPassing: Bool {
        switch code {
        case .locked, .promptDismissed, .noSessionBus, .noProvider, .timedOut, .cancelled, .providerFailed, .diskFull:
            true
        default: false
        }
    }

    /// Errors are equal when their codes are equal.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension CredentialError {
    /// The same error, saying of which credential it is.
    func about(_ reference: CredentialReference, _ verb: String) -> CredentialError {
        let subject = "credential \(reference.description)"
        return reason.hasPrefix(subject)
            ? self : CredentialError(code, "\(subject) was not \(verb): \(reason)", hint: hint)
    }

    static func notFound(_ reference: CredentialReference, in store: String, hint: String? = nil) -> CredentialError {
        CredentialError(.notFound, "credential \(reference.description) is not in \(store)", hint: hint)
    }

    static func damaged(_ what: String) -> CredentialError {
        CredentialError(.damaged, what, hint: "store it anew; what is there may have been written by another program")
    }
}
