internal import SealiteCrypto

extension CredentialStore {
    /// Returns the reference of the credential that matches best, without its secret: the first of `kinds` that is
    /// stored for the service.
    ///
    /// - Parameters:
    ///   - service: the service of the credential.
    ///   - account: the account of the credential; nil if any account will do, provided that there is only one.
    ///   - kinds: the acceptable kinds, in order of preference.
    ///   - access: the rule for prompts, and the time limit.
    /// - Returns: the reference to read.
    /// - Throws: `ambiguous`, with the accounts in its reason, if `account` is nil and several accounts have a
    ///   credential of these kinds; if there is no match, `locked` if a locked part of the store may contain one,
    ///   otherwise `notFound`; and the errors of ``list(service:access:)``.
    public func find(
        service: CredentialService, account: String? = nil, kinds: [CredentialKind] = CredentialKind.endpointKinds,
        access: CredentialAccess = .silent
    ) async throws(CredentialError) -> CredentialReference {
        try CredentialMatch(
            in: try await list(service: service, access: access), of: name, service: service, account: account,
            kinds: kinds, withSharedIdentity: false
        ).best(of: kinds)
    }

    /// Moves a credential to another store: it is saved to the destination, read back and compared, and only then
    /// removed from this store.
    ///
    /// - Parameters:
    ///   - reference: the credential.
    ///   - destination: the store to move the credential to.
    ///   - replacing: true to replace another credential under the same reference in the destination.
    ///   - access: the rule for prompts, and the time limit of each step.
    /// - Throws: `exists` if the destination holds another credential under the same reference and `replacing` is
    ///   false; `providerFailed` if the destination returns another value than was saved; `invalidArgument` if both are
    ///   the same store, which keeps the credential; the errors of the two stores. Until the removal has begun, this
    ///   store still holds the credential.
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
                "credential \(reference.description) was not moved: \(destination.name) returned another value than "
                    + "was saved; \(name) still holds it")
        }
        try await remove(reference, access: access)
        // If the destination held the credential before, both stores may be the same one under two names.
        guard wasThere, try await destination.recordIfPresent(reference, access) == nil else { return }
        try await destination.save(
            Credential(record: record.duplicate(), for: reference), service: reference.service,
            account: reference.account, label: label, access: access)
        throw CredentialError(
            .invalidArgument,
            "credential \(reference.description) was not moved: \(name) and \(destination.name) are the same store")
    }

    /// Returns whether this store, the destination of a move, already holds a credential under the reference: the same
    /// one, or one that may be replaced.
    ///
    /// - Throws: `exists` if this store holds another credential and `replacing` is false.
    private func holds(
        _ reference: CredentialReference, equalTo record: borrowing SecretBytes, replacing: Bool,
        _ access: CredentialAccess
    ) async throws(CredentialError) -> Bool {
        switch try await presence(of: reference, comparedTo: record, replacing: replacing, access) {
        case .absent: return false
        case .different where !replacing:
            throw CredentialError(
                .exists, "credential \(reference.description) was not moved: \(name) holds a different secret for it",
                hint: CredentialRemedy.replaceMoved.hint)
        case .equal, .different: return true
        }
    }
}
