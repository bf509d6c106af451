import SealiteCredentials
import SealiteCrypto
import SealiteFile

/// The keys of databases in the credential store, found by the ids of their key slots.
enum StoredKey {
    /// The result of looking up a database's key in a store.
    enum Answer: ~Copyable {
        /// The key, and the store's name.
        case found(SecretBytes, String)
        /// It is certain that no store has a key for the database: the store was read and has none, the file has no
        /// raw-key slot, or there is no sign of a store on this machine.
        case absent
        /// The store couldn't be queried, which doesn't mean that there is no key.
        case unavailable(CredentialError)
    }

    /// Queries the store for the key of one of the raw-key slots, or only of the slot `number` if it isn't nil.
    static func find(
        slots: [SlotInfo], only number: Int?, _ options: StoreOptions, _ permission: Console.Permission
    ) throws -> Answer {
        let ids = slots.filter { $0.kind == .rawKey && number ?? $0.number == $0.number }.map(\.id)
        guard !ids.isEmpty, try options.isChosen() || Credentials.mayHaveStore() else { return .absent }
        let access = options.access(permission)
        do {
            let found = try waiting { () -> (key: SecretBox<SecretBytes>, name: String)? in
                let store = try await options.open(permission).store
                for id in ids {
                    do throws(CredentialError) {
                        let credential = try await store.read(.slotKey(bytes(of: id)), access: access)
                        guard case .slotKey(let found) = consume credential else { continue }
                        return (SecretBox(found.key.duplicate()), store.name)
                    } catch {
                        guard error.code == .notFound else { throw error }
                    }
                }
                return nil
            }
            if let found, let key = found.key.take() { return .found(key, found.name) }
            return .absent
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
        let hasRecovery = slots.contains { $0.kind.isRecovery }
        let way =
            hasRecovery
            ? "open the database with its recovery key: --recovery-key-file" : "give its key with --key-file"
        let hint = error.hint.map { "\($0); or \(way)" } ?? way
        return ToolError(
            ExitStatus(error.code), code: error.code.rawValue,
            "no key for \"\(path)\" was given, and the credential store can't be used: \(error.reason)", hint: hint)
    }

    /// Returns the bytes of an id that is given in hexadecimal digits.
    static func bytes(of id: String) -> [UInt8] {
        let digits = id.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
