import CSQLite

/// The database file: header region, then sealed pages. `Documentation/FORMAT.md` §4 and §6.
///
/// Forwards each call of SQLite to the parts that it concerns, in the order that the format requires.
@safe package final class MainFile: VFSFile {
    let origin: FileOrigin
    package let keys: FileKeys
    package let ahead = ReadAhead()
    package let reader: PageReader
    let holes: Holes
    let rotation: RotationFollower
    let preparation: SealingPreparation
    let serials = PageOneSerials()
    let walIndex: WALIndex
    private let pageOne = PageOneCopy()
    private var lockLevel: CInt = SQLITE_LOCK_NONE

    /// The rollback journal while it is open; nil otherwise. The journal removes itself when it closes, so a weak
    /// reference, which would slow every call, isn't needed.
    var journal: JournalFile?
    var wal: WALFile?
    /// The request on which writes of pages to the log or the journal fail; nil if there is none.
    var stop: StatementStop?

    init(base: BaseFile, origin: FileOrigin) throws(VFSFailure) {
        self.origin = origin
        keys = FileKeys(base: base, origin: origin)
        holes = Holes(base: base, keys: keys, ahead: ahead)
        rotation = RotationFollower(base: base, origin: origin, keys: keys, ahead: ahead, pageOne: pageOne)
        reader = PageReader(
            base: base, keys: keys, holes: holes, ahead: ahead, pageOne: pageOne, serials: serials, rotation: rotation)
        preparation = SealingPreparation(base: base, path: origin.path, keys: keys, holes: holes, rotation: rotation)
        walIndex = WALIndex(base: base)
        super.init(base: base)
        let isEmpty = try keys.load() == nil
        // SQLite takes a file without pages for a new database. If the caller didn't ask to create a database, the file
        // was truncated.
        guard origin.template == nil, try size() == 0 else { return }
        throw VFSFailure(
            isEmpty ? .notSealed(byteCount: 0) : .missingPageOne(pageSize: keys.codec?.pageSize ?? 0))
    }

    override func close() {
        LiveFiles.remove(self)
        // A library that opens a connection and reads from it closes the connection before it reports a failure.
        if let lastFailure { FailureLog.keep(lastFailure, ofClosed: origin.path) }
    }

    /// Throws if the connection's statement is to end. Called before a page is written to the log, except that of a
    /// commit, or to the journal: neither is part of a rollback, which must succeed.
    ///
    /// VACUUM copies its result into the database without a look for an interrupt.
    @inline(__always)
    func requireNotStopped() throws(VFSFailure) {
        guard let stop, stop.isRequested else { return }
        throw VFSFailure(SQLITE_INTERRUPT)
    }

    // MARK: Pages

    override func read(into buffer: UnsafeMutableRawPointer, _ byteCount: Int, at offset: Int64) throws(VFSFailure) {
        if unsafe keys.uncounted == nil, try keys.load() == nil {
            unsafe memset(buffer, 0, byteCount)
            throw .shortRead
        }
        try unsafe keys.uncounted?.borrowed { (codec) throws(VFSFailure) in
            unsafe try reader.read(into: buffer, byteCount, at: offset, codec)
        }
    }

    override func write(_ buffer: UnsafeRawPointer, _ byteCount: Int, at offset: Int64) throws(VFSFailure) {
        if unsafe keys.uncounted == nil, try keys.load() == nil { _ = try keys.createHeader(pageSize: byteCount) }
        try unsafe keys.uncounted?.borrowed { (codec) throws(VFSFailure) in
            unsafe try write(buffer, byteCount, at: offset, codec)
        }
    }

    private func write(
        _ buffer: UnsafeRawPointer, _ byteCount: Int, at offset: Int64, _ codec: PageCodec
    ) throws(VFSFailure) {
        try unsafe WriteRules.check(buffer, byteCount, at: offset, pageSize: codec.pageSize)
        let number = UInt32(truncatingIfNeeded: offset / Int64(codec.pageSize) + 1)
        assert(codec === keys.codec, "a file keeps its codec")
        assert(number > 0, "pages are counted from 1")
        assert(lockLevel != SQLITE_LOCK_SHARED || walIndex.holdsCheckpoint, "pages are written under a lock of writers")
        if preparation.isDue { try preparation.run(mayWriteDatabase: lockLevel >= SQLITE_LOCK_RESERVED) }
        assert(!preparation.isDue, "nothing is sealed before the checks")
        if let journal, journal.mayHavePendingUnits { try journal.databaseWillBeWritten() }
        ahead.forget()
        let serial = unsafe number == 1 ? serialForPageOne(buffer, codec.pageSize) : 0
        try unsafe codec.seal(buffer, number: number, pageOneSerial: serial)
        try holes.willWrite(number, pageSize: codec.pageSize) { () throws(VFSFailure) in try size() }
        assert(!holes.contains(number), "a page that is written is no hole")
        try unsafe check(
            base.write(codec.scratch, codec.pageSize, at: offset + Int64(HeaderLayout.regionByteCount)))
        guard number == 1 else { return }
        serials.note(serial)
        unsafe pageOne.keepTrailer(codec.scratch + codec.textByteCount)
        unsafe pageOne.keepText(buffer)
    }

    /// Returns the page-one serial for a write of page 1: that of the frame that a WAL checkpoint copies, otherwise the
    /// transaction's.
    private func serialForPageOne(_ text: UnsafeRawPointer, _ pageSize: Int) -> UInt32 {
        unsafe wal?.serialOfCopiedPageOne(text, pageSize) ?? serials.ofTransaction()
    }

    override func truncate(to byteCount: Int64) throws(VFSFailure) {
        assert(byteCount >= 0)
        guard let codec = try keys.load() else { return }
        ahead.forget()
        let count = UInt32(truncatingIfNeeded: byteCount / Int64(codec.pageSize))
        try holes.willTruncate(toPage: count, pageSize: codec.pageSize) { () throws(VFSFailure) in try size() }
        try journal?.databaseWillBeWritten()
        try check(base.truncate(to: byteCount + Int64(HeaderLayout.regionByteCount)))
    }

    override func sync(_ flags: CInt) throws(VFSFailure) {
        try holes.fill()
        assert(holes.isEmpty, "a file that is synced has no holes")
        try check(base.sync(flags))
    }

    package override func size() throws(VFSFailure) -> Int64 {
        let physical = try base.size().get()
        return max(0, physical - Int64(HeaderLayout.regionByteCount))
    }

    /// A Boolean value that says whether SQLite holds a lock under which the header may be written: the write lock of
    /// the file, or that of the log.
    var isLockedForWriting: Bool { lockLevel >= SQLITE_LOCK_RESERVED || walIndex.holdsWrite }
    // MARK: Locks

    override func lock(_ level: CInt) throws(VFSFailure) {
        assert(lockLevel != SQLITE_LOCK_NONE || level == SQLITE_LOCK_SHARED, "the shared lock comes first")
        ahead.forget()
        try check(base.lock(level))
        let before = lockLevel
        lockLevel = max(lockLevel, level)
        assert(lockLevel >= before, "a lock is only raised")
        guard level >= SQLITE_LOCK_RESERVED, before < SQLITE_LOCK_RESERVED else { return }
        do throws(VFSFailure) {
            try preparation.run(mayWriteDatabase: true)
        } catch {
            // The caller receives a failure, so it must not hold the lock.
            if base.unlock(before) == SQLITE_OK { lockLevel = before }
            throw error
        }
    }

    override func unlock(_ level: CInt) throws(VFSFailure) {
        assert(level <= SQLITE_LOCK_SHARED, "a lock goes down to the shared one or to none")
        ahead.forget()
        var failure: VFSFailure?
        if level < SQLITE_LOCK_RESERVED {
            if lockLevel >= SQLITE_LOCK_RESERVED {
                do throws(VFSFailure) { try holes.close() } catch { failure = error }
            }
            serials.transactionEnded()
        }
        try check(base.unlock(level))
        assert(level >= SQLITE_LOCK_RESERVED || holes.isEmpty, "no hole outlives its lock")
        lockLevel = min(lockLevel, level)
        // SQLite considers the lock released whatever is returned.
        if let failure { throw failure }
    }

    // MARK: Shared memory

    override func shmMapped(region: CInt, _ memory: UnsafeRawPointer?) {
        ahead.forget()
        preparation.askForIt()
        unsafe walIndex.mapped(region: region, memory)
    }

    override func shmUnmapped() { walIndex.willUnmap() }

    override func shmLock(_ change: WALLockChange) -> CInt { walIndex.lock(change) }

    override func shmGiveBack(_ change: WALLockChange) { walIndex.giveBack(change) }

    override func shmLocked(_ change: WALLockChange) throws(VFSFailure) {
        ahead.forget()
        if change.takesReadSlot || change.takesWriteOrCheckpoint { wal?.logMayHaveChanged() }
        if change.takesWriteOrCheckpoint { try preparation.run(mayWriteDatabase: change.takesCheckpoint) }
        if change.takesWrite { serials.transactionBegins() }
        if change.dropsWrite {
            serials.transactionEnded()
            wal?.transactionEnded()
        }
        // The holes were filled before the checkpoint took effect (`SQLITE_FCNTL_CKPT_DONE`). Another process may write
        // these pages now.
        if change.dropsCheckpoint { holes.forget() }
    }

    override func control(_ operation: CInt, _ argument: UnsafeMutableRawPointer?) throws(VFSFailure) {
        unsafe try answerControl(operation, argument)
    }
}
