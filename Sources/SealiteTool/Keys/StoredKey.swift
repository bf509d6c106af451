import SealiteCredentials
import SealiteCrypto
import SealiteFile

/// The keys of databases in the credential store, found by the ids of their key slots.
enum StoredKey {
    /// The result of looking up a database's key in a store.
    enum Answer: ~Copyable {
        /// The key, and the store's name.
        case found(SecretBytes, String)
        /// It is certain that no store has a key for the database: the store with this name was read and has none; or,
        /// if the name is nil, the file has no raw-key slot, or no store was named and there is no sign of one on this
        /// machine.
        case absent(store: String?)
        /// The store couldn't be queried, which doesn't mean that there is no key.
        case unavailable(CredentialError)
    }

    /// Queries the store for the key of one of the raw-key slots, or only of the slot `number` if it isn't nil.
    static func find(
        slots: [SlotInfo], only number: Int?, _ options: StoreOptions, _ permission: Console.Permission
    ) throws -> Answer {
        let ids = slots.filter { $0.kind == .rawKey && number ?? $0.number == $0.number }.map(\.id)
        guard !ids.isEmpty, try options.isChosen() || Credentials.mayHaveStore() else { return .absent(store: nil) }
        let access = options.access(permission)
        do {
            let found = try waiting { () -> (key: SecretBox<SecretBytes>?, name: String) in
                let store = try await options.open(permission).store
                for id in ids {
                    do throws(CredentialError) {
                        let credential = try await store.read(.slotKey(hexBytes(id)), access: access)
                        guard case .slotKey(let found) = consume credential else { continue }
                        return (SecretBox(found.key.duplicate()), store.name)
                    } catch {
                        guard error.code == .notFound else { throw error }
                    }
                }
                return (nil, store.name)
            }
            if let key = found.key?.take() { return .found(key, found.name) }
            return .absent(store: found.name)
        } catch let error as CredentialError {
            // A failure of the store is an error only if the user chose the store, not if the store was tried by
            // default.
            if options.isNamed || !isAway(error) { throw error }
            return .unavailable(error)
        }
    }

    /// Returns whether the error means that the store itself couldn't be reached or opened.
    private static func isAway(_ error: CredentialError) -> Bool {
        error.isTransient || error.code == .noVault || error.code == .noCollection
    }

    /// Returns the error for a database that only a key from the store could have opened.
    static func unavailable(_ error: CredentialError, path: String, slots: [SlotInfo]) -> ToolError {
        let hasRecovery = slots.contains { $0.kind == .recovery }
        let way =
            hasRecovery
            ? "open the database with its recovery key: --recovery-key-file" : "give its key with --key-file"
        let hint = error.hint.map { "\($0); or \(way)" } ?? way
        return ToolError(
            ExitStatus(error.code), code: error.code.rawValue,
            "no key for \"\(path)\" was given, and the credential store can't be used: \(error.reason)", hint: hint)
    }

    /// Returns the error for a database without a key on the command line, in the settings and in `store`, the name of
    /// the store that was read; nil if none was. A raw-key slot may be that of a key in a store that wasn't named, which
    /// the file doesn't tell.
    static func missing(of path: String, slots: [SlotInfo], store: String?) -> ToolError {
        guard slots.contains(where: { $0.kind == .rawKey }) else {
            return .usage("no key for \"\(path)\" was given", hint: KeyOptions.hint)
        }
        return .usage(
            "no key for \"\(path)\" was given, and "
                + (store.map { "\($0) has none for it" } ?? "no credential store was named that may hold it"),
            hint: "\(KeyOptions.hint); \(otherStore)")
    }

    /// The way to a key that is in a store that wasn't named.
    static let otherStore =
        "if the key is in a credential store, name the store with --store, or with --vault and its key"
}

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
            try save(path, databaseID: hexBytes(databaseID))
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
