import CSQLite
import SealiteCrypto

/// The sealed rollback journal: encrypted blocks, called units, that are only appended, each sealed once, when it is
/// full or at a sync. `Documentation/FORMAT.md` §8.
///
/// SQLite rewrites parts of sectors that are already durable (the record count, the magic number, a super-journal's
/// name). Sealing the changed unit again in its old position could, in a power failure, destroy durable data. Therefore
/// the changed bytes are appended in a new unit, which replaces the old bytes.
@safe final class JournalFile: VFSFile, SidecarFile {
    private let owner: MainFile
    var main: VFSFile? { owner }
    /// The journal's units; nil while the database is empty and has no keys.
    private var units: JournalUnits?
    private var state = State.unread
    /// The plaintext that the next unit will contain.
    private var payload: [UInt8] = []
    /// The offset of `payload` in the logical journal, the one that SQLite sees.
    private var payloadOffset: Int64 = 0
    /// A Boolean value that says whether a sync has completed that no mark unit records yet. A mark unit is one that
    /// states how many units are durable.
    private var needsMarkUnit = false
    /// A Boolean value that says whether journal content may have to be written before the next page of the database
    /// is: false from `databaseWillBeWritten()` until the next write or sync of the journal.
    private(set) var mayHavePendingUnits = true

    enum State {
        /// The journal file hasn't been read yet, so it may contain a hot journal.
        case unread
        /// The journal is empty, or its commit point has passed.
        case finished
        case live(LiveJournal)
    }

    init(base: BaseFile, main: MainFile, ring: KeyRing?) {
        owner = main
        units = ring.map { JournalUnits(base: base, ring: $0) }
        super.init(base: base)
        payload.reserveCapacity(JournalLayout.payloadByteCount)
    }

    // MARK: Reading

    override func read(into buffer: UnsafeMutableRawPointer, _ byteCount: Int, at offset: Int64) throws(VFSFailure) {
        guard let live = try liveJournal() else {
            unsafe memset(buffer, 0, byteCount)
            // `size` includes the remains of a finished journal, which must therefore be readable. SQLite
            // searches their end for the name of a super-journal, and treats a short read as a disk failure.
            guard try base.size().get() >= offset + Int64(byteCount) else { throw .shortRead }
            return
        }
        try flush()
        try unsafe requireUnits().read(live, into: buffer, byteCount, at: offset)
    }

    /// Returns the journal of the transaction that hasn't ended, reading it from disk at first use; nil if there is
    /// none.
    private func liveJournal() throws(VFSFailure) -> LiveJournal? {
        if case .unread = state, let units {
            let found = try JournalScan(units: units, main: owner).run()
            state = found.map { .live($0) } ?? .finished
            mayHavePendingUnits = true
            if let found { owner.serials.playsBack(found.preamble.serial) }
        }
        guard case .live(let live) = state else { return nil }
        return live
    }

    override func size() throws(VFSFailure) -> Int64 {
        guard let live = try liveJournal() else { return try base.size().get() }
        return max(live.map.byteCount, payload.isEmpty ? 0 : payloadOffset + Int64(payload.count))
    }

    // MARK: Writing

    override func write(_ buffer: UnsafeRawPointer, _ byteCount: Int, at offset: Int64) throws(VFSFailure) {
        if offset == 0, byteCount == 28, unsafe isZero(buffer, byteCount) { return try finishByZeroing() }
        // A page of the database as it was before the transaction.
        if owner.stop != nil, byteCount == owner.keys.codec?.pageSize { try owner.requireNotStopped() }
        mayHavePendingUnits = true
        if case .live = state {
        } else {
            unsafe try begin(header: UnsafeRawBufferPointer(start: buffer, count: byteCount))
        }
        if byteCount == SuperRecord.magic.count, unsafe SuperRecord.magic == Array(bytes(buffer, byteCount)) {
            try announceSuperJournal(endOfRecord: offset)
        }
        var done = 0
        while done < byteCount {
            let place = offset + Int64(done)
            if let count = unsafe replaceInPayload(buffer + done, byteCount - done, at: place) {
                done += count
                continue
            }
            // After a write that failed, a full unit may still be pending.
            let isFull = payload.count == JournalLayout.payloadByteCount
            if payload.isEmpty || isFull || place != payloadOffset + Int64(payload.count) {
                try flush()
                payloadOffset = place
            }
            let count = min(byteCount - done, JournalLayout.payloadByteCount - payload.count)
            assert(count > 0, "each round writes something")
            unsafe payload.append(contentsOf: UnsafeRawBufferPointer(start: buffer + done, count: count))
            done += count
            if payload.count == JournalLayout.payloadByteCount { try flush() }
        }
    }

    /// Overwrites bytes of the payload that isn't sealed yet. Returns the number of overwritten bytes, which is less
    /// than `byteCount` if the payload ends before; nil if the offset isn't in the payload.
    private func replaceInPayload(_ bytes: UnsafeRawPointer, _ byteCount: Int, at offset: Int64) -> Int? {
        guard offset >= payloadOffset, offset < payloadOffset + Int64(payload.count) else { return nil }
        assert(payload.count <= JournalLayout.payloadByteCount)
        let start = Int(offset - payloadOffset)
        let count = min(byteCount, payload.count - start)
        unsafe payload.replaceSubrange(
            start..<start + count, with: UnsafeRawBufferPointer(start: bytes, count: count))
        return count
    }

    private func isZero(_ start: UnsafeRawPointer, _ byteCount: Int) -> Bool {
        unsafe bytes(start, byteCount).allSatisfy { $0 == 0 }
    }

    private func bytes(_ start: UnsafeRawPointer, _ byteCount: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start, count: byteCount)
    }

    /// Writes the super-journal record in clear text. Called when SQLite is about to write the magic number, the last
    /// part of the record, to the logical journal, so that the clear-text copy always exists first.
    ///
    /// If only this sealed journal contained the record, the rollback of another file of the transaction could delete
    /// the super-journal, since it couldn't read that this journal still needs it. This journal would then not be
    /// rolled back.
    private func announceSuperJournal(endOfRecord offset: Int64) throws(VFSFailure) {
        guard case .live(let live) = state else { return }
        try flush()
        try requireUnits().announceSuperJournal(of: live, magicAt: offset)
    }

    /// Begins a new journal with a new random id. Where units of an older journal remain in the file after the new
    /// ones, their ids differ, so a reader takes the first of them for the end of the new journal.
    private func begin(header: UnsafeRawBufferPointer) throws(VFSFailure) {
        if units == nil, header.count >= 28 {
            // The journal of a database under creation precedes its first page, and names the page size.
            let pageSize = unsafe Int(UInt32(bigEndian: header.loadUnaligned(fromByteOffset: 24, as: UInt32.self)))
            units = JournalUnits(base: base, ring: try owner.keys.createHeader(pageSize: pageSize).ring)
        }
        let units = try requireUnits()
        let id = try sealing { () throws(SealedFileError) in
            try units.beginSealing()
            return try SealedFileError.mappingCrypto { () throws(CryptoError) in
                try SecureRandom.bytes(JournalLayout.idByteCount)
            }
        }
        payload.removeAll(keepingCapacity: true)
        needsMarkUnit = false
        state = .live(LiveJournal(preamble: JournalPreamble(id: id, serial: owner.serials.beforeTransaction())))
    }

    private func requireUnits() throws(VFSFailure) -> JournalUnits {
        guard let units else { throw VFSFailure(SQLITE_IOERR, .notSealed(byteCount: 0)) }
        return units
    }

    /// Seals the pending payload as the next unit and writes it.
    private func flush() throws(VFSFailure) {
        guard !payload.isEmpty, case .live(let live) = state else { return }
        try append(.data, logicalOffset: payloadOffset, payload: payload, to: live)
        payload.removeAll(keepingCapacity: true)
    }

    private func append(
        _ kind: JournalUnitHeader.Kind, logicalOffset: Int64, payload: [UInt8], to live: LiveJournal
    ) throws(VFSFailure) {
        assert(kind == .data || payload.isEmpty, "a mark and a cut have no payload")
        assert(payload.count <= JournalLayout.payloadByteCount, "a payload fits into its unit")
        assert(live.syncedUnitCount <= live.unitCount, "no more units are durable than there are")
        try requireUnits().append(kind, logicalOffset: logicalOffset, payload: payload, to: live)
        needsMarkUnit = false
    }

    // MARK: Order against the database

    /// Prepares for the write of a page: writes all pending journal content and records a completed sync, so that
    /// damage can be distinguished from the effects of a power failure.
    func databaseWillBeWritten() throws(VFSFailure) {
        guard case .live(let live) = state else { return }
        try flush()
        if !live.hasPreamble, live.unitCount > 0 {
            try requireUnits().writePreamble(of: live)
            if live.syncedUnitCount > 0 { try check(base.sync(SQLITE_SYNC_NORMAL)) }
        }
        if needsMarkUnit { try append(.mark, logicalOffset: 0, payload: [], to: live) }
        assert(payload.isEmpty && !needsMarkUnit, "the journal is written before the database")
        assert(live.hasPreamble || live.unitCount == 0, "a journal that rolls pages back can be found")
        mayHavePendingUnits = false
    }

    override func sync(_ flags: CInt) throws(VFSFailure) {
        guard case .live(let live) = state else { return try check(base.sync(flags)) }
        try flush()
        try requireUnits().keepSuperRecordBehindMark(of: live)
        // With synchronous=FULL, this is the second sync before the first page.
        if !live.hasPreamble, live.syncedUnitCount > 0 { try requireUnits().writePreamble(of: live) }
        try check(base.sync(flags))
        assert(payload.isEmpty, "what is synced was written")
        assert(live.syncedUnitCount <= live.unitCount, "no unit of a transaction goes away")
        live.syncedUnitCount = live.unitCount
        needsMarkUnit = live.unitCount > 0
        mayHavePendingUnits = true
    }

    // MARK: Commit points

    override func truncate(to byteCount: Int64) throws(VFSFailure) {
        guard byteCount > 0, case .live(let live) = state else {
            try check(base.truncate(to: byteCount == 0 ? 0 : wholeUnits(byteCount)))
            if byteCount == 0 { finish() }
            return
        }
        try flush()
        try append(.cut, logicalOffset: byteCount, payload: [], to: live)
    }

    /// Rounds a size limit for a finished journal up to whole units.
    private func wholeUnits(_ byteCount: Int64) -> Int64 {
        assert(byteCount >= 0)
        let unit = Int64(JournalLayout.unitByteCount)
        return (byteCount + unit - 1) / unit * unit
    }

    /// Commits in PERSIST mode by zeroing the preamble.
    private func finishByZeroing() throws(VFSFailure) {
        try check(base.write([UInt8](repeating: 0, count: JournalLayout.preambleByteCount), at: 0))
        finish()
    }

    private func finish() {
        payload.removeAll(keepingCapacity: true)
        needsMarkUnit = false
        state = .finished
        owner.serials.transactionEnded()
    }

    override func close() {
        assert(owner.journal === self, "a database has one journal open")
        owner.journal = nil
        owner.serials.transactionEnded()
    }
}
