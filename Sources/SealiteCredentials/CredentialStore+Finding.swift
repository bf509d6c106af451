internal import SealiteCrypto

extension CredentialStore {
    /// Finds the one credential that fits best, without its secret: the first of `kinds` that is stored for the service.
    ///
    /// - Parameters:
    ///   - service: what it is for.
    ///   - account: whose; nil when there is only one account, whoever that is.
    ///   - kinds: the kinds that will do, the best first.
    ///   - access: whether a prompt may be shown, and the time limit.
    /// - Returns: the reference to read.
    /// - Throws: `notFound`; `locked` when what is locked may hold one; `ambiguous`, with the accounts in its reason, when several fit and `account` is nil; and
    ///   what ``list(service:access:)`` throws.
    public func find(
        service: CredentialService, account: String? = nil, kinds: [CredentialKind] = CredentialKind.endpointKinds,
        access: CredentialAccess = .silent
    ) async throws(CredentialError) -> CredentialReference {
        try CredentialMatch(
            in: try await list(service: service, access: access), of: name, service: service, account: account,
            kinds: kinds
        ).best(of: kinds)
    }

    /// Moves a credential to another store: it is saved there, read back and compared, and only then removed here.
    ///
    /// - Parameters:
    ///   - reference: the credential.
    ///   - destination: the other store.
    ///   - replacing: whether another credential under the same reference there may be replaced.
    ///   - access: whether prompts may be shown, and the time limit of each step.
    /// - Throws: `exists` when the destination holds another one and `replacing` is false; `invalidArgument` when both are
    ///   the same store, which keeps it; what the two stores throw.
    ///   Until the last step has begun this store still holds the credential.
    public func move(
        _ reference: CredentialReference, to destination: any CredentialStore, replacing: Bool = false,
        access: CredentialAccess = .silent
    ) async throws(CredentialError) {
        let label = try await list(service: reference.service, access: access).items
            .first { $0.reference == reference }?.label
        let record = try await record(of: reference, access)
        let wasThere = try await destination.holds(reference, equalTo: record, replacing: replacing, access)
        try await destination.save(
            Credential(record: record.duplicate(), for: reference), service: reference.service,
            account: reference.account, label: label, access: access)
        let stored = try await destination.record(of: reference, access)
        guard stored.isEqual(to: record) else {
            throw CredentialError(
                .providerFailed,
                "credential \(reference.description) was not moved: \(destination.name) gave back something else than "
                    + "was saved; \(name) still holds it")
        }
        try await remove(reference, access: access)
        // Where it was there before, the two may be one store under two names.
        guard wasThere, try await destination.recordIfPresent(reference, access) == nil else { return }
        try await destination.save(
            Credential(record: record.duplicate(), for: reference), service: reference.service,
            account: reference.account, label: label, access: access)
        throw CredentialError(
            .invalidArgument,
            "credential \(reference.description) was not moved: \(name) and \(destination.name) are the same store")
    }

    /// Returns whether a destination holds a credential already.
    ///
    /// - Throws: `exists` when it is another one and must not be replaced.
    private func holds(
        _ reference: CredentialReference, equalTo record: borrowing SecretBytes, replacing: Bool,
        _ access: CredentialAccess
    ) async throws(CredentialError) -> Bool {
        do throws(CredentialError) {
            guard let present = try await recordIfPresent(reference, access) else { return false }
            guard replacing || present.isEqual(to: record) else {
                throw CredentialError(
                    .exists, "credential \(reference.description) was not moved: \(name) holds another one",
                    hint: "remove one of them, or replace it with --replace")
            }
        } catch {
            guard replacing, [.damaged, .duplicate, .unsupportedVersion].contains(error.code) else { throw error }
        }
        return true
    }
}
