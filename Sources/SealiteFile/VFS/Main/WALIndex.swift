import CSQLite

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
