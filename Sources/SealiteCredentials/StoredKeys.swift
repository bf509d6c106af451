internal import FoundationEssentials
public import SealiteCrypto
public import SealiteFile

/// The raw keys of databases in a credential store, each stored under the id of its key slot. Backups, copies and files
/// with rotated keys keep the ids of their slots, so their keys are found too.
///
/// ```swift
/// import SealiteCredentials
/// import SealiteDatabase
///
/// let notes = try await Database.open("notes.db", keyFrom: store.keys())
/// ```
public struct StoredKeys: SlotKeyStore {
    /// The credential store that has the keys.
    public let store: any CredentialStore
    /// The rule for prompts and the time limit that apply to each call of the store.
    public let access: CredentialAccess

    /// Creates a reader and writer of the database keys in a store.
    public init(_ store: any CredentialStore, access: CredentialAccess = .silent) {
        self.store = store
        self.access = access
    }

    /// Returns the raw key of the first of the slots that is opened by a raw key and for which the store has the key.
    ///
    /// - Throws: `CredentialError`: `notFound` if the store has no key of the database, and the errors of
    ///   ``CredentialStore/read(_:access:)``, after which it is unknown whether the store has a key. The hint names the
    ///   recovery key if the file has one.
    public func key(ofDatabaseAt path: String, slots: [SlotInfo]) async throws -> SecretBytes {
        for slot in slots where slot.kind == .rawKey {
            do throws(CredentialError) {
                let credential = try await store.read(.slotKey(Self.bytes(of: slot.id)), access: access)
                guard case .slotKey(let found) = consume credential else {
                    throw CredentialError(
                        .damaged,
                        "the credential for key slot \(slot.number) of \"\(path)\" in \(store.name) isn't a database key"
                    )
                }
                return found.key.duplicate()
            } catch {
                guard error.code == .notFound else { throw Self.explained(error, path, slots) }
            }
        }
        let error = CredentialError(.notFound, "\(store.name) has no key of \"\(path)\"")
        throw Self.explained(error, path, slots)
    }

    /// Saves the raw key of a key slot under the slot's id. The label contains the file's name and, if it is known, the
    /// database's id, which is also saved with the key.
    ///
    /// - Throws: the `CredentialError`s of ``CredentialStore/save(_:service:account:label:access:)``.
    public func keep(
        _ key: consuming SecretBytes, ofSlot slotID: [UInt8], ofDatabaseAt path: String, databaseID: [UInt8]?
    ) async throws {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let hex = databaseID.map { Hexadecimal.text(of: $0) }
        let label = "Sealite database key of \(name)" + (hex.map { " (\($0))" } ?? "")
        let credential = SlotKeyCredential(
            slotID: slotID, databaseID: databaseID ?? [UInt8](repeating: 0, count: 16), key: key)
        try await store.save(
            .slotKey(credential), service: .keySlot(slotID), account: "", label: Self.withoutControls(label),
            access: access)
    }

    /// Removes the raw key of a key slot from the store.
    ///
    /// - Throws: the `CredentialError`s of ``CredentialStore/remove(_:access:)``.
    public func forget(slotID: [UInt8]) async throws { try await store.remove(.slotKey(slotID), access: access) }

    private static func explained(_ error: CredentialError, _ path: String, _ slots: [SlotInfo]) -> CredentialError {
        let ways = slots.contains { $0.kind == .recovery } ? "open it with the recovery key" : "give its key"
        let hint = error.hint.map { "\($0); or \(ways)" } ?? ways
        return CredentialError(error.code, "no key for \"\(path)\": \(error.reason)", hint: hint)
    }

    private static func bytes(of id: String) -> [UInt8] {
        let digits = id.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private static func withoutControls(_ label: String) -> String {
        String(String.UnicodeScalarView(label.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }
}

extension CredentialStore {
    /// Returns a reader and writer of the raw keys of databases in this store.
    public func keys(access: CredentialAccess = .silent) -> StoredKeys { StoredKeys(self, access: access) }
}
