import CSQLite

/// The database file: header region, then sealed pages. `Documentation/FORMAT.md` §4 and §6.
@safe package final class MainFile: VFSFile {
    let path: String
    /// SQLite's own pointer to the file's name, by which its journal and WAL are found.
    let nameKey: UInt
    let isReadOnly: Bool
    /// The name of the VFS below, for the sidecar of a rotation.
    let baseVFS: String

    /// Keys, codec and page buffer; nil as long as the file is empty.
    var sealed: SealedPages? {
        didSet { unsafe pages = sealed.map { unsafe .passUnretained($0) } }
    }
    /// As `sealed`, for the calls of each page.
    private var pages: Unmanaged<SealedPages>?
    /// The template of a header, if SQLite itself shall create the file.
    let template: CreationTemplate?
    /// The handle whose keys the name asks for, if it does.
    let handleNumber: Int?

    /// Set while they are open. Not weak, for weak references would make every call slower; they let go when they close.
    var journal: JournalFile?
    var wal: WALFile?

    /// The serial of page 1 as this handle last read or wrote it.
    private(set) var seenSerial: UInt32 = 0
    /// The serial that page 1 had when the running transaction began.
    private var transactionSerial: UInt32?
    private var lockLevel: CInt = SQLITE_LOCK_NONE
    /// Set where sealing becomes possible without a lock that would have made us look.
    var mustCheckHeader = true
    /// Until when, in milliseconds of the monotonic clock, a commit to the log believes that the file has its name.
    var nameHolds = 0
    var holes = HoleTracker()
    let pageOne = PageOneCopy()
    /// Gets every page 1 that is read, where a freshness record is made or checked.
    var pageOneCapture: PageOneCapture?
    /// Keeps the locks of read transactions, where the connection's owner wants that.
    var readLocks: ReadLockKeeper?
    /// The WAL index's first region in shared memory, while it is mapped.
    private var walIndex: UnsafeRawPointer?

    init(
        base: BaseFile, path: String, nameKey: UInt, isReadOnly: Bool, baseVFS: String,
        template: CreationTemplate?, handleNumber: Int?
    ) throws(VFSFailure) {
        self.path = path
        self.nameKey = nameKey
        self.isReadOnly = isReadOnly
        self.baseVFS = baseVFS
        self.template = template
        self.handleNumber = handleNumber
        super.init(base: base)
        let isEmpty = try loadKeys() == nil
        // SQLite takes a file without pages for a new database. Who didn't ask for one was given a file cut short.
        guard template == nil, try size() == 0 else { return }
        throw VFSFailure(isEmpty ? .notSealed(byteCount: 0) : .missingPageOne(pageSize: sealed?.pageSize ?? 0))
    }

    override func close() {
        LiveFiles.remove(self)
    }

    // MARK: Reading

    override func read(into buffer: UnsafeMutableRawPointer, _ byteCount: Int, at offset: Int64) throws(VFSFailure) {
        if unsafe pages == nil, try loadKeys() == nil {
            unsafe memset(buffer, 0, byteCount)
            throw .shortRead
        }
        try unsafe pages?.borrowed { (sealed) throws(VFSFailure) in
            unsafe try read(into: buffer, byteCount, at: offset, sealed)
        }
    }

    private func read(
        into buffer: UnsafeMutableRawPointer, _ byteCount: Int, at offset: Int64, _ sealed: SealedPages
    ) throws(VFSFailure) {
        let pageSize = sealed.pageSize
        if byteCount == pageSize, offset & Int64(pageSize - 1) == 0 {
            try unsafe readPage(UInt32(truncatingIfNeeded: offset / Int64(pageSize) + 1), into: buffer, sealed)
        } else if offset == PageOneCopy.versionOffset, byteCount == PageOneCopy.versionByteCount {
            try unsafe readVersion(into: buffer, sealed)
        } else if offset == 0, byteCount == PageOneCopy.headByteCount {
            try unsafe readHead(into: buffer, sealed)
        } else {
            try unsafe readPart(into: buffer, byteCount, at: offset, sealed)
        }
    }

    // MARK: Writing

    override func write(_ buffer: UnsafeRawPointer, _ byteCount: Int, at offset: Int64) throws(VFSFailure) {
        if unsafe pages == nil, try loadKeys() == nil { _ = try createHeader(pageSize: byteCount) }
        try unsafe pages?.borrowed { (sealed) throws(VFSFailure) in
            unsafe try write(buffer, byteCount, at: offset, sealed)
        }
    }

    private func write(
        _ buffer: UnsafeRawPointer, _ byteCount: Int, at offset: Int64, _ sealed: SealedPages
    ) throws(VFSFailure) {
        try unsafe WriteRules.check(buffer, byteCount, at: offset, pageSize: sealed.pageSize)
        let number = UInt32(truncatingIfNeeded: offset / Int64(sealed.pageSize) + 1)
        if mustCheckHeader { try prepareToSeal(mayWriteDatabase: lockLevel >= SQLITE_LOCK_RESERVED) }
        if let journal, journal.mayOwe { try journal.databaseWillBeWritten() }
        sealed.ahead.forget()
        let serial = try unsafe number == 1 ? serialForPageOne(buffer, sealed.pageSize) : 0
        try unsafe sealed.seal(buffer, number: number, spare: serial)
        if !holes.knowsEnd { holes.noteEnd(UInt32(truncatingIfNeeded: try size() / Int64(sealed.pageSize))) }
        holes.willWrite(number)
        try unsafe check(
            base.write(sealed.scratch, sealed.pageSize, at: offset + Int64(HeaderLayout.regionByteCount)))
        if number == 1 { unsafe rememberPageOne(buffer, sealedImage: sealed.scratch, sealed.pageSize, serial: serial) }
    }

    override func truncate(to byteCount: Int64) throws(VFSFailure) {
        guard let sealed = try loadKeys() else { return }
        sealed.ahead.forget()
        holes.willTruncate(toPage: UInt32(truncatingIfNeeded: byteCount / Int64(sealed.pageSize)))
        try journal?.databaseWillBeWritten()
        try check(base.truncate(to: byteCount + Int64(HeaderLayout.regionByteCount)))
    }

    override func sync(_ flags: CInt) throws(VFSFailure) {
        try fillHoles()
        try check(base.sync(flags))
    }

    package override func size() throws(VFSFailure) -> Int64 {
        let physical = try base.size().get()
        return max(0, physical - Int64(HeaderLayout.regionByteCount))
    }

    // MARK: Locks

    override func lock(_ level: CInt) throws(VFSFailure) {
        sealed?.ahead.forget()
        try check(base.lock(level))
        let before = lockLevel
        lockLevel = max(lockLevel, level)
        guard level >= SQLITE_LOCK_RESERVED, before < SQLITE_LOCK_RESERVED else { return }
        do throws(VFSFailure) {
            try prepareToSeal(mayWriteDatabase: true)
        } catch {
            // The caller sees a failure, so it must not hold the lock.
            if base.unlock(before) == SQLITE_OK { lockLevel = before }
            throw error
        }
    }

    override func unlock(_ level: CInt) throws(VFSFailure) {
        sealed?.ahead.forget()
        var failure: VFSFailure?
        if level < SQLITE_LOCK_RESERVED {
            if lockLevel >= SQLITE_LOCK_RESERVED {
                do throws(VFSFailure) { try closeHoles() } catch { failure = error }
            }
            transactionSerial = nil
        }
        try check(base.unlock(level))
        lockLevel = min(lockLevel, level)
        // SQLite takes the lock for given up whatever it is told.
        if let failure { throw failure }
    }

    override func shmMapped(region: CInt, _ memory: UnsafeRawPointer?) {
        sealed?.ahead.forget()
        mustCheckHeader = true
        if region == 0 { unsafe walIndex = unsafe memory }
    }

    override func shmUnmapped() {
        readLocks?.willUnmap()
        unsafe walIndex = nil
    }

    /// The salts of the log as it is now, from the WAL index, without a system call; nil where no index is mapped.
    /// https://sqlite.org/walformat.html#the_wal_index_header
    var walSalts: UInt64? { unsafe walIndex?.loadUnaligned(fromByteOffset: 32, as: UInt64.self) }

    override func shmLock(_ offset: CInt, _ count: CInt, _ flags: CInt) -> CInt {
        guard let readLocks, let walIndex = unsafe walIndex else { return base.shmLock(offset, count, flags) }
        let change = unsafe walIndex.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
        return readLocks.shmLock(offset, count, flags, base, change: change)
    }

    override func shmLocked(_ offset: CInt, _ count: CInt, _ flags: CInt) throws(VFSFailure) {
        sealed?.ahead.forget()
        let change = WALLockChange(offset: offset, count: count, flags: flags)
        if change.takesReadSlot || change.takesWriteOrCheckpoint { wal?.logMayHaveChanged() }
        if change.takesWriteOrCheckpoint { try prepareToSeal(mayWriteDatabase: change.takesCheckpoint) }
        if change.takesWrite { transactionSerial = seenSerial }
        if change.dropsWrite {
            transactionSerial = nil
            wal?.transactionEnded()
        }
        // Filled before the checkpoint counted (`SQLITE_FCNTL_CKPT_DONE`). By now another process may write these pages.
        if change.dropsCheckpoint { holes.forget() }
    }

    override func control(_ operation: CInt, _ argument: UnsafeMutableRawPointer?) throws(VFSFailure) {
        unsafe try answerControl(operation, argument)
    }

    // MARK: Serial of page 1

    /// The serial that page 1 had before the running transaction.
    func serialBeforeTransaction() -> UInt32 {
        let serial = transactionSerial ?? seenSerial
        transactionSerial = serial
        return serial
    }

    /// The serial that page 1 gets if this transaction writes it.
    var serialOfTransaction: UInt32 { serialBeforeTransaction() &+ 1 }

    /// Playback of a journal that a crash left: page 1 comes back as of the transaction behind it.
    func playsBack(serial: UInt32) { transactionSerial = serial }

    func transactionEnded() { transactionSerial = nil }

    func note(serial: UInt32) { seenSerial = serial }
}
