import CSQLite

/// The locks of the WAL index that one call of `xShmLock` takes or releases.
/// https://sqlite.org/walformat.html#wal_locks
struct WALLockChange {
    private static let write: CInt = 0
    private static let checkpoint: CInt = 1
    /// The lock under which a checkpoint copies frames into the database file.
    private static let firstReadSlot: CInt = 3
    private static let secondReadSlot: CInt = 4

    /// The arguments of the call: the first lock, the number of locks, and SQLITE_SHM_LOCK or SQLITE_SHM_UNLOCK with
    /// SQLITE_SHM_SHARED or SQLITE_SHM_EXCLUSIVE.
    let offset: CInt, count: CInt, flags: CInt

    let takesReadSlot: Bool
    let takesWrite: Bool
    let takesCheckpoint: Bool
    let dropsWrite: Bool
    let dropsCheckpoint: Bool
    /// A Boolean value that says whether a checkpoint asks for the lock under which it copies frames. Only a checkpoint
    /// takes this lock exclusively.
    let takesBackfill: Bool

    var takesWriteOrCheckpoint: Bool { takesWrite || takesCheckpoint }

    /// The flags that release what the call takes.
    var releasingFlags: CInt { flags & ~SQLITE_SHM_LOCK | SQLITE_SHM_UNLOCK }

    init(offset: CInt, count: CInt, flags: CInt) {
        (self.offset, self.count, self.flags) = (offset, count, flags)
        let isLock = flags & SQLITE_SHM_LOCK != 0
        let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
        func covers(_ slot: CInt) -> Bool { offset <= slot && slot < offset + count }
        takesReadSlot = isLock && !isExclusive && offset >= Self.secondReadSlot
        takesWrite = isLock && isExclusive && covers(Self.write)
        takesCheckpoint = isLock && isExclusive && covers(Self.checkpoint)
        dropsWrite = !isLock && isExclusive && covers(Self.write)
        dropsCheckpoint = !isLock && isExclusive && covers(Self.checkpoint)
        takesBackfill = isLock && isExclusive && covers(Self.firstReadSlot)
    }
}
