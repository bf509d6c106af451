import CSQLite
internal import SealiteBase

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
        guard let lastFailure else { return }
        FailureLog.keep(lastFailure, ofClosed: origin.path)
        if origin.creation != .none, lastFailure.code == .refused { removeUnwritten() }
    }

    /// Empties a file that this opening began and to which no page was written, as one without page 1 is of no use, and
    /// removes it if it wasn't there before: the destination of VACUUM INTO or of a backup from a plain database. The
    /// exclusive lock keeps others from using the file meanwhile, and those that opened it find it gone.
    private func removeUnwritten() {
        guard base.lock(SQLITE_LOCK_SHARED) == SQLITE_OK, base.lock(SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK,
            (try? size()) == 0
        else { return }
        var hasMoved: CInt = 0
        let code = unsafe base.fileControl(SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard code == SQLITE_OK, hasMoved == 0, base.truncate(to: 0) == SQLITE_OK, origin.creation == .made else {
            return
        }
        try? BaseHandle.remove(origin.path, vfs: origin.baseVFS)
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
        if unsafe keys.uncounted == nil, try keys.load() == nil {
            // Before the header, so that nothing is written for a page that is refused.
            try unsafe WriteRules.check(buffer, byteCount, at: offset, pageSize: byteCount)
            _ = try keys.createHeader(pageSize: byteCount)
        }
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

/// A function that runs inside the VFS on the open database file of the connection that requests it.
package final class FileTask {
    private let body: (MainFile, PageCodec) throws(SealedFileError) -> Void
    private(set) var failure: SealedFileError?

    package init(_ body: @escaping (MainFile, PageCodec) throws(SealedFileError) -> Void) { self.body = body }

    func perform(on file: MainFile) throws(VFSFailure) {
        assert(failure == nil, "a task that failed isn't run again")
        do throws(SealedFileError) {
            guard let sealed = file.keys.codec else { throw .notSealed(byteCount: 0) }
            try body(file, sealed)
        } catch {
            failure = error
            throw VFSFailure(error)
        }
    }

    /// Creates a task that changes the header; the caller must hold SQLite's write lock. `change` receives the header
    /// on disk and returns the header to write, whose generation it must have raised, or nil to change nothing.
    package static func headerChange(
        _ change: @escaping (HeaderRegion, KeyRing) throws(SealedFileError) -> HeaderImage?
    ) -> FileTask {
        FileTask { (file, sealed) throws(SealedFileError) in
            let known = sealed.ring.generation
            let region = try file.region()
            try sealed.ring.requireNotBefore(known, region)
            try sealed.ring.follow(region)
            try sealed.ring.requireAuthentic(region)
            if let reason = sealed.ring.tampering { throw .tamperedHeader(reason) }
            assert(file.isLockedForWriting, "the header is changed under SQLite's write lock")
            guard let image = try change(region, sealed.ring) else { return }
            try SealedFileError.mapping { () throws(VFSFailure) in
                try HeaderFile.replace(region, with: image, on: file.base)
            }
            try sealed.ring.follow(try file.region())
            assert(
                sealed.ring.isLocked || sealed.ring.generation >= image.content.generation,
                "the ring has the new header")
        }
    }
}

extension MainFile {
    func region() throws(SealedFileError) -> HeaderRegion {
        try SealedFileError.mapping { () throws(VFSFailure) in try HeaderFile.read(base) }
    }
}

extension MainFile {
    /// The file controls that are passed on to the underlying VFS. Controls that neither this list nor
    /// `answerControl(_:_:)` names are answered with SQLITE_NOTFOUND.
    private static let passedOn: Set<CInt> = [
        SQLITE_FCNTL_LOCKSTATE, SQLITE_FCNTL_LAST_ERRNO, SQLITE_FCNTL_SYNC_OMITTED, SQLITE_FCNTL_PERSIST_WAL,
        SQLITE_FCNTL_OVERWRITE, SQLITE_FCNTL_BUSYHANDLER, SQLITE_FCNTL_TEMPFILENAME, SQLITE_FCNTL_HAS_MOVED,
        SQLITE_FCNTL_LOCK_TIMEOUT, SQLITE_FCNTL_SIZE_LIMIT, SQLITE_FCNTL_CKPT_START, SQLITE_FCNTL_EXTERNAL_READER,
    ]

    func answerControl(_ operation: CInt, _ argument: UnsafeMutableRawPointer?) throws(VFSFailure) {
        switch operation {
        case SQLITE_FCNTL_SIZE_HINT, SQLITE_FCNTL_CHUNK_SIZE:
            // Accepted and ignored: growing the file in advance would create pages that were never sealed.
            return
        case SQLITE_FCNTL_MMAP_SIZE:
            unsafe argument?.assumingMemoryBound(to: sqlite3_int64.self).pointee = 0
        case SQLITE_FCNTL_POWERSAFE_OVERWRITE:
            unsafe argument?.assumingMemoryBound(to: CInt.self).pointee = 1
        case SQLITE_FCNTL_VFSNAME:
            unsafe argument?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self).pointee =
                unsafe sealite_copy_string(SealedVFS.name)
        case SQLITE_FCNTL_PRAGMA:
            try unsafe PragmaRules.check(argument, pageSize: keys.codec?.pageSize)
        case SQLITE_FCNTL_SYNC, SQLITE_FCNTL_CKPT_DONE:
            // Sent before a commit and before a checkpoint takes effect, even if nothing is synced (`PRAGMA
            // synchronous=OFF`).
            try holes.fill()
            unsafe try check(base.fileControl(operation, argument))
        case SQLITE_FCNTL_COMMIT_PHASETWO:
            assert(holes.isEmpty, "no hole outlives a commit")
            serials.transactionEnded()
            wal?.transactionEnded()
            _ = unsafe base.fileControl(operation, argument)
        case PrivateControl.perform:
            guard let argument = unsafe argument else { throw VFSFailure(SQLITE_MISUSE) }
            ahead.forget()
            let task = unsafe Unmanaged<FileTask>.fromOpaque(argument).takeUnretainedValue()
            try task.perform(on: self)
        case PrivateControl.capturePageOne:
            guard let argument = unsafe argument else { throw VFSFailure(SQLITE_MISUSE) }
            reader.capture = unsafe Unmanaged<PageOneCapture>.fromOpaque(argument).takeUnretainedValue()
        case PrivateControl.keepReadLocks:
            guard let argument = unsafe argument else { throw VFSFailure(SQLITE_MISUSE) }
            walIndex.readLocks = unsafe Unmanaged<ReadLockKeeper>.fromOpaque(argument).takeUnretainedValue()
        case PrivateControl.stopWrites:
            stop = unsafe argument.map { unsafe Unmanaged<StatementStop>.fromOpaque($0).takeUnretainedValue() }
        case _ where Self.passedOn.contains(operation):
            unsafe try check(base.fileControl(operation, argument))
        default:
            throw VFSFailure(SQLITE_NOTFOUND)
        }
    }
}

extension MainFile {
    /// Records the reason why SQLite can't create the log, log index or journal at the path `sidecar` beside the
    /// database: for callers that try to open the database, and for connections that have it open. In WAL mode a
    /// database can't even be read without them.
    func noteWhyNotMade(_ sidecar: String) {
        guard !FilePermissions.exists(sidecar), let reason = FilePermissions.reasonNotToMake(sidecar) else { return }
        let hint =
            "SQLite needs a log or journal beside the database, in WAL mode even to read: copy the database to a folder that can be written"
        let failure = SealedFileError(reason.code, reason.reason, hint: hint)
        lastFailure = failure
        FailureLog.note(failure, opening: origin.path)
    }
}

/// Refuses, with a reason, pragmas that have no effect on a sealed file. https://sqlite.org/pragma.html
enum PragmaRules {
    /// Pragmas of encrypting forks of SQLite. The stock library would silently ignore them.
    private static let foreignNames: Set<String> = [
        "key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey", "activate_extensions",
        "kdf_iter", "fast_kdf_iter", "hmac_check", "mc_legacy_wal",
    ]

    /// Throws a failure with code `SQLITE_ERROR` for a pragma that has no effect on a sealed file, and with
    /// `SQLITE_NOTFOUND`, by which SQLite handles the pragma itself, for any other. `argument` is SQLite's `char *[3]`:
    /// an output parameter for a message, the pragma's name and its value.
    static func check(_ argument: UnsafeMutableRawPointer?, pageSize: Int?) throws(VFSFailure) {
        guard let argument = unsafe argument else { throw VFSFailure(SQLITE_NOTFOUND) }
        let words = unsafe argument.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
        guard let nameWord = unsafe words[1] else { throw VFSFailure(SQLITE_NOTFOUND) }
        let name = unsafe String(cString: nameWord).lowercased()
        let value = unsafe words[2].map { unsafe String(cString: $0) }
        guard let refusal = refusal(name, value, pageSize: pageSize) else { throw VFSFailure(SQLITE_NOTFOUND) }
        unsafe words[0] = unsafe sealite_copy_string(refusal.description)
        throw VFSFailure(SQLITE_ERROR, refusal)
    }

    static func refusal(_ name: String, _ value: String?, pageSize: Int?) -> SealedFileError? {
        if foreignNames.contains(name) || name.hasPrefix("cipher") {
            return SealedFileError(
                .refused,
                "PRAGMA \(name) is refused on a sealed database: its keys and encryption are never set in SQL",
                hint: FileRemedy.unlockBeforeOpening.hint)
        }
        if name == "page_size", let value, let pageSize, Int(value) != pageSize {
            return SealedFileError(
                .refused, "the page size of a sealed database is fixed at creation (\(pageSize) bytes)",
                hint: FileRemedy.changePageSize.hint)
        }
        return nil
    }
}
