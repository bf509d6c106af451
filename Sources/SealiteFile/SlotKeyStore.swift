public import SealiteCrypto

/// Stores the raw keys of key slots outside of their files and retrieves them, as a credential store does.
public protocol SlotKeyStore: Sendable {
    /// Returns the raw key of one of a database's slots.
    ///
    /// - Parameters:
    ///   - path: the path of the database, for messages.
    ///   - slots: all slots of the database; only those of kind `rawKey` can have a stored key.
    /// - Returns: the key, 32 bytes.
    /// - Throws: one error if no key is stored, and a different one if that can't be determined.
    func key(ofDatabaseAt path: String, slots: [SlotInfo]) async throws -> SecretBytes

    /// Stores a slot's raw key, replacing the key that was stored for the slot before.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - slotID: the slot's id, 16 bytes.
    ///   - path: the path that the database has or will get, for people.
    ///   - databaseID: the id of the database, 16 bytes; nil if it isn't created yet.
    /// - Throws: an error unless it is certain that the key is stored.
    func keep(
        _ key: consuming SecretBytes, ofSlot slotID: [UInt8], ofDatabaseAt path: String, databaseID: [UInt8]?
    ) async throws

    /// Deletes the stored key of a slot.
    func forget(slotID: [UInt8]) async throws
}

extension SealedDatabase {
    /// Unlocks a sealed database with a slot key that a credential store holds for it, without blocking the calling
    /// task's thread.
    ///
    /// - Throws: the store's errors, and `SealedFileError` as ``open(_:key:limits:)``: `wrongKey` if the stored key
    ///   isn't that of a slot.
    public static func open(_ path: String, keyFrom store: any SlotKeyStore) async throws -> SealedDatabase {
        let slots = try await Offload.run { try namedSlots(ofFileAt: path) }
        let key = SecretBox(UnlockKey.rawKey(try await store.key(ofDatabaseAt: path, slots: slots)))
        return try await Offload.run { try open(path, key: try key.taken()) }
    }

    /// Creates an empty sealed database under a random key that a store stores before anything is sealed under it,
    /// without blocking the calling task's thread.
    ///
    /// A recovery key (`options.recoveryKey`) is the only other way to unlock the file if the store is lost.
    ///
    /// - Throws: the store's errors, and `SealedFileError` as ``create(_:slot:options:)``. If no file was created, the
    /// store deletes the key.
    public static func create(
        _ path: String, keyIn store: any SlotKeyStore, options: CreationOptions = CreationOptions()
    ) async throws -> SealedDatabase {
        var options = options
        let slotID = try SecureRandom.bytes(16)
        options.slotID = slotID
        let key = try SecretBytes.random(byteCount: 32)
        try await store.keep(key.duplicate(), ofSlot: slotID, ofDatabaseAt: path, databaseID: nil)
        let slot = SecretBox(NewSlotSecret.rawKey(key.duplicate()))
        let made: SealedDatabase
        do {
            made = try await Offload.run { [options] in
                try create(path, slot: try slot.taken(), options: options)
            }
        } catch {
            // Whatever failed later, a file that has the slot still needs its key.
            let isMade = (try? namedSlots(ofFileAt: path).contains { $0.id == slotID.hex }) ?? false
            if !isMade { try? await store.forget(slotID: slotID) }
            throw error
        }
        // The database id is informative: the key can be found without it, and the file exists.
        try? await store.keep(key, ofSlot: slotID, ofDatabaseAt: path, databaseID: made.ring.databaseID)
        return made
    }

    /// Returns the slots in a file's header, without a key and therefore without proof.
    private static func namedSlots(ofFileAt path: String) throws(SealedFileError) -> [SlotInfo] {
        try BaseHandle.readHeader(path, vfs: VFSChoice.standard.base).content.slotInfos
    }
}

extension SecretBox where Content: ~Copyable {
    /// Moves the content out of the box, which is possible once.
    ///
    /// - Throws: `internalFailure` if the content was taken before.
    package func taken() throws(SealedFileError) -> Content {
        guard let content = take() else {
            throw SealedFileError(.internalFailure, "the key was used already, and can be used only once")
        }
        return content
    }
}
