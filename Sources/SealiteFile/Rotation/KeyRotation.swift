import SealiteCrypto

/// A key rotation: replaces the master key and the page key and reseals every page, while other connections continue to
/// read and write.
///
/// Decide what happens to every key slot, then call `run`. The slot that opened the handle, unless another handle has
/// changed its secret since, and the recovery slots that the handle created are carried over automatically. Every other
/// passphrase or raw-key slot needs its secret. A recovery slot needs only a decision, by its private half
/// (``supply(_:limits:)``) or its public key (``keepRecoverySlot(publicKey:)``), since a restored old header can hold a
/// slot that was removed. A rotation can be interrupted at any time; the next rotation resumes it. Use an instance once,
/// from one thread.
///
/// ```swift
/// let rotation = try KeyRotation(of: notes)
/// try rotation.supply(.passphrase(second))
/// let report = try rotation.run { progress in .proceed }
/// ```
public final class KeyRotation {
    /// The decision of the progress callback: to continue the rotation, or to stop it so that it can be resumed later.
    public enum Control: Sendable { case proceed, stop }

    private let database: SealedDatabase
    private let master: MasterKey
    private var decisions: [[UInt8]: SlotDecision] = [:]
    private var replacedKEKs: [[UInt8]: SlotKEK] = [:]
    private let content: HeaderContent
    /// The master key under which the header was found authentic.
    private let oldMaster: MasterKey
    var pace = RotationPace()

    private enum SlotDecision {
        case carry(SlotKEK)
        /// Seals the new master key to a recovery slot, which must still have the same id and public key.
        case keep(RecoverySlotName)
        /// Puts a new slot in the place of the slot `of`, which must not have changed.
        case replace(KeySlot, of: KeySlot)
        /// Leaves out a slot, which must not have changed.
        case drop(KeySlot)
    }

    /// Prepares a rotation of an unlocked database without writing anything.
    public init(of database: SealedDatabase) throws(SealedFileError) {
        self.database = database
        let known = database.ring.generation
        let region = try BaseHandle.readHeader(database.path, vfs: database.vfs.base)
        try database.ring.follow(region)
        // The secrets are tried on these slots, and an attacker's recovery slot would receive the new keys.
        try database.ring.requireAuthentic(region)
        try database.ring.requireNotBefore(known, region)
        content = region.content
        oldMaster = try database.ring.masterKey()
        master = try SealedFileError.mappingCrypto { () throws(CryptoError) in try MasterKey.random() }
        // Another handle may have changed the slot's secret: then the slot needs a decision, as those of others do.
        if let kek = database.ring.kek,
            let slot = content.slots.compactMap({ $0 }).first(where: { $0.id == kek.slotID }),
            try Self.accepts(kek, slot, masterID: content.masterID)
        {
            decisions[kek.slotID] = .carry(kek)
        }
        for slot in content.recoveryNames where database.ring.vouches(for: slot) { decisions[slot.id] = .keep(slot) }
    }

    /// A Boolean value that says whether the header recorded an unfinished rotation when this object was created.
    /// ``run(busyTimeout:progress:)`` completes such a rotation first.
    public var isResuming: Bool { content.rotation != nil }

    /// The slots at the time the rotation was prepared.
    public var slots: [SlotInfo] { content.slotInfos }

    /// Supplies the secret of a slot that is to be carried over unchanged.
    ///
    /// - Throws: `SealedFileError`: `wrongKey` if the secret opens no slot, `tamperedHeader` if the slot is forged or
    ///   contains another master key than the one that opened the file, `costRefused`, `invalidArgument` for a secret
    ///   of an invalid length.
    public func supply(_ key: borrowing UnlockKey, limits: UnlockLimits = UnlockLimits()) throws(SealedFileError) {
        // The header is authentic under the handle's master key, so the slot must contain that master key.
        let opened = try SlotOpening.open(content, with: key, limits: limits)
        guard opened.master.key.isEqual(to: oldMaster.key) else {
            throw .tamperedHeader(
                "the key slot of the supplied secret holds another master key than the one that the file was opened with"
            )
        }
        if let kek = opened.kek { decisions[kek.slotID] = .carry(kek) }
        for slot in opened.recoverySlots { decisions[slot.id] = .keep(slot) }
    }

    /// Decides that the rotation carries over the recovery slots of a public key, without its private half.
    ///
    /// - Parameter publicKey: 32 bytes, as ``RecoveryKey/publicKey`` has them.
    /// - Throws: `SealedFileError`: `invalidArgument` if no slot has this public key.
    public func keepRecoverySlot(publicKey: [UInt8]) throws(SealedFileError) {
        try keepRecoverySlot(fingerprint: RecoveryKey.fingerprint(of: publicKey))
    }

    /// Decides that the rotation carries over the recovery slots of a public key, given its fingerprint. Numbers and
    /// labels don't identify a slot: a restored old header can have another slot at the same number.
    ///
    /// - Parameter fingerprint: 32 hex digits, as in ``SlotInfo/fingerprint``.
    /// - Throws: `SealedFileError`: `invalidArgument` if no slot has this fingerprint.
    public func keepRecoverySlot(fingerprint: String) throws(SealedFileError) {
        let wanted = hexBytes(fingerprint)
        let named = content.recoveryNames.filter {
            wanted.count == 16 && hexBytes(RecoveryKey.fingerprint(of: $0.publicKey)) == wanted
        }
        guard !named.isEmpty else {
            throw SealedFileError(
                .invalidArgument, "no recovery slot has the fingerprint \(fingerprint)",
                hint: FileRemedy.listSlots.hint)
        }
        for slot in named { decisions[slot.id] = .keep(slot) }
    }

    /// Decides that the rotation replaces the secret of a slot, which keeps its id and label.
    ///
    /// - Throws: `SealedFileError`: `invalidArgument` if no slot has this number or the secret has an invalid length,
    ///   `costRefused`.
    public func replaceSlot(_ number: Int, with secret: borrowing NewSlotSecret) throws(SealedFileError) {
        let old = try content.slot(number)
        let made = try SlotOpening.make(
            secret, label: old.label, id: old.id, master: master, databaseID: content.databaseID)
        assert(made.slot.id == old.id && made.slot.label == old.label, "a replaced slot keeps its id and label")
        decisions[old.id] = .replace(made.slot, of: old)
        replacedKEKs[old.id] = made.kek
    }

    /// Decides that the rotation leaves a slot out of the new header, so that its secret no longer opens the file.
    /// Throws `invalidArgument` if no slot has this number.
    public func dropSlot(_ number: Int) throws(SealedFileError) {
        let slot = try content.slot(number)
        decisions[slot.id] = .drop(slot)
    }

    /// The numbers of the slots without a decision. ``run(busyTimeout:progress:)`` refuses to begin while there are
    /// any.
    public var undecidedSlots: [Int] {
        content.slots.enumerated().compactMap { index, slot in
            guard let slot, decisions[slot.id] == nil else { return nil }
            return index + 1
        }
    }

    /// Runs the rotation. Completes an interrupted one first and then rotates again: the slots in the interrupted
    /// rotation's header aren't trusted, because an attacker could have restored that header. Blocks until the rotation
    /// is done, stopped or failed; don't call it on an executor that must not block.
    ///
    /// - Parameters:
    ///   - busyTimeout: the time to wait for a lock.
    ///   - progress: called after each batch; `.stop` leaves the rotation to be resumed later.
    /// - Returns: the result of the rotation.
    /// - Throws: `SealedFileError`: `invalidArgument` if slots are undecided, `refused` if no slot would remain, or if
    ///   a slot was added or changed since the rotation was prepared, or one that was to be replaced was removed,
    ///   `rotationUnderWay` if another connection or process is rotating it, `cancelled`, `busy`, `damagedPage` if a
    ///   page of the old epoch can't be decrypted (the old and the new page key are then both kept), `tamperedHeader`,
    ///   `locked`, `permission`, `inputOutput`, `diskFull`.
    public func run(
        busyTimeout: Duration = .seconds(60), progress: (RotationProgress) -> Control = { _ in .proceed }
    ) throws(SealedFileError) -> RotationReport {
        var isResumed = false
        let first = try working(busyTimeout) { (connection) throws(SealedFileError) in
            isResumed = try begin(connection, busyTimeout)
            return try worker(connection, busyTimeout).run(wasResumed: isResumed, progress: progress)
        }
        guard isResumed else { return first }
        // The end of the resumed rotation removed its sidecar and with it the claim, so this claims the next rotation.
        let second = try working(busyTimeout) { (connection) throws(SealedFileError) in
            guard try !begin(connection, busyTimeout) else { throw .rotatedMeanwhile }
            return try worker(connection, busyTimeout).run(wasResumed: true, progress: progress)
        }
        return RotationReport(
            pagesResealed: first.pagesResealed + second.pagesResealed, pageCount: second.pageCount,
            wasResumed: true, epoch: second.epoch)
    }

    /// Completes an interrupted rotation without starting another. The keys and slots are those that the header holds,
    /// so no slot needs a decision; an attacker who has an old header from the middle of a rotation can have restored
    /// that header, with slots that were removed since.
    ///
    /// - Parameters:
    ///   - busyTimeout: the time to wait for a lock.
    ///   - progress: called after each batch; `.stop` leaves the rotation to be resumed later.
    /// - Returns: the result of the rotation.
    /// - Throws: `SealedFileError`: `refused` if no rotation was interrupted; otherwise as
    ///   ``run(busyTimeout:progress:)``, but not `invalidArgument`.
    public func finish(
        busyTimeout: Duration = .seconds(60), progress: (RotationProgress) -> Control = { _ in .proceed }
    ) throws(SealedFileError) -> RotationReport {
        guard isResuming else {
            throw SealedFileError(.refused, "\"\(database.path)\" has no interrupted key rotation to finish")
        }
        return try working(busyTimeout) { (connection) throws(SealedFileError) in
            try worker(connection, busyTimeout).run(wasResumed: true, progress: progress)
        }
    }

    /// Calls `body` with a connection while a lock excludes other rotations of the file.
    private func working(
        _ busyTimeout: Duration, _ body: (RawConnection) throws(SealedFileError) -> RotationReport
    ) throws(SealedFileError) -> RotationReport {
        let connection = try database.connect(busyTimeout: busyTimeout)
        try connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.waitEagerly(for: busyTimeout)
        let claim = try RotationClaim(on: try connection.resolvedPath(), vfs: database.vfs.base)
        defer { withExtendedLifetime(claim) {} }
        return try body(connection)
    }

    private func worker(_ connection: RawConnection, _ busyTimeout: Duration) -> RotationWorker {
        RotationWorker(database: database, connection: connection, busyTimeout: busyTimeout, pace: pace)
    }

    /// Writes the new keys into the header, before the first page is sealed under them, and returns false. If the
    /// header holds the keys of an interrupted rotation, returns true without writing.
    private func begin(_ connection: RawConnection, _ busyTimeout: Duration) throws(SealedFileError) -> Bool {
        var resumed = false
        let (decisions, master) = (self.decisions, self.master)
        let undecided = content.slotInfos.filter { undecidedSlots.contains($0.number) }
        let start = FileTask.headerChange { (region, ring) throws(SealedFileError) in
            guard undecided.isEmpty else { throw .undecidedSlots(undecided) }
            guard region.content.rotation == nil else {
                resumed = true
                return nil
            }
            return try Self.rotated(region.content, ring: ring, to: master, decisions)
        }
        try connection.withDatabaseQuiet(start, timeout: busyTimeout)
        guard !resumed else { return true }
        // The slot of the handle may have got a recovery key, which the handle doesn't keep.
        if case .replace? = decisions[database.ring.slotID] {
            database.ring.adopt(kek: replacedKEKs[database.ring.slotID])
        }
        for case .replace(let slot, _) in decisions.values { database.ring.vouch(for: slot) }
        return false
    }

    /// Returns the header of the rotation that begins: the new keys, and the records needed to read pages under the old
    /// keys.
    private static func rotated(
        _ old: HeaderContent, ring: KeyRing, to master: MasterKey, _ decisions: [[UInt8]: SlotDecision]
    ) throws(SealedFileError) -> HeaderImage {
        let oldMaster = try ring.masterKey()
        guard let oldKey = ring.pageKey(epoch: old.epoch.epoch) else { throw .keysLocked(ring.path) }
        guard old.epoch.epoch < .max else {
            throw SealedFileError(
                .refused, "the keys can't be rotated any more: the epoch of the page key has its maximum value",
                hint: FileRemedy.copyByBackup.hint)
        }
        assert(old.rotation == nil, "a rotation begins when no other is under way")
        assert(old.masterID == oldMaster.id && old.masterID != master.id, "a rotation makes another master key")
        let present = old.slots.compactMap { $0?.id }
        for case .replace(_, let slot) in decisions.values where !present.contains(slot.id) { throw .slotsChanged }
        var content = old
        content.masterID = master.id
        try content.raiseGeneration()
        content.slots = try old.slots.map { (slot) throws(SealedFileError) in
            try slot.flatMap { (slot) throws(SealedFileError) in
                try carried(slot, of: old.databaseID, from: oldMaster, to: master, decisions[slot.id])
            }
        }
        guard content.slots.contains(where: { $0 != nil }) else {
            throw SealedFileError(
                .refused, "the rotation would leave no key slot", hint: "replace a slot instead of dropping it")
        }
        return try SealedFileError.mappingCrypto { () throws(CryptoError) in
            content.applicationKey = try old.applicationKey.map { (wrapped) throws(CryptoError) in
                try master.wrap(
                    try oldMaster.unwrapApplicationKey(wrapped, databaseID: old.databaseID), databaseID: old.databaseID)
            }
            content.epoch = try master.wrap(
                try PageKey.random(), epoch: old.epoch.epoch + 1, databaseID: old.databaseID)
            content.rotation = RotationRecord(
                previousMasterID: oldMaster.id,
                previousEpoch: try master.wrap(oldKey, epoch: old.epoch.epoch, databaseID: old.databaseID),
                bridge: try oldMaster.bridge(to: master, databaseID: old.databaseID))
            assert(content.databaseID == old.databaseID && content.pageSize == old.pageSize)
            assert(content.generation > old.generation, "readers follow a header with a higher generation")
            assert(content.slots.count == old.slots.count, "slots keep their numbers")
            return try HeaderImage(content, master: master)
        }
    }

    private static func carried(
        _ slot: KeySlot, of databaseID: [UInt8], from oldMaster: MasterKey, to master: MasterKey,
        _ decision: SlotDecision?
    ) throws(SealedFileError) -> KeySlot? {
        var slot = slot
        switch decision {
        case .replace(let replacement, let seen) where slot.headerBytes == seen.headerBytes: return replacement
        case .drop(let seen) where slot.headerBytes == seen.headerBytes: return nil
        case .carry(let kek):
            // Wrapped under a secret that is no longer the slot's, the new master key would be lost.
            guard try accepts(kek, slot, masterID: oldMaster.id) else { throw .slotsChanged }
            try SealedFileError.mappingCrypto { () throws(CryptoError) in try kek.wrap(master, into: &slot) }
        case .keep(let name) where slot.recoveryName == name:
            try SealedFileError.mappingCrypto { () throws(CryptoError) in
                let secret = try RecoverySecret(in: slot, under: oldMaster, databaseID: databaseID)
                try SlotOpening.seal(master, to: &slot, with: secret, databaseID: databaseID)
            }
        case .keep, .replace, .drop, nil:
            // Changed or added after the decision about it.
            throw .slotsChanged
        }
        return slot
    }

    private static func accepts(_ kek: SlotKEK, _ slot: KeySlot, masterID: [UInt8]) throws(SealedFileError) -> Bool {
        try SealedFileError.mappingCrypto { () throws(CryptoError) in try kek.accepts(slot, masterID: masterID) }
    }
}

extension SealedFileError {
    static var rotatedMeanwhile: SealedFileError {
        SealedFileError(
            .rotationUnderWay, "another key rotation of the file began meanwhile", hint: "run the rotation again")
    }

    static var slotsChanged: SealedFileError {
        SealedFileError(.refused, "a key slot was added or changed meanwhile", hint: "run the rotation again")
    }

    static func undecidedSlots(_ slots: [SlotInfo]) -> SealedFileError {
        let list = slots.map { "\($0.number)" }.joined(separator: ", ")
        let recovery = slots.compactMap(\.fingerprint)
        guard recovery.count < slots.count else {
            return SealedFileError(
                .invalidArgument,
                "a key rotation keeps only recovery slots for which there is a decision; there is none for slot \(list)",
                hint: FileRemedy.keepRecoverySlot.hint)
        }
        return SealedFileError(
            .invalidArgument, "a key rotation needs a decision about every key slot; there is none for slot \(list)",
            hint: FileRemedy.decideSlots.hint)
    }
}
