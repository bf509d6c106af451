import CSQLite

/// The index of the write-ahead log in shared memory, as far as it is looked into: while it is mapped, and without a system call.
/// https://sqlite.org/walformat.html#the_wal_index_header
@safe final class WALIndex {
    private static let changeOffset = 8
    private static let saltsOffset = 32

    private let base: BaseFile
    /// The first region.
    private var memory: UnsafeRawPointer?
    /// Keeps the locks of read transactions, where the connection's owner wants that.
    var readLocks: ReadLockKeeper?

    init(base: BaseFile) { self.base = base }

    /// Takes note of a region that was mapped.
    func mapped(region: CInt, _ memory: UnsafeRawPointer?) {
        if region == 0 { unsafe self.memory = unsafe memory }
    }

    /// Gives up kept locks and the memory, which is about to go.
    func willUnmap() {
        readLocks?.willUnmap()
        unsafe memory = nil
    }

    /// The salts of the log as it is now; nil where no index is mapped.
    var salts: UInt64? { unsafe memory?.loadUnaligned(fromByteOffset: Self.saltsOffset, as: UInt64.self) }

    /// Takes or gives up a lock of the index, by way of the keeper of read locks where there is one.
    func lock(_ offset: CInt, _ count: CInt, _ flags: CInt) -> CInt {
        guard let readLocks, let memory = unsafe memory else { return base.shmLock(offset, count, flags) }
        let change = unsafe memory.loadUnaligned(fromByteOffset: Self.changeOffset, as: UInt32.self)
        return readLocks.shmLock(offset, count, flags, base, change: change)
    }
}

/// The meaning of a change of the WAL index's locks. https://sqlite.org/walformat.html#wal_locks
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
