public import FoundationEssentials
public import SealiteBase

/// An error of an operation with a credential. Each code corresponds to a different remedy by the user.
///
/// Two errors are equal if their codes are equal. No error contains a secret.
public struct CredentialError: SealiteError, Sendable, Hashable {
    /// The kind of a failure, for programs. The raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// The store was read, and the credential doesn't exist. Never used if a part of the store was locked or
        /// unreachable.
        case notFound = "not-found"
        /// The collection or vault is locked, so that the credential can't be read, or its absence can't be proven.
        case locked
        /// The person dismissed the prompt, or the provider could not show it.
        case promptDismissed = "prompt-dismissed"
        /// There is no D-Bus session bus, it can't be reached, or it closed the connection.
        case noSessionBus = "no-session-bus"
        /// No program on the session bus provides the Secret Service, or the provider ended during a call.
        case noProvider = "no-provider"
        /// The Secret Service has no collection with the requested name, or no default collection, or a collection or
        /// an item no longer existed during the call.
        case noCollection = "no-collection"
        /// No vault file exists at the path.
        case noVault = "no-vault"
        /// The store didn't respond within the time limit.
        case timedOut = "timed-out"
        /// The task was cancelled.
        case cancelled
        /// Several items with different secrets have the same service, account and kind, so it is unknown which secret
        /// is valid.
        case duplicate
        /// Several credentials match, or several collections have the requested name, and the caller must choose one.
        case ambiguous
        /// The destination already holds another credential with the same reference, or the file to create exists.
        case exists
        /// The stored data isn't a valid credential of the requested kind, or the file of a vault or of the user's
        /// setting is damaged or isn't acceptable.
        case damaged
        /// The stored data was written by a newer version.
        case unsupportedVersion = "unsupported-version"
        /// The passphrase or key does not open the store.
        case wrongPassphrase = "wrong-passphrase"
        /// The system or the provider refused access, or a file's owner or mode is not acceptable.
        case permission
        /// The provider can transmit secrets over the bus only unencrypted.
        case unencryptedSession = "unencrypted-session"
        /// The secret is larger than a store accepts.
        case tooLarge = "too-large"
        /// There is no disk space left for saving.
        case diskFull = "disk-full"
        /// The Secret Service, a file operation or OpenSSL failed for a reason without a code of its own.
        case providerFailed = "provider-failed"
        /// The caller passed an invalid argument.
        case invalidArgument = "invalid-argument"
    }

    /// The kind of the failure, for programs; the only part that `==` compares.
    public let code: Code
    /// The failed operation, its object and the cause, in one sentence.
    public let reason: String
    /// The reason, followed by the hint in parentheses if there is one.
    public var description: String { hint.map { "\(reason) (\($0))" } ?? reason }
    /// The code in lowercase words with hyphens between them, such as `timed-out`.
    public var identifier: String { code.rawValue }
    /// The next step; nil if there is none.
    public let hint: String?

    /// Creates an error; stores outside this package use this initializer too.
    public init(_ code: Code, _ reason: String, hint: String? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }

    /// A Boolean value that says whether the same call may succeed later without a change of the stored data. A caller
    /// that gets such an error doesn't know whether the credential exists.
    public var isTransient: Bool {
        switch code {
        case .locked, .promptDismissed, .noSessionBus, .noProvider, .timedOut, .cancelled, .providerFailed, .diskFull:
            true
        default: false
        }
    }

    /// Returns whether two errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension CredentialError {
    /// Returns the same error with the credential and the failed operation named in the reason: `credential … was not
    /// read: …` for the verb `read`. A reason that already begins with the credential isn't changed.
    func about(_ reference: CredentialReference, _ verb: String) -> CredentialError {
        let subject = "credential \(reference.description)"
        return reason.hasPrefix(subject)
            ? self : CredentialError(code, "\(subject) was not \(verb): \(reason)", hint: hint)
    }

    static func notFound(_ reference: CredentialReference, in store: String, hint: String? = nil) -> CredentialError {
        CredentialError(.notFound, "credential \(reference.description) is not in \(store)", hint: hint)
    }

    static func damaged(_ what: String) -> CredentialError {
        CredentialError(
            .damaged, what, hint: "store it again; the existing item may have been written by another program")
    }

    static func noVault(_ path: String) -> CredentialError {
        CredentialError(.noVault, "there is no vault at \"\(path)\"", hint: CredentialRemedy.makeVault.hint)
    }

    static func notVault(_ path: String) -> CredentialError {
        CredentialError(
            .invalidArgument, "\"\(path)\" is a sealed database, but no vault", hint: "name a file that is a vault")
    }
}

/// The next steps after errors of credentials and of their stores.
package enum CredentialRemedy: Remedy, Hashable {
    /// Storing a credential, after none was found for a service.
    case storeCredential
    /// Naming one account, after credentials of several accounts were found for a service.
    case nameAccount
    /// Allowing a move of credentials between stores to replace one, or removing one of the two, after the destination
    /// held a different credential under the same name.
    case replaceMoved
    /// Allowing an import to replace a credential, or removing it, after the store held a different credential under
    /// the same name.
    case replaceImported
    /// Choosing the user's credential store again, after the file that records the choice named none, or a
    /// vault by a relative path.
    case chooseStore
    /// Giving the key or passphrase of a vault, an encrypted file of credentials, after none was given.
    case giveVaultKey
    /// Using the vault at `path`, an encrypted file of credentials that exists, after the desktop's Secret Service
    /// couldn't be used.
    case useVault(path: String)
    /// Using a vault, an encrypted file of credentials that doesn't exist yet, after the desktop's Secret Service
    /// couldn't be used.
    case useNewVault
    /// Allowing a vault, an encrypted file of credentials, to be created, after it was found not to exist.
    case makeVault
    /// Listing the collections (keyrings) of the Secret Service, after one of them or an item no longer existed.
    case listCollections
    /// Giving the Secret Service more time, after it didn't answer within the limit.
    case waitForStore

    package var text: String {
        switch self {
        case .storeCredential: "store a credential"
        case .nameAccount: "name the account"
        case .replaceMoved: "remove one of the two credentials, or let the move replace the one at the destination"
        case .replaceImported: "remove that credential, or let the import replace it"
        case .chooseStore: "choose a credential store again, or remove the file"
        case .giveVaultKey: "give the vault's key, or store it as the systemd credential sealite.vault"
        case .useVault(let path): "the vault \"\(path)\" can be used instead, with its passphrase or key"
        case .useNewVault: "a vault, an encrypted file of credentials, can be used instead"
        case .makeVault: "allow the store policy to create a vault"
        case .listCollections: "list the existing collections"
        case .waitForStore:
            "a slow machine needs a longer time limit; otherwise the program that provides the Secret Service waits"
                + " for the answer to a prompt, or hangs"
        }
    }
}

extension CredentialError: LocalizedError {
    /// The same as the error's `reason`.
    public var errorDescription: String? { reason }
    /// The same as the error's `hint`.
    public var recoverySuggestion: String? { hint }
}
