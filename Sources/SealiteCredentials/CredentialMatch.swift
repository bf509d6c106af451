internal import SealiteCrypto

/// The credentials that a store holds for one service, with secrets: the answer to one question, from which a handshake takes all
/// that it shows.
///
/// The secret of a kind is loaded where one account has a credential of that kind. Where several have one, nobody can choose, so
/// none is loaded.
public struct CredentialMatch: Sendable {
    /// The service that was asked for.
    public let service: CredentialService
    /// The account that was asked for; nil for any.
    public let account: String?
    /// The name of the store, for messages.
    public let storeName: String
    /// The references of the credentials that fit, each once, ordered by account and kind.
    public let references: [CredentialReference]
    /// A Boolean value that indicates whether these are all: false when a locked part of the store may hide some.
    public let isComplete: Bool
    private var records: [CredentialReference: Result<SharedSecret, CredentialError>] = [:]

    /// Makes a match without secrets out of a listing.
    ///
    /// - Parameters:
    ///   - listing: what the store holds for the service, or more.
    ///   - storeName: the name of the store, for messages.
    ///   - service: the service that was asked for.
    ///   - account: the account that was asked for; nil for any.
    ///   - kinds: the kinds that were asked for.
    public init(
        in listing: CredentialListing, of storeName: String, service: CredentialService, account: String?,
        kinds: [CredentialKind]
    ) {
        var seen: Set<CredentialReference> = []
        references = listing.items.map(\.reference).filter { reference in
            reference.service == service && kinds.contains(reference.kind)
                && (account == nil || reference.account == account) && seen.insert(reference).inserted
        }
        isComplete = listing.isComplete
        self.service = service
        self.account = account
        self.storeName = storeName
    }

    /// The references whose secrets a store has to load: those of the kinds that one account has.
    public var wanted: [CredentialReference] {
        references.filter { wanted in references.count { $0.kind == wanted.kind } == 1 }
    }

    /// Keeps a credential that a store loaded.
    public mutating func keep(_ credential: consuming Credential, as reference: CredentialReference) {
        do throws(CredentialError) {
            guard credential.kind == reference.kind else {
                throw CredentialError.damaged("what \(storeName) holds as \(reference) is of another kind")
            }
            keep(.success(SharedSecret(try credential.record(for: reference))), as: reference)
        } catch {
            keep(.failure(error), as: reference)
        }
    }

    /// Keeps the error with which the loading of a credential ended. It counts where that credential is the one to show.
    public mutating func keep(_ error: CredentialError, as reference: CredentialReference) {
        keep(.failure(error), as: reference)
    }

    /// Keeps a record as it is stored, or the error with which its loading ended.
    mutating func keep(_ record: Result<SharedSecret, CredentialError>, as reference: CredentialReference) {
        records[reference] = record.mapError { $0.code == .notFound ? $0 : $0.about(reference, "read") }
    }
}

extension CredentialMatch {
    /// Returns the one credential that fits best: the first of some kinds that is there.
    ///
    /// - Throws: `notFound`; `locked` when what is locked may hold one; `ambiguous`, with the accounts in its reason, when several
    ///   accounts have a credential of these kinds.
    public func best(of kinds: [CredentialKind]) throws(CredentialError) -> CredentialReference {
        let candidates = references.filter { kinds.contains($0.kind) }
        let accounts = Set(candidates.map(\.account)).sorted()
        guard accounts.count <= 1 else {
            let names = accounts.map { "\"\($0)\"" }.joined(separator: ", ")
            throw CredentialError(
                .ambiguous, "\(storeName) holds credentials of \(accounts.count) accounts for \"\(service)\": \(names)",
                hint: "say which with --user")
        }
        for kind in kinds {
            if let found = candidates.first(where: { $0.kind == kind }) { return found }
        }
        guard isComplete else {
            throw CredentialError(
                .locked, "\(storeName) is locked and may hold credentials for \"\(service)\" that can't be seen",
                hint: "unlock it and try again")
        }
        let whose = account.map { " of \"\($0)\"" } ?? ""
        throw CredentialError(
            .notFound, "\(storeName) holds no credential\(whose) for \"\(service)\"",
            hint: "store one with 'sealite credential set'")
    }

    /// Returns a credential of the match.
    ///
    /// - Throws: `notFound`, or the error with which its loading ended.
    public func credential(_ reference: CredentialReference) throws(CredentialError) -> Credential {
        guard let record = records[reference] else { throw CredentialError.notFound(reference, in: storeName) }
        let secret = try record.get()
        do throws(CredentialError) {
            return try Credential(record: secret.duplicate(), for: reference)
        } catch {
            throw error.about(reference, "read")
        }
    }
}
