import CSQLite
import SealiteCrypto

/// Keeps the shared lock of a connection's last read transaction for its next one, which saves both lock system calls
/// of a short read.
///
/// SQLite begins and ends every read transaction as usual, and so sees every commit; only the lock on a read mark of
/// the WAL index outlives the transaction. To other connections it looks like a long reader, which is safe, but while
/// it is held they can neither restart the log from the front nor complete a checkpoint. Therefore the lock is kept
/// only if no commit has happened recently; it is released briefly at regular intervals, and the owner releases it as
/// soon as its readers are idle. https://sqlite.org/walformat.html#the_wal_index_format
///
/// Not thread-safe: used only by the thread that currently uses the connection.
@safe package final class ReadLockKeeper {
    /// The number of consecutive reads that release the lock, after a commit and at the beginning of each round, so
    /// that other connections make progress.
    package static let releasingReadCount: UInt32 = 64
    /// The number of reads in a round, the first `releasingReadCount` of which release the lock.
    package static let roundReadCount: UInt32 = 512
    /// The index of the first lock on a read mark. The locks before it are for writing, checkpoints and recovery.
    private static let firstReadLock: CInt = 3

    /// A Boolean value, set by the owner, that says whether the lock may be kept when a read transaction ends.
    package var mayKeep = false
    /// A Boolean value that says whether a read transaction has used a kept lock since the owner last set this to
    /// false.
    package var wasUsed = false

    /// The connection's database file, through which the kept lock is released; nil before a lock was kept, and when
    /// the WAL index is unmapped.
    private var base: BaseFile?
    /// The index of the kept lock; nil if no lock is kept, or if a read transaction is using it.
    private var kept: CInt?
    private var readCount: UInt32 = 0
    private var lastChange: UInt32 = 0
    private let process = ForkGeneration.current

    package init() {}

    /// A Boolean value that says whether a lock is kept while no read transaction uses it. False in a child after fork.
    package var isKeeping: Bool { kept != nil && process == ForkGeneration.current }

    /// Releases the kept lock, if there is one.
    package func release() {
        guard let lock = kept.take(), process == ForkGeneration.current else { return }
        assert(base != nil, "a kept lock belongs to a file")
        assert(lock >= Self.firstReadLock, "only locks on read marks are kept")
        _ = base?.shmLock(lock, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED)
    }

    // MARK: - Called by the file

    /// Acquires or releases a lock of the WAL index for SQLite, which passes `offset`, `count` and `flags`. `change` is
    /// the number of the last commit to the log, from the header of the index. https://sqlite.org/c3ref/io_methods.html
    func shmLock(_ offset: CInt, _ count: CInt, _ flags: CInt, _ file: BaseFile, change: UInt32) -> CInt {
        switch flags {
        case SQLITE_SHM_LOCK | SQLITE_SHM_SHARED where offset == kept:
            assert(count == 1, "a reader takes one lock")
            kept = nil
            wasUsed = true
            note(change)
            return SQLITE_OK
        case SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED
        where mayKeep && offset >= Self.firstReadLock && readCount >= Self.releasingReadCount:
            release()
            assert(count == 1 && kept == nil, "one lock is kept")
            (kept, base) = (offset, file)
            return SQLITE_OK
        case SQLITE_SHM_LOCK | SQLITE_SHM_SHARED:
            release()
            note(change)
        case SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE:
            // It may be the lock that SQLite is requesting and considers free.
            release()
        default:
            break
        }
        return file.shmLock(offset, count, flags)
    }

    /// Counts a read of the current round. A round begins at a commit, that is, if `change` differs from the last
    /// read's, and after `roundReadCount` reads.
    private func note(_ change: UInt32) {
        readCount = change == lastChange && readCount < Self.roundReadCount - 1 ? readCount + 1 : 0
        lastChange = change
        assert(readCount < Self.roundReadCount)
    }

    /// Releases the lock before its memory is unmapped.
    func willUnmap() {
        release()
        base = nil
    }
}
