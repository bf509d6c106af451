import CSQLite
import SealiteCrypto

/// A failure inside a VFS method: the code that SQLite gets, and what a person gets.
package struct VFSFailure: Error {
    package let code: CInt
    let detail: SealedFileError?

    package init(_ code: CInt, _ detail: SealedFileError? = nil) {
        self.code = code
        self.detail = detail
    }

    /// A failure of the sealing layer, with the SQLite code that fits it.
    package init(_ error: SealedFileError) {
        let code =
            switch error.code {
            case .damagedPage, .damagedFrame, .damagedJournal, .foreignJournal, .damagedHeader, .tamperedHeader:
                SQLITE_IOERR_DATA
            case .notSealed, .plainDatabase, .unsupportedVersion: SQLITE_NOTADB
            case .notUnlocked, .wrongKey, .locked, .unlockAgain, .unauthenticatedSlot: SQLITE_AUTH
            case .busy: SQLITE_BUSY
            default: SQLITE_IOERR
            }
        self.init(code, error)
    }

    static let shortRead = VFSFailure(SQLITE_IOERR_SHORT_READ)
}

/// Throws unless a call of the base VFS went well. Its error always comes first.
@inline(__always)
package func check(_ code: CInt) throws(VFSFailure) {
    guard code == SQLITE_OK else { throw VFSFailure(code) }
}

/// Turns an error of the sealing layer into one of the VFS.
@inline(__always)
package func sealing<R>(_ body: () throws(SealedFileError) -> R) throws(VFSFailure) -> R {
    do throws(SealedFileError) {
        return try body()
    } catch {
        throw VFSFailure(error)
    }
}

/// One open file. SQLite calls it from one thread at a time.
///
/// Subclasses hold the logic of a kind of file; `Callbacks/` leads SQLite's calls here.
package class VFSFile {
    package let base: BaseFile
    private let openedInProcess = ForkGeneration.current
    /// The reason of the last failure, for `SealedDatabase.failure(of:)`.
    final var lastFailure: SealedFileError?

    init(base: BaseFile) { self.base = base }

    /// False in a child process after fork: neither SQLite's locks nor our nonces may be carried across.
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
    func shmLock(_ offset: CInt, _ count: CInt, _ flags: CInt) -> CInt { base.shmLock(offset, count, flags) }
    func shmLocked(_ offset: CInt, _ count: CInt, _ flags: CInt) throws(VFSFailure) {}

    /// Called once, before the base file is closed.
    func close() {}
}
