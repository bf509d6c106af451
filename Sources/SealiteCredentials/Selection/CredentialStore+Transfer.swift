internal import SealiteCrypto
public import SealiteFile

/// What an import did.
public struct ImportReport: Sendable, Hashable {
    /// How many credentials are new or replaced.
    public let importedCount: Int
    /// How many were there already, just so.
    public let unchangedCount: Int
}

/// A whole store as one sealed file: Documentation/Credentials.md §5.
extension CredentialStore {
    /// Writes every credential into a new sealed file, which appears whole or not at all.
    ///
    /// - Parameters:
    ///   - path: the file to make.
    ///   - secret: what opens it.
    ///   - recoveryKey: a recovery key, which gets a slot too; nil for none.
    ///   - access: whether prompts may be shown, and the time limit of each credential.
    /// - Returns: how many credentials there are in it.
    /// - Throws: `locked` where a part of the store can't be seen, `duplicate`, `exists`, `diskFull`, what the store throws.
    @discardableResult
    public func export(
        to path: String, secret: consuming NewSlotSecret, recoveryKey: RecoveryKey? = nil,
        access: CredentialAccess = .silent
    ) async throws(CredentialError) -> Int {
        let listing = try await list(service: nil, access: access)
        guard listing.isComplete else {
            throw CredentialError(
                .locked, "\(name) was not exported: a part of it is locked and may hold more", hint: "unlock it first")
        }
        var items: [VaultStore.Item] = []
        var seen: Set<CredentialReference> = []
        for item in listing.items where seen.insert(item.reference).inserted {
            let record = try await read(item.reference, access: access).record(for: item.reference)
            items.append(VaultStore.Item(metadata: item, record: SharedSecret(record)))
        }
        let file = VaultStore(path: path, idleLimit: nil, vfs: .standard, isGuarded: false)
        try await file.make(secret, recoveryKey, items)
        await file.lock()
        return items.count
    }

    /// Takes in every credential of a file that ``export(to:secret:recoveryKey:access:)`` wrote.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - key: what opens it.
    ///   - limits: what unlocking may spend. A recovery slot of an earlier version is refused all the same: it doesn't prove who made
    ///     the file.
    ///   - replacing: whether other credentials under the same references are replaced.
    ///   - access: whether prompts may be shown, and the time limit of each credential.
    /// - Returns: what was done.
    /// - Throws: `exists` where the store holds another credential and `replacing` is false: nothing was changed then; `damaged`,
    ///   `wrongPassphrase`, `invalidArgument` for the file; what the store throws.
    @discardableResult
    public func importAll(
        from path: String, key: consuming UnlockKey, limits: UnlockLimits = UnlockLimits(), replacing: Bool = false,
        access: CredentialAccess = .silent
    ) async throws(CredentialError) -> ImportReport {
        let file = VaultStore(path: path, idleLimit: nil, vfs: .standard, isGuarded: false)
        var limits = limits
        limits.acceptsUnauthenticatedSlots = false
        try await file.unlock(key, limits: limits)
        var missing: [(metadata: CredentialMetadata, record: SharedSecret)] = []
        var unchangedCount = 0
        for item in try await file.list(service: nil, access: access).items {
            let record = try await file.record(of: item.reference, access)
            let present = try await recordIfPresent(item.reference, access)
            if let present {
                guard !present.isEqual(to: record) else {
                    unchangedCount += 1
                    continue
                }
                guard replacing else {
                    throw CredentialError(
                        .exists,
                        "nothing was imported: \(name) holds another credential \(item.reference.description)",
                        hint: "remove it, or replace such ones with --replace")
                }
            }
            missing.append((item, SharedSecret(record)))
        }
        for (item, record) in missing {
            try await save(
                Credential(record: record.secret.duplicate(), for: item.reference),
                service: item.reference.service, account: item.reference.account, label: item.label, access: access)
        }
        await file.lock()
        return ImportReport(importedCount: missing.count, unchangedCount: unchangedCount)
    }

    /// The stored form of a credential.
    func record(
        of reference: CredentialReference, _ access: CredentialAccess
    ) async throws(CredentialError) -> SecretBytes {
        try await read(reference, access: access).record(for: reference)
    }

    /// The stored form of a credential; nil where it is proven that there is none.
    func recordIfPresent(
        _ reference: CredentialReference, _ access: CredentialAccess
    ) async throws(CredentialError) -> SecretBytes? {
        do throws(CredentialError) {
            return try await record(of: reference, access)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }
}
