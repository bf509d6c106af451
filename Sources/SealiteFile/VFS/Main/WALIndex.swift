/// Reads some fields of the WAL index, while it is mapped in shared memory and without system calls.
/// https://sqlite.org/walformat.html#the_wal_index_header
@safe final class WALIndex {
    private static let changeOffset = 8
    private static let saltsOffset = 32

    private let base: BaseFile
    /// The first region of the index in memory; nil if it isn't mapped.
    private var memory: UnsafeRawPointer?
    /// The keeper of read locks, if the connection's owner has set one.
    var readLocks: ReadLockKeeper?

    init(base: BaseFile) { self.base = base }

    /// Records that a region was mapped.
    func mapped(region: CInt, _ memory: UnsafeRawPointer?) {
        if region == 0 { unsafe self.memory = unsafe memory }
    }

    /// Releases kept locks and forgets the memory before it is unmapped.
    func willUnmap() {
        readLocks?.willUnmap()
        unsafe memory = nil
    }

    /// The salts of the current log; nil if no index is mapped.
    var salts: UInt64? { unsafe memory?.loadUnaligned(fromByteOffset: Self.saltsOffset, as: UInt64.self) }

    /// Acquires or releases a lock of the WAL index (xShmLock). If the connection keeps read locks between
    /// transactions, the call goes through its `ReadLockKeeper`.
    ///
    /// - Returns: a result code of SQLite.
    func lock(_ offset: CInt, _ count: CInt, _ flags: CInt) -> CInt {
        guard let readLocks, let memory = unsafe memory else { return base.shmLock(offset, count, flags) }
        let change = unsafe memory.loadUnaligned(fromByteOffset: Self.changeOffset, as: UInt32.self)
        return readLocks.shmLock(offset, count, flags, base, change: change)
    }
}
