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
