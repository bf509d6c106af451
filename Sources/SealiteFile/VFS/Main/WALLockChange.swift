import CSQLite

/// The locks of the WAL index that one call of `xShmLock` takes or releases.
/// https://sqlite.org/walformat.html#wal_locks
struct WALLockChange {
    private static let write: CInt = 0
    private static let checkpoint: CInt = 1
    private static let secondReadSlot: CInt = 4

    let takesReadSlot: Bool
    let takesWrite: Bool
    let takesCheckpoint: Bool
    let dropsWrite: Bool
    let dropsCheckpoint: Bool

    var takesWriteOrCheckpoint: Bool { takesWrite || takesCheckpoint }

    init(offset: CInt, count: CInt, flags: CInt) {
        let isLock = flags & SQLITE_SHM_LOCK != 0
        let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
        func covers(_ slot: CInt) -> Bool { offset <= slot && slot < offset + count }
        takesReadSlot = isLock && !isExclusive && offset >= Self.secondReadSlot
        takesWrite = isLock && isExclusive && covers(Self.write)
        takesCheckpoint = isLock && isExclusive && covers(Self.checkpoint)
        dropsWrite = !isLock && isExclusive && covers(Self.write)
        dropsCheckpoint = !isLock && isExclusive && covers(Self.checkpoint)
    }
}
