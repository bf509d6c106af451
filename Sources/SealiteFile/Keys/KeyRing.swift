import SealiteCrypto
import Synchronization

/// The keys of one unlocked database in this process, shared by all its connections.
///
/// Thread-safe. `wipe()` is final: every codec created from the ring fails afterwards.
package final class KeyRing: Sendable {
    package let databaseID: [UInt8]
    package let pageSize: Int
    /// A number, unique within the process, that distinguishes several handles on one database.
    let handleNumber = KeyRegistry.nextHandleNumber()
    /// The path at which the database was unlocked, for messages.
    let path: String

    private struct State {
        var master: MasterKey?
        var kek: SlotKEK?
        var slotID: [UInt8]
        var content: HeaderContent
        var pageKeys: [UInt32: PageKey]
        var tampered: String?
        /// The recovery slots that a rotation by this handle carries over without an explicit decision: the slots of
        /// the key that unlocked the handle, and the slots that the handle created. Slots merely read from the header
        /// are excluded, since an attacker may have restored an old header.
        var vouched: Set<RecoverySlotName>
    }

    private let state: Mutex<State>
    private let isWiped = Atomic<Bool>(false)
    private let newestGeneration: Atomic<UInt64>
    private let sealingEpoch: Atomic<UInt32>
    private let tamperedFlag: Atomic<Bool>
    private let rotatingFlag: Atomic<Bool>
    private let owesCopy: Atomic<Bool>
    private let derivedKeys = DerivedKeyTable()

    package init(opened: SlotOpening.Opened, region: HeaderRegion, path: String) throws(SealedFileError) {
        let content = region.content
        databaseID = content.databaseID
        pageSize = content.pageSize
        self.path = path
        let tampered = try region.writingForbidden(under: opened.master)
        let pageKeys = try content.pageKeys(master: opened.master)
        newestGeneration = Atomic(content.generation)
        sealingEpoch = Atomic(content.epoch.epoch)
        tamperedFlag = Atomic(tampered != nil)
        rotatingFlag = Atomic(content.rotation != nil)
        owesCopy = Atomic(region.staleCopy != nil)
        state = Mutex(
            State(
                master: opened.master, kek: opened.kek, slotID: opened.slotID, content: content, pageKeys: pageKeys,
                tampered: tampered, vouched: Set(opened.recoverySlots)))
    }

    /// The generation of the header that the ring's keys were read from.
    package var generation: UInt64 { newestGeneration.load(ordering: .acquiring) }

    /// A Boolean value that says whether the keys are wiped.
    package var isLocked: Bool { isWiped.load(ordering: .acquiring) }

    /// The header's content as this handle last read it.
    package var content: HeaderContent { state.withLock { $0.content } }

    /// The id of the slot that opened the file.
    package var slotID: [UInt8] { state.withLock { $0.slotID } }

    /// The reason why the handle must not write, which is that somebody without the key wrote a header copy; nil if the
    /// handle may write.
    var tampering: String? { state.withLock { $0.tampered } }

    /// A Boolean value that says whether the handle must not write because somebody without the key wrote a header
    /// copy. Read without the ring's lock.
    var isTampered: Bool { tamperedFlag.load(ordering: .acquiring) }

    /// A Boolean value that says whether the header, as last read, records a rotation in progress.
    package var isRotating: Bool { rotatingFlag.load(ordering: .acquiring) }
    /// A Boolean value that says whether a header copy was damaged or stale when last read, so that the next writer
    /// must rewrite it.
    var owesHeaderCopy: Bool { owesCopy.load(ordering: .acquiring) }

    func headerCopyWasWritten() { owesCopy.store(false, ordering: .releasing) }

    /// The epoch that new pages are sealed under.
    var currentEpoch: UInt32 { sealingEpoch.load(ordering: .acquiring) }

    // MARK: Ciphers

    /// Returns the page key of an epoch; nil for an epoch that the header doesn't name. Throws `locked` after the keys
    /// were wiped.
    package func pageKey(of epoch: UInt32) throws(SealedFileError) -> PageKey? {
        guard let pageKey = state.withLock({ $0.pageKeys[epoch] }) else {
            guard !isLocked else { throw .keysLocked(path) }
            return nil
        }
        return pageKey
    }

    /// Creates a cipher for one use under one epoch, owned by the caller; nil for an epoch that the header doesn't
    /// name. Throws `locked` after the keys were wiped.
    func cipher(epoch: UInt32, use: KeyUse) throws(SealedFileError) -> XAESCipher? {
        guard let pageKey = try pageKey(of: epoch) else { return nil }
        return try SealedFileError.mappingCrypto { () throws(CryptoError) in
            try XAESCipher(key: try pageKey.derive(use.label, databaseID: databaseID))
        }
    }

    /// Derives the key of one use under the current epoch, for MACs rather than page encryption. Throws `locked` after
    /// the keys were wiped.
    func subkey(_ use: KeyUse) throws(SealedFileError) -> SecretBytes {
        guard let pageKey = state.withLock({ $0.pageKeys[$0.content.epoch.epoch] }) else { throw .keysLocked(path) }
        return try SealedFileError.mappingCrypto { () throws(CryptoError) in
            try pageKey.derive(use.label, databaseID: databaseID)
        }
    }

    /// Returns the page key of an epoch for a rotation, which wraps it under another master key; nil for an epoch that
    /// the header doesn't name, and after the keys were wiped.
    package func pageKey(epoch: UInt32) -> PageKey? { state.withLock { $0.pageKeys[epoch] } }

    /// Replaces the stored key-encryption key, after the handle changed the secret of the slot that opened it.
    func adopt(kek: SlotKEK?) { state.withLock { $0.kek = kek } }

    /// The key-encryption key of the slot that opened the file; nil if the handle keeps none, as for a recovery slot.
    var kek: SlotKEK? { state.withLock { $0.kek } }

    /// Returns whether this handle vouches for a recovery slot: the slot's key unlocked it, or it created the slot.
    func vouches(for slot: RecoverySlotName) -> Bool { state.withLock { $0.vouched.contains(slot) } }

    /// Records that this handle created a recovery slot and vouches for it: rotations by this handle carry the slot
    /// over. Does nothing for slots of other kinds.
    func vouch(for slot: KeySlot?) {
        guard let name = slot?.recoveryName else { return }
        _ = state.withLock { $0.vouched.insert(name) }
    }

    /// Records that this handle removed a recovery slot and no longer vouches for it. Does nothing for slots of other
    /// kinds.
    func withdraw(_ slot: KeySlot?) {
        guard let name = slot?.recoveryName else { return }
        _ = state.withLock { $0.vouched.remove(name) }
    }

    /// Registers derived keys, so that `wipe()` reaches them.
    func register(_ keys: any DerivedKeys) { derivedKeys.add(keys) }

    /// Unregisters derived keys whose owner is about to be freed.
    func unregister(_ keys: any DerivedKeys) { derivedKeys.remove(keys) }

    /// Returns the master key, for changes of the header. Throws `locked` after the keys were wiped.
    package func masterKey() throws(SealedFileError) -> MasterKey {
        guard let master = state.withLock({ $0.master }) else { throw .keysLocked(path) }
        return master
    }

    /// Returns the master key and the header it belongs to, read atomically. Throws `locked` after the keys were wiped.
    func masterKeyAndContent() throws(SealedFileError) -> (MasterKey, HeaderContent) {
        let (master, content) = state.withLock { ($0.master, $0.content) }
        guard let master else { throw .keysLocked(path) }
        return (master, content)
    }

    // MARK: Following the header

    /// Adopts the slots and keys of a header that was read from the file, and ignores a header of an older generation,
    /// which was read before another thread adopted a newer one; see `requireNotBefore`. Does nothing after the keys
    /// were wiped. Throws `fileReplaced` for the header of another database, or of another copy of the database, which
    /// has the known generation with other content; and `tamperedHeader` or `unlockAgain` if a new header isn't
    /// authentic or the handle can't derive its keys.
    package func follow(_ region: HeaderRegion) throws(SealedFileError) {
        try state.withLock { (state) throws(SealedFileError) in
            guard !isLocked else { return }
            try requireSameFile(region)
            guard region.content.generation >= state.content.generation else { return }
            owesCopy.store(region.staleCopy != nil, ordering: .releasing)
            let isNewer = region.content.generation > state.content.generation
            guard isNewer || region.content != state.content else {
                // A copy altered while this handle was open is left as evidence for a person to decide on.
                if region.staleCopy != nil, let master = state.master {
                    state.tampered = try region.writingForbidden(under: master)
                    publish(state)
                }
                return
            }
            let master = try Self.master(for: region.content, known: state.master, kek: state.kek)
            let tampered = try region.writingForbidden(under: master)
            // An authentic header of the known generation with other content is that of a copy of the database.
            guard isNewer || tampered != nil else { throw .divergedCopy(path) }
            state.tampered = tampered
            state.pageKeys = try region.content.pageKeys(master: master)
            state.master = master
            state.content = region.content
            // Only a restored old header could bring a removed slot back.
            state.vouched.formIntersection(region.content.recoveryNames)
            assert(master.id == region.content.masterID, "the ring's master key is that of its header")
            assert(state.pageKeys[region.content.epoch.epoch] != nil, "pages are sealed under the header's epoch")
            publish(state)
        }
    }

    /// Throws `fileReplaced` if a header is that of another database.
    func requireSameFile(_ region: HeaderRegion) throws(SealedFileError) {
        guard region.content.databaseID == databaseID, region.content.pageSize == pageSize else {
            throw .fileReplaced(path)
        }
    }

    /// Throws `rolledBack` if a header is older than the one that was known before it was read, which means that
    /// somebody restored an old header. An old header couldn't decrypt pages that are encrypted under the newest keys,
    /// and would restore removed slots. `known` is the value of `generation` before the read.
    package func requireNotBefore(_ known: UInt64, _ region: HeaderRegion) throws(SealedFileError) {
        guard region.content.generation < known else { return }
        throw SealedFileError(
            .rolledBack,
            "an older header was put back into \"\(path)\" while it was open: generation \(region.content.generation) after \(known)",
            hint: "close every connection, then put the newest file in place, or open the old one as it is")
    }

    /// Throws `tamperedHeader` if the copy in force of a header isn't authentic under this handle's master key, so that
    /// none of its fields are carried over into a new header.
    func requireAuthentic(_ region: HeaderRegion) throws(SealedFileError) {
        let master = try masterKey()
        guard
            try SealedFileError.mappingCrypto({ () throws(CryptoError) in try region.image.isAuthentic(under: master) })
        else {
            throw .tamperedHeader("the MAC of header copy \(region.chosen) is wrong")
        }
    }

    private static func master(
        for content: HeaderContent, known: MasterKey?, kek: SlotKEK?
    ) throws(SealedFileError) -> MasterKey {
        if let known, known.id == content.masterID { return known }
        let followed = try SealedFileError.mappingCrypto { () throws(CryptoError) -> MasterKey? in
            if let known, let rotation = content.rotation, rotation.previousMasterID == known.id {
                return try known.cross(rotation.bridge, to: content.masterID, databaseID: content.databaseID)
            }
            guard let kek, let slot = content.slots.compactMap({ $0 }).first(where: { $0.id == kek.slotID }) else {
                return nil
            }
            return try kek.open(slot, masterID: content.masterID)
        }
        guard let followed else {
            throw SealedFileError(
                .unlockAgain,
                "the file's keys were rotated, and this handle has no secret that unlocks the new ones",
                hint: "unlock the same handle again with a secret that unlocks the file now")
        }
        return followed
    }

    /// Replaces the handle's keys by those of the secret that `SealedDatabase.unlockAgain(key:limits:)` was given, for
    /// all its connections. The header must have passed `requireSameFile` and `requireNotBefore`. Throws `busy` if
    /// another thread has adopted a newer header since this one was read.
    func replaceKeys(opened: SlotOpening.Opened, region: HeaderRegion) throws(SealedFileError) {
        let tampered = try region.writingForbidden(under: opened.master)
        let pageKeys = try region.content.pageKeys(master: opened.master)
        try state.withLock { (state) throws(SealedFileError) in
            guard !isLocked else { throw .keysLocked(path) }
            guard region.content.generation >= state.content.generation else {
                throw SealedFileError(
                    .busy, "another connection changed the file's header meanwhile", hint: "try again")
            }
            assert(opened.master.id == region.content.masterID, "the ring's master key is that of its header")
            assert(pageKeys[region.content.epoch.epoch] != nil, "pages are sealed under the header's epoch")
            state = State(
                master: opened.master, kek: opened.kek, slotID: opened.slotID, content: region.content,
                pageKeys: pageKeys, tampered: tampered,
                vouched: state.vouched.union(opened.recoverySlots).intersection(region.content.recoveryNames))
            owesCopy.store(region.staleCopy != nil, ordering: .releasing)
            publish(state)
        }
    }

    /// Copies the values that hot paths need into atomics, readable without the lock.
    private func publish(_ state: borrowing State) {
        assert(state.content.generation >= newestGeneration.load(ordering: .relaxed), "generations never go back")
        assert(state.content.databaseID == databaseID && state.content.pageSize == pageSize)
        rotatingFlag.store(state.content.rotation != nil, ordering: .releasing)
        tamperedFlag.store(state.tampered != nil, ordering: .releasing)
        sealingEpoch.store(state.content.epoch.epoch, ordering: .releasing)
        newestGeneration.store(state.content.generation, ordering: .releasing)
    }

    // MARK: The end

    /// Wipes every key, including the keys that codecs have derived. Later I/O on every connection fails.
    package func wipe() {
        isWiped.store(true, ordering: .releasing)
        state.withLock { state in
            state.master = nil
            state.kek = nil
            state.pageKeys = [:]
        }
        derivedKeys.wipeAll()
    }

    deinit { wipe() }
}

extension HeaderContent {
    /// Unwraps the page keys that this header holds, by epoch.
    func pageKeys(master: MasterKey) throws(SealedFileError) -> [UInt32: PageKey] {
        try SealedFileError.mappingCrypto { () throws(CryptoError) in
            var keys = [epoch.epoch: try master.unwrap(epoch, databaseID: databaseID)]
            if let previous = rotation?.previousEpoch {
                keys[previous.epoch] = try master.unwrap(previous, databaseID: databaseID)
            }
            return keys
        }
    }
}

extension HeaderRegion {
    /// Returns the reason why this header's file may only be read, which is that somebody without the key wrote the
    /// copy that isn't in force; nil if the file may be written. Throws `tamperedHeader` if the copy in force was
    /// written without the key.
    func writingForbidden(under master: MasterKey) throws(SealedFileError) -> String? {
        guard let tampering = try tampering(under: master) else { return nil }
        guard !tampering.chosenCopy else { throw .tamperedHeader(tampering.reason) }
        return tampering.reason
    }
}

/// The keys that were derived from one key ring, so that all of them can be wiped at once. Thread-safe.
///
/// The owner of derived keys removes them when it is freed. Weak references would slow down every page.
final class DerivedKeyTable: Sendable {
    private let entries = Mutex<[ObjectIdentifier: any DerivedKeys]>([:])

    func add(_ keys: any DerivedKeys) {
        let known = entries.withLock { $0.updateValue(keys, forKey: ObjectIdentifier(keys)) }
        assert(known == nil, "derived keys are registered once")
    }

    func remove(_ keys: any DerivedKeys) {
        let known = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(keys)) }
        assert(known != nil, "derived keys are unregistered once")
    }

    func wipeAll() {
        // Without the lock, which the owners of keys take when they are freed.
        for keys in entries.withLock({ Array($0.values) }) { keys.wipe() }
    }
}

/// Keys derived from a key ring, which ``SealedDatabase/lock()`` must wipe too. Thread-safe.
protocol DerivedKeys: AnyObject, Sendable {
    /// Wipes every key. Later uses throw `locked`.
    func wipe()
}

/// The uses of page keys. A separate key is derived for each. `Documentation/FORMAT.md` §3.
package enum KeyUse: UInt32 {
    case main = 1
    case wal = 2
    case journal = 3
    case sidecar = 4

    var label: String {
        switch self {
        case .main: "Sealite 1 main"
        case .wal: "Sealite 1 WAL"
        case .journal: "Sealite 1 journal"
        case .sidecar: "Sealite 1 sidecar"
        }
    }
}
