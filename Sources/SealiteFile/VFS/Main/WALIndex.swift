import CSQLite
import Synchronization

/// Reads some fields of the WAL index, while it is mapped in shared memory and without system calls, and passes on
/// SQLite's calls for its locks. https://sqlite.org/walformat.html#the_wal_index_header
@safe final class WALIndex {
    private static let changeOffset = 8

    private let base: BaseFile
    /// The first region of the index in memory; nil if it isn't mapped.
    private var memory: UnsafeRawPointer?
    // SQLite's calls come one after another, and the guard calls nothing: a check of exclusive access would cost a read more
    // than the guard does.
    @exclusivity(unchecked) private var resetGuard = WALResetGuard()
    /// The keeper of read locks, if the connection's owner has set one.
    var readLocks: ReadLockKeeper?

    init(base: BaseFile) { self.base = base }
    /// A Boolean value that says whether SQLite holds the write lock of the log.
    var holdsWrite: Bool { unsafe resetGuard.holdsWrite }
    /// A Boolean value that says whether SQLite holds the lock of checkpoints.
    var holdsCheckpoint: Bool { unsafe resetGuard.holdsCheckpoint }

    /// Records that a region was mapped.
    func mapped(region: CInt, _ memory: UnsafeRawPointer?) {
        guard region == 0 else { return }
        unsafe self.memory = unsafe memory
        unsafe resetGuard.mapped(memory)
    }

    /// Releases kept locks and forgets the memory before it is unmapped.
    func willUnmap() {
        readLocks?.willUnmap()
        unsafe resetGuard.willUnmap()
        unsafe memory = nil
    }

    /// The salts of the current log; nil if no index is mapped.
    var salts: UInt64? { unsafe WALResetGuard.salts(memory) }

    /// Acquires or releases a lock of the WAL index (xShmLock). A checkpoint doesn't get the lock under which it copies
    /// frames if the log was restarted since it has read the index.
    ///
    /// - Returns: a result code of SQLite.
    @inline(__always)
    func lock(_ change: WALLockChange) -> CInt {
        // Readers' locks, which are shared, don't concern the guard.
        guard change.isExclusive else { return lock(change.offset, change.count, change.flags) }
        unsafe resetGuard.willPerform(change, memory)
        let code = lock(change.offset, change.count, change.flags)
        if unsafe resetGuard.hasPerformed(change, code: code, memory) { return code }
        _ = lock(change.offset, change.count, change.releasingFlags)
        return SQLITE_BUSY
    }

    /// Releases locks that were just acquired for SQLite, which is told that it doesn't hold them.
    func giveBack(_ change: WALLockChange) {
        _ = base.shmLock(change.offset, change.count, change.releasingFlags)
        unsafe resetGuard.gaveBack(change)
    }

    /// If the connection keeps read locks between transactions, the call goes through its `ReadLockKeeper`.
    private func lock(_ offset: CInt, _ count: CInt, _ flags: CInt) -> CInt {
        guard let readLocks, let memory = unsafe memory else { return base.shmLock(offset, count, flags) }
        let change = unsafe memory.loadUnaligned(fromByteOffset: Self.changeOffset, as: UInt32.self)
        return readLocks.shmLock(offset, count, flags, base, change: change)
    }
}

/// Keeps a checkpoint of a connection from marking frames as copied that belong to a newer log than the one it has read.
///
/// SQLite 3.7.0 to 3.51.2 (but not 3.44.6 and 3.50.7) can lose committed transactions: a checkpoint copies the header of
/// the WAL index, a writer then restarts the log from its beginning, and the checkpoint records the frame count of the
/// former log as copied in the new one. https://sqlite.org/wal.html#the_wal_reset_bug
///
/// **The invariant.** While a checkpoint holds the lock of read mark 0, under which frames are copied and their number is
/// recorded, the log is the one whose header the checkpoint has copied. The guard keeps it in `xShmLock`, on the
/// checkpoint's side: it remembers the first salt (with the second) of the live index before SQLite copies the header,
/// and compares it when the checkpoint has got that lock.
///
/// 1. *Equal salts are the same log.* A restart increments the first salt. The only other change of it, a recovery of the
///    index, needs the checkpoint lock, which the checkpoint holds; its own recovery is under 4 or remembered under 2.
/// 2. *Remembered before the copy.* A checkpoint takes the checkpoint lock, asks for the write lock unless it is passive,
///    and then copies the header. The salts are read after each of these calls, whatever its result. Where the header was
///    torn or had to be recovered, it is copied under the write lock, in which nobody else restarts the log: the salts
///    are then read *before* that lock is released, since a restart is possible right after it.
/// 3. *Compared after the lock.* A writer holds read mark 0 shared while it restarts the log, a truncating checkpoint the
///    checkpoint lock. So from the comparison on nobody restarts it until the checkpoint has recorded what it copied.
/// 4. *With the write lock* the checkpoint has copied the header under it, and still holds it: nothing is compared.
///
/// The remembered salt, the copied one and the compared one are read from one place in this order and only grow, so if
/// the first and the last are equal, so is the copied one; a torn or early read only refuses. A refusal is `SQLITE_BUSY`,
/// which a checkpoint without the write lock takes for active readers: it ends without copying, and the next one copies.
/// Nothing is asked of other connections, there is no system call and no additional lock, and writers are unaffected.
/// Where SQLite makes no calls for locks (exclusive locking mode, the last close), nobody else has the file open.
///
/// Not thread-safe: SQLite makes the calls of one connection's file one after another.
@safe package struct WALResetGuard {
    private static let saltsOffset = 32
    private static let refusals = Atomic<Int>(0)

    /// The number of times that this process has kept a checkpoint from recording frames of a log it hadn't read.
    package static var refusalCount: Int { refusals.load(ordering: .relaxed) }

    /// SQLite's own exclusive locks; those that the VFS takes for itself on the same file don't count.
    private(set) var holdsWrite = false
    private(set) var holdsCheckpoint = false
    /// The salts of the log that the checkpoint under way has read or is about to read; nil if they aren't known.
    private var salts: UInt64?

    /// Records what SQLite releases, before it is released: SQLite considers it released whatever the result. `memory` is
    /// the first region of the WAL index; nil if it isn't mapped.
    @inline(__always)
    mutating func willPerform(_ change: WALLockChange, _ memory: UnsafeRawPointer?) {
        if change.dropsWrite {
            holdsWrite = false
            if holdsCheckpoint { unsafe remember(memory) }
        }
        if change.dropsCheckpoint { (holdsCheckpoint, salts) = (false, nil) }
    }

    /// Records what SQLite has acquired, if `code` is `SQLITE_OK`.
    ///
    /// - Returns: false if the log was restarted, so that SQLite must not keep the lock.
    @inline(__always)
    mutating func hasPerformed(_ change: WALLockChange, code: CInt, _ memory: UnsafeRawPointer?) -> Bool {
        if change.takesBackfill { return unsafe mayBackfill(code, memory) }
        guard change.takesWriteOrCheckpoint else { return true }
        if code == SQLITE_OK {
            if change.takesWrite { holdsWrite = true }
            if change.takesCheckpoint { holdsCheckpoint = true }
        }
        if holdsCheckpoint { unsafe remember(memory) }
        return true
    }

    private func mayBackfill(_ code: CInt, _ memory: UnsafeRawPointer?) -> Bool {
        guard code == SQLITE_OK, holdsCheckpoint, !holdsWrite else { return true }
        // The salts are read after the lock was acquired, on every processor.
        atomicMemoryFence(ordering: .acquiring)
        if let salts, let live = unsafe Self.salts(memory), salts == live { return true }
        Self.refusals.wrappingAdd(1, ordering: .relaxed)
        return false
    }

    /// Records that the first region of the index was mapped, which may be later than the checkpoint lock.
    mutating func mapped(_ memory: UnsafeRawPointer?) {
        if holdsCheckpoint { unsafe remember(memory) }
    }

    /// Records that the VFS has released locks again that SQLite had asked for, so that SQLite doesn't hold them.
    mutating func gaveBack(_ change: WALLockChange) {
        if change.takesWrite { holdsWrite = false }
        if change.takesCheckpoint { holdsCheckpoint = false }
        if change.takesWriteOrCheckpoint { salts = nil }
    }

    /// Forgets all locks, which end when the index is unmapped.
    mutating func willUnmap() { self = WALResetGuard() }

    private mutating func remember(_ memory: UnsafeRawPointer?) { salts = unsafe Self.salts(memory) }

    /// Returns the salts in the first copy of the index's header. https://sqlite.org/walformat.html#the_wal_index_header
    @inline(__always)
    static func salts(_ memory: UnsafeRawPointer?) -> UInt64? {
        unsafe memory?.loadUnaligned(fromByteOffset: saltsOffset, as: UInt64.self)
    }
}

// MARK: - What the audit says of it

extension WALResetGuard {
    /// Returns whether a version of SQLite, as a number such as 3040001, can lose transactions when the log is restarted
    /// during a checkpoint. https://sqlite.org/wal.html#the_wal_reset_bug
    package static func isNeeded(by version: Int32) -> Bool {
        switch version {
        case 3_044_006..<3_045_000, 3_050_007..<3_051_000: false
        default: 3_007_000..<3_051_003 ~= version
        }
    }

    /// A Boolean value that says whether the libsqlite3 of this process is such a version.
    package static var isNeeded: Bool { isNeeded(by: sqlite3_libversion_number()) }

    /// Returns whether the VFS refuses the backfill of a log that was restarted, and only that. Plays a checkpoint's
    /// calls on an index in memory, whose locks are always free.
    package static func isInForce() -> Bool {
        var methods = sqlite3_io_methods()
        unsafe methods.xShmLock = { _, _, _, _ in SQLITE_OK }
        return unsafe withUnsafePointer(to: methods) { methods in
            var file = unsafe sqlite3_file(pMethods: methods)
            return unsafe withUnsafeMutablePointer(to: &file) { file in
                let refused = unsafe refusal(BaseFile(file), restarts: true)
                return unsafe refused == SQLITE_BUSY && refusal(BaseFile(file), restarts: false) == SQLITE_OK
            }
        }
    }

    private static func refusal(_ base: BaseFile, restarts: Bool) -> CInt {
        let index = WALIndex(base: base)
        var header = [UInt8](repeating: 0, count: 136)
        return unsafe header.withUnsafeMutableBytes { bytes in
            unsafe index.mapped(region: 0, UnsafeRawPointer(bytes.baseAddress))
            defer { index.willUnmap() }
            let take = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE
            _ = index.lock(WALLockChange(offset: 1, count: 1, flags: take))
            if restarts { unsafe bytes[saltsOffset + 3] = 1 }
            let code = index.lock(WALLockChange(offset: 3, count: 1, flags: take))
            if code == SQLITE_BUSY { refusals.wrappingSubtract(1, ordering: .relaxed) }
            return code
        }
    }
}
