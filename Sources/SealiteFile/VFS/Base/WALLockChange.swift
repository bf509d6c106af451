import CSQLite

/// The locks of the WAL index that one call of `xShmLock` takes or releases. Only the call's arguments are stored, since
/// each read transaction makes two such calls. https://sqlite.org/walformat.html#wal_locks
struct WALLockChange {
    private static let write: CInt = 0
    private static let checkpoint: CInt = 1
    /// The lock under which a checkpoint copies frames into the database file.
    private static let firstReadSlot: CInt = 3
    private static let secondReadSlot: CInt = 4

    /// The arguments of the call: the first lock, the number of locks, and SQLITE_SHM_LOCK or SQLITE_SHM_UNLOCK with
    /// SQLITE_SHM_SHARED or SQLITE_SHM_EXCLUSIVE.
    let offset: CInt, count: CInt, flags: CInt

    @inline(__always) private var isLock: Bool { flags & SQLITE_SHM_LOCK != 0 }
    @inline(__always) var isExclusive: Bool { flags & SQLITE_SHM_EXCLUSIVE != 0 }
    @inline(__always)
    private func covers(_ slot: CInt) -> Bool { offset <= slot && slot &- offset < count }

    @inline(__always) var takesReadSlot: Bool { isLock && !isExclusive && offset >= Self.secondReadSlot }
    @inline(__always) var takesWrite: Bool { isLock && isExclusive && covers(Self.write) }
    @inline(__always) var takesCheckpoint: Bool { isLock && isExclusive && covers(Self.checkpoint) }
    @inline(__always) var takesWriteOrCheckpoint: Bool { takesWrite || takesCheckpoint }
    @inline(__always) var dropsWrite: Bool { !isLock && isExclusive && covers(Self.write) }
    @inline(__always) var dropsCheckpoint: Bool { !isLock && isExclusive && covers(Self.checkpoint) }
    /// A Boolean value that says whether a checkpoint asks for the lock under which it copies frames. Only a checkpoint
    /// takes this lock exclusively.
    @inline(__always) var takesBackfill: Bool { isLock && isExclusive && covers(Self.firstReadSlot) }

    /// The flags that release what the call takes.
    var releasingFlags: CInt { flags & ~SQLITE_SHM_LOCK | SQLITE_SHM_UNLOCK }
}
