import SealiteCredentials
import SealiteCrypto
import SealiteFile

/// A random raw key for a new key slot, which is saved in the credential store before anything is sealed with it.
final class NewStoredKey: Sendable {
    let slotID: [UInt8]
    private let key: SecretBytes
    private let path: String
    private let check: NewSlotCheck
    private let store: any CredentialStore
    private let access: CredentialAccess
    private var reference: CredentialReference { .slotKey(slotID) }

    /// Creates a key for a database at a path, and saves it.
    init(for path: String, _ options: StoreOptions, _ permission: Console.Permission) throws {
        self.path = path
        check = NewSlotCheck(before: path)
        slotID = try SecureRandom.bytes(16)
        key = try SecretBytes.random(byteCount: 32)
        access = options.access(permission)
        store = try waiting { try await options.open(permission, makesVault: true).store }
        try save(path, databaseID: [UInt8](repeating: 0, count: 16))
    }

    var secret: NewSlotSecret { .rawKey(key.duplicate()) }

    /// The name of the credential store, for messages.
    var storeName: String { store.name }

    /// Adds the database's id to the saved key. The key itself is saved already, so a failure of the store at
    /// this point doesn't make the creation of the database fail.
    func note(_ path: String, databaseID: String) {
        do {
            try save(path, databaseID: StoredKey.bytes(of: databaseID))
        } catch {
            let reason = ToolError(any: error).message
            Console.note(
                "the key of \"\(path)\" is in \(storeName), but the database's id couldn't be added to it: \(reason)"
                    .withoutControls + "\n")
        }
    }

    /// Removes the key from the store after the creation of the database or of the key slot failed. If the database has
    /// the slot nevertheless, or may have it, the key is kept. A failure is ignored.
    func withdraw() {
        guard !check.mayHaveSlot(where: { $0.id == slotID.hex }) else {
            return Console.warn(
                "stored-key-kept",
                "the key in \(storeName) may open \"\(path)\" although the command failed, and is kept there")
        }
        try? waiting { [store, reference, access] in try await store.remove(reference, access: access) }
    }

    private func save(_ path: String, databaseID: [UInt8]) throws {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let known = databaseID.contains { $0 != 0 }
        let label = "Sealite database key of \(name)" + (known ? " (\(databaseID.hex))" : "")
        try waiting { [self] in
            try await store.save(
                .slotKey(SlotKeyCredential(slotID: slotID, databaseID: databaseID, key: key.duplicate())),
                service: reference.service, account: "", label: label.withoutControls, access: access)
        }
    }
}
