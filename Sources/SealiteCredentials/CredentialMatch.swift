public import FoundationEssentials
internal import SealiteCrypto

/// The credentials that a store holds for one service, with secrets: the result of one query, which contains all that a
/// handshake presents.
///
/// The secret of a kind is loaded if exactly one account has a credential of that kind. If several accounts have a
/// credential of the kind, the choice is ambiguous, and none of these credentials is loaded.
public struct CredentialMatch: Sendable {
    /// The service that was queried.
    public let service: CredentialService
    /// The account that was queried; nil for any.
    public let account: String?
    /// The name of the store, for messages.
    public let storeName: String
    /// The references of the matching credentials, without duplicates, ordered by account and kind.
    public let references: [CredentialReference]
    /// A Boolean value that indicates whether the references are complete: false if a locked part of the store may
    /// contain more.
    public let isComplete: Bool
    private var records: [CredentialReference: Result<SharedSecret, CredentialError>] = [:]

    /// Creates a match without secrets from a listing.
    ///
    /// - Parameters:
    ///   - listing: the store's items for the service, and possibly others.
    ///   - storeName: the name of the store, for messages.
    ///   - service: the service that was queried.
    ///   - account: the account that was queried; nil for any.
    ///   - kinds: the kinds that were queried.
    ///   - withSharedIdentity: true to let a client identity without an account match each account that has no client
    ///     identity of its own, as in a TLS handshake.
    public init(
        in listing: CredentialListing, of storeName: String, service: CredentialService, account: String?,
        kinds: [CredentialKind], withSharedIdentity: Bool = true
    ) {
        var seen: Set<CredentialReference> = []
        let queried = listing.items.map(\.reference).filter { reference in
            reference.service == service && kinds.contains(reference.kind) && seen.insert(reference).inserted
        }
        // A certificate is often stored without an account, since the certificate itself names the user.
        let takesShared =
            withSharedIdentity && !queried.contains { $0.kind == .clientIdentity && $0.account == account }
        references = queried.filter { reference in
            account == nil || reference.account == account
                || (takesShared && reference.kind == .clientIdentity && reference.account.isEmpty)
        }
        isComplete = listing.isComplete
        self.service = service
        self.account = account
        self.storeName = storeName
    }

    /// The references whose secrets a store must load: the references of the kinds for which exactly one account has a
    /// credential.
    public var wanted: [CredentialReference] {
        references.filter { wanted in references.count { $0.kind == wanted.kind } == 1 }
    }

    /// Adds a credential that a store loaded for a reference. A credential of another kind than the reference's is kept
    /// as the error `damaged`.
    public mutating func keep(_ credential: consuming Credential, as reference: CredentialReference) {
        do throws(CredentialError) {
            guard credential.kind == reference.kind else {
                throw CredentialError.damaged(
                    "the item \(reference) in \(storeName) isn't a credential of the expected kind")
            }
            keep(.success(SharedSecret(try credential.record(for: reference))), as: reference)
        } catch {
            keep(.failure(error), as: reference)
        }
    }

    /// Adds the error of loading a credential. It is thrown only if that credential is requested.
    public mutating func keep(_ error: CredentialError, as reference: CredentialReference) {
        keep(.failure(error), as: reference)
    }

    /// Adds a record in its stored form, or the error of loading it.
    mutating func keep(_ record: Result<SharedSecret, CredentialError>, as reference: CredentialReference) {
        records[reference] = record.mapError { $0.code == .notFound ? $0 : $0.about(reference, "read") }
    }
}

extension CredentialMatch {
    /// Returns the reference of the credential that matches best: the one whose kind comes first in `kinds`.
    ///
    /// - Throws: `ambiguous`, with the accounts in its reason, if no account was queried and several have a credential
    ///   of these kinds; if none has one, `locked` if a locked part of the store may contain one, otherwise `notFound`.
    public func best(of kinds: [CredentialKind]) throws(CredentialError) -> CredentialReference {
        let candidates = references.filter { kinds.contains($0.kind) }
        let accounts = Set(candidates.map(\.account)).sorted()
        // With a queried account, a second one is that of a shared client identity.
        guard account != nil || accounts.count <= 1 else {
            let names = accounts.map { "\"\($0)\"" }.joined(separator: ", ")
            throw CredentialError(
                .ambiguous, "\(storeName) holds credentials of \(accounts.count) accounts for \"\(service)\": \(names)",
                hint: CredentialRemedy.nameAccount.hint)
        }
        for kind in kinds {
            if let found = candidates.first(where: { $0.kind == kind }) { return found }
        }
        guard isComplete else { throw hidden }
        let whose = account.map { " of \"\($0)\"" } ?? ""
        throw CredentialError(
            .notFound, "\(storeName) holds no credential\(whose) for \"\(service)\"",
            hint: CredentialRemedy.storeCredential.hint)
    }

    /// Returns the credential of a reference, with its secret.
    ///
    /// - Throws: the error of loading the credential; `ambiguous` if its secret wasn't loaded because several accounts
    ///   have a credential of its kind; if the match doesn't have it, `locked` if a locked part of the store may
    ///   contain it, otherwise `notFound`.
    public func credential(_ reference: CredentialReference) throws(CredentialError) -> Credential {
        guard let record = records[reference] else {
            guard !references.contains(reference) || wanted.contains(reference) else {
                throw CredentialError(
                    .ambiguous,
                    "credential \(reference.description) was not loaded from \(storeName): several accounts have one "
                        + "of its kind", hint: CredentialRemedy.nameAccount.hint)
            }
            guard isComplete else { throw hidden }
            throw CredentialError.notFound(reference, in: storeName)
        }
        return try Credential(read: try record.get().duplicate(), for: reference)
    }

    private var hidden: CredentialError {
        CredentialError(
            .locked,
            "\(storeName) is locked, at least in part, and may hold credentials for \"\(service)\" that can't be seen",
            hint: "unlock it and try again")
    }
}

/// The items of a store, without secrets.
public struct CredentialListing: Sendable, Hashable {
    /// The items, ordered by service, account and kind. Items that share one reference are listed separately.
    public let items: [CredentialMetadata]
    /// A Boolean value that says whether the items are complete: false if a part of the store is locked and may contain
    /// more.
    public let isComplete: Bool

    /// Creates a listing and sorts the items; stores outside this package use this initializer too.
    public init(items: [CredentialMetadata], isComplete: Bool) {
        self.items = items.sorted { left, right in
            let (a, b) = (left.reference, right.reference)
            return (a.service.canonical, a.account, a.kind.rawValue) < (b.service.canonical, b.account, b.kind.rawValue)
        }
        self.isComplete = isComplete
    }
}

/// The description of a stored item without its secret.
public struct CredentialMetadata: Sendable, Hashable {
    /// The reference of the credential.
    public let reference: CredentialReference
    /// The label that the desktop's password manager shows. It isn't secret.
    public let label: String
    /// The label, if a person chose it; nil if it is a standard label, such as `Sealite password of ana for` and the
    /// service in any spelling.
    package var ownLabel: String? { label.hasPrefix(reference.label(naming: "")) ? nil : label }
    /// The time at which the item was created; nil if the store doesn't know.
    public let created: Date?
    /// The time at which the item was last changed; nil if the store doesn't know.
    public let modified: Date?
    /// A Boolean value that says whether the item must be unlocked before its secret can be read.
    public let isLocked: Bool

    /// Creates the description of an item; stores outside this package use this initializer too.
    public init(reference: CredentialReference, label: String, created: Date?, modified: Date?, isLocked: Bool) {
        self.reference = reference
        self.label = label
        self.created = created
        self.modified = modified
        self.isLocked = isLocked
    }
}
