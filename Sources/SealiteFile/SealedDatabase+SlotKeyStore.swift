internal import SealiteCrypto

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
