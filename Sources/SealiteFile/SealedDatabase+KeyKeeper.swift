public import SealiteCrypto

/// Keeps the raw keys of key slots outside of their files, and finds them again: a credential store, for example.
public protocol KeyKeeper: Sendable {
    /// The raw key of one of a database's slots.
    ///
    /// - Parameters:
    ///   - path: where the database is, for messages.
    ///   - slots: all its slots; raw keys open those of that kind.
    /// - Returns: the key, 32 bytes.
    /// - Throws: when none is kept, and when that can't be told. The errors must differ: one says that there is no key, the
    ///   other nothing.
    func key(ofDatabaseAt path: String, slots: [SlotInfo]) async throws -> SecretBytes

    /// Keeps a slot's raw key, in place of what was kept for the slot before.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - slotID: the slot's id, 16 bytes.
    ///   - path: where the database is, or will be, for people.
    ///   - databaseID: the id of the database, 16 bytes; nil while it isn't made yet.
    /// - Throws: when it isn't certain that the key is kept.
    func keep(
        _ key: consuming SecretBytes, ofSlot slotID: [UInt8], ofDatabaseAt path: String, databaseID: [UInt8]?
    ) async throws

    /// Forgets a slot's key.
    func forget(slotID: [UInt8]) async throws
}

extension SealedDatabase {
    /// Unlocks a sealed database with the key that a keeper has for one of its slots. Blocks no thread of the caller's.
    ///
    /// - Throws: what the keeper throws, and `SealedFileError` as ``open(_:key:limits:)``: `wrongKey` when the key that was
    ///   kept isn't the slot's.
    public static func open(_ path: String, keyFrom keeper: any KeyKeeper) async throws -> SealedDatabase {
        let slots = try await Offload.run { try namedSlots(ofFileAt: path) }
        let key = SecretBox(UnlockKey.rawKey(try await keeper.key(ofDatabaseAt: path, slots: slots)))
        return try await Offload.run { try open(path, key: try key.taken()) }
    }

    /// Makes a new, empty sealed database under a random key that a keeper has before anything is sealed under it.
    /// Blocks no thread of the caller's.
    ///
    /// A recovery key (`options.recoveryKey`) is the way in when the keeper is lost; without one there is none.
    ///
    /// - Throws: what the keeper throws, and `SealedFileError` as ``create(_:slot:options:)``. Where no file was made, the
    ///   keeper forgets the key.
    public static func create(
        _ path: String, keyIn keeper: any KeyKeeper, options: CreationOptions = CreationOptions()
    ) async throws -> SealedDatabase {
        var options = options
        let slotID = try SecureRandom.bytes(16)
        options.slotID = slotID
        let key = try SecretBytes.random(byteCount: 32)
        try await keeper.keep(key.duplicate(), ofSlot: slotID, ofDatabaseAt: path, databaseID: nil)
        let slot = SecretBox(NewSlotSecret.rawKey(key.duplicate()))
        let made: SealedDatabase
        do {
            made = try await Offload.run { [options] in
                try create(path, slot: try slot.taken(), options: options)
            }
        } catch {
            // A file that has the slot, whatever failed after it was there, needs its key.
            let isMade = (try? namedSlots(ofFileAt: path).contains { $0.id == slotID.hex }) ?? false
            if !isMade { try? await keeper.forget(slotID: slotID) }
            throw error
        }
        // The id is for people: without it the key is found all the same, and the file is there.
        try? await keeper.keep(key, ofSlot: slotID, ofDatabaseAt: path, databaseID: made.ring.databaseID)
        return made
    }

    /// Returns the slots that the header of a file names. Needs no key, and proves none of them.
    private static func namedSlots(ofFileAt path: String) throws(SealedFileError) -> [SlotInfo] {
        try BaseHandle.readHeader(path, vfs: VFSChoice.standard.base).content.slotInfos
    }
}
