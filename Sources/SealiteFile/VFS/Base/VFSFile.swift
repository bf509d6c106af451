import CSQLite
import SealiteCrypto

/// Throws a `VFSFailure` unless a call of the base VFS returned `SQLITE_OK`.
@inline(__always)
package func check(_ code: CInt) throws(VFSFailure) {
    guard code == SQLITE_OK else { throw VFSFailure(code) }
}

/// Runs a function, and converts the `SealedFileError` that it throws to a `VFSFailure`.
@inline(__always)
package func sealing<R>(_ body: () throws(SealedFileError) -> R) throws(VFSFailure) -> R {
    do throws(SealedFileError) {
        return try body()
    } catch {
        throw VFSFailure(error)
    }
}

/// A file that SQLite has opened through the encrypting VFS. SQLite calls it from one thread at a time.
///
/// A subclass implements each kind of file. The functions in `Callbacks/` forward SQLite's calls to it.
package class VFSFile {
    package let base: BaseFile
    private let openedInProcess = ForkGeneration.current
    /// The reason of the last failure, for `SealedDatabase.failure(of:)`.
    final var lastFailure: SealedFileError?

    init(base: BaseFile) { self.base = base }

    /// A Boolean value that is false in a child process after fork, where neither SQLite's locks nor the nonce source
    /// may be used.
    @inline(__always)
    final var isOfThisProcess: Bool { openedInProcess == ForkGeneration.current }

    func read(into buffer: UnsafeMutableRawPointer, _ byteCount: Int, at offset: Int64) throws(VFSFailure) {
        try unsafe check(base.read(into: buffer, byteCount, at: offset))
    }

    func write(_ buffer: UnsafeRawPointer, _ byteCount: Int, at offset: Int64) throws(VFSFailure) {
        try unsafe check(base.write(buffer, byteCount, at: offset))
    }

    func truncate(to byteCount: Int64) throws(VFSFailure) { try check(base.truncate(to: byteCount)) }

    func sync(_ flags: CInt) throws(VFSFailure) { try check(base.sync(flags)) }

    package func size() throws(VFSFailure) -> Int64 { try base.size().get() }

    func lock(_ level: CInt) throws(VFSFailure) { try check(base.lock(level)) }

    func unlock(_ level: CInt) throws(VFSFailure) { try check(base.unlock(level)) }

    func control(_ operation: CInt, _ argument: UnsafeMutableRawPointer?) throws(VFSFailure) {
        try unsafe check(base.fileControl(operation, argument))
    }

    func shmMapped(region: CInt, _ memory: UnsafeRawPointer?) {}
    func shmUnmapped() {}
    func shmLock(_ change: WALLockChange) -> CInt { base.shmLock(change.offset, change.count, change.flags) }
    func shmGiveBack(_ change: WALLockChange) {
        _ = base.shmLock(change.offset, change.count, change.releasingFlags)
    }
    func shmLocked(_ change: WALLockChange) throws(VFSFailure) {}

    /// Releases resources. Called once, before the base file is closed.
    func close() {}
}

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

extension Unmanaged {
    /// Calls `body` with the object, without retaining it. The caller must guarantee that the object lives until `body`
    /// returns. Avoiding the reference count reduces the time to read or write a page by about 5%.
    @inline(__always)
    @unsafe func borrowed<R, E: Error>(_ body: (Instance) throws(E) -> R) throws(E) -> R {
        try unsafe _withUnsafeGuaranteedRef { object in Result { () throws(E) in try body(object) } }.get()
    }
}
