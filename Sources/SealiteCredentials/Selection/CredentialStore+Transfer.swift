internal import SealiteCrypto
public import SealiteFile

/// Export and import of a whole store as one sealed file: Documentation/Credentials.md §5.
extension CredentialStore {
    /// Writes every credential into a new sealed file, which appears as a whole or not at all.
    ///
    /// - Parameters:
    ///   - path: the path of the file to create.
    ///   - secret: the secret that opens the file.
    ///   - recoveryKey: a recovery key, which gets a slot too; nil for none.
    ///   - access: the rule for prompts, and the time limit of each credential.
    /// - Returns: the number of credentials in the file.
    /// - Throws: `locked` if a part of the store isn't visible, `duplicate`, `exists`, `diskFull`, the errors of the
    ///   store.
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

    /// Saves every credential of a file that ``export(to:secret:recoveryKey:access:)`` wrote.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - key: the key that opens the file.
    ///   - limits: the bounds on the cost of unlocking.
    ///   - replacing: true to replace other credentials under the same references.
    ///   - access: the rule for prompts, and the time limit of each credential.
    /// - Returns: the numbers of imported and unchanged credentials.
    /// - Throws: `exists` if the store holds another credential under the same reference and `replacing` is false:
    ///   nothing was changed then; `noVault`, `damaged`, `wrongPassphrase`, `invalidArgument` for the file; the errors
    ///   of the store.
    @discardableResult
    public func importAll(
        from path: String, key: consuming UnlockKey, limits: UnlockLimits = UnlockLimits(), replacing: Bool = false,
        access: CredentialAccess = .silent
    ) async throws(CredentialError) -> ImportReport {
        let file = VaultStore(path: path, idleLimit: nil, vfs: .standard, isGuarded: false)
        try await file.unlock(key, limits: limits)
        var missing: [(metadata: CredentialMetadata, record: SharedSecret)] = []
        var unchangedCount = 0
        for item in try await file.list(service: nil, access: access).items {
            let record = try await file.record(of: item.reference, access)
            switch try await presence(of: item.reference, comparedTo: record, replacing: replacing, access) {
            case .equal: unchangedCount += 1
            case .different where !replacing:
                throw CredentialError(
                    .exists,
                    "nothing was imported: \(name) holds a different secret for credential \(item.reference.description)",
                    hint: CredentialRemedy.replaceImported.hint)
            case .different, .absent: missing.append((item, SharedSecret(record)))
            }
        }
        for (item, record) in missing {
            try await save(
                Credential(record: record.secret.duplicate(), for: item.reference),
                service: item.reference.service, account: item.reference.account, label: item.label, access: access)
        }
        await file.lock()
        return ImportReport(importedCount: missing.count, unchangedCount: unchangedCount)
    }

    /// Returns the stored form of a credential.
    func record(
        of reference: CredentialReference, _ access: CredentialAccess
    ) async throws(CredentialError) -> SecretBytes {
        try await read(reference, access: access).record(for: reference)
    }

    /// Compares the credential that this store has under a reference with a record in its stored form. If it is to be
    /// replaced, one that can't be read (damaged, of a newer version, or several items) is a different one.
    func presence(
        of reference: CredentialReference, comparedTo record: borrowing SecretBytes, replacing: Bool,
        _ access: CredentialAccess
    ) async throws(CredentialError) -> CredentialPresence {
        do throws(CredentialError) {
            guard let present = try await recordIfPresent(reference, access) else { return .absent }
            return present.isEqual(to: record) ? .equal : .different
        } catch {
            guard replacing, [.damaged, .duplicate, .unsupportedVersion].contains(error.code) else { throw error }
            return .different
        }
    }

    /// Returns the stored form of a credential; nil if it is proven that the store doesn't have it.
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

/// The credential that a store has under a reference, compared with another one.
enum CredentialPresence {
    case absent, equal, different
}

/// The numbers of credentials that the import of an exported store saved and left unchanged.
public struct ImportReport: Sendable, Hashable {
    /// The number of credentials that were saved: new ones, and ones that replaced another secret.
    public let importedCount: Int
    /// The number of credentials of the file that the store already had, with the same secret.
    public let unchangedCount: Int
}
