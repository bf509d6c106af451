import CSQLite
import SealiteCrypto

/// Keeps the shared lock of a connection's last read transaction for its next one, which saves both system calls of a short read.
///
/// SQLite begins and ends every read transaction as ever, and so sees every commit; only the lock on a read mark of the WAL index
/// outlives the transaction. To others it looks like a reader that takes longer: nothing is unsafe, but they can't begin the log anew
/// from the front, or finish a checkpoint, as long as it is held. So the lock is kept only where nobody has committed for a while, it
/// is given up for a moment again and again, and the owner releases it as soon as nobody reads any more.
/// https://sqlite.org/walformat.html#the_wal_index_format
///
/// Used by one thread at a time, the one that uses the connection.
@safe package final class ReadLockKeeper {
    /// The number of reads in a row that let go of the lock, after a commit and then at the beginning of each round, so that others get in.
    package static let releasingReadCount: UInt32 = 64
    /// The reads in a round.
    package static let roundReadCount: UInt32 = 512
    /// The first lock on a read mark; those before it are for writing, checkpoints and recovery.
    private static let firstReadLock: CInt = 3

    /// True where the read transaction that ends next may leave its lock.
    package var mayKeep = false
    /// True once a kept lock was used; set to false by the owner.
    package var wasUsed = false

    /// The connection's file, while it shares memory with others.
    private var base: BaseFile?
    /// The lock that is kept.
    private var kept: CInt?
    private var readCount: UInt32 = 0
    private var lastChange: UInt32 = 0
    private let process = ForkGeneration.current

    package init() {}

    /// True while a lock is held that no transaction needs. A child after fork holds none.
    package var isKeeping: Bool { kept != nil && process == ForkGeneration.current }

    /// Gives up the lock that is kept, if one is.
    package func release() {
        guard let lock = kept.take(), process == ForkGeneration.current else { return }
        _ = base?.shmLock(lock, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED)
    }

    // MARK: - Called by the file

    /// Takes or gives up a lock of the WAL index for SQLite, which gives `offset`, `count` and `flags`; `change` is the number of the
    /// last commit to the log, from the header of the index. https://sqlite.org/c3ref/io_methods.html
    func shmLock(_ offset: CInt, _ count: CInt, _ flags: CInt, _ file: BaseFile, change: UInt32) -> CInt {
        switch flags {
        case SQLITE_SHM_LOCK | SQLITE_SHM_SHARED where offset == kept:
            kept = nil
            wasUsed = true
            note(change)
            return SQLITE_OK
        case SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED
        where mayKeep && offset >= Self.firstReadLock && readCount >= Self.releasingReadCount:
            release()
            (kept, base) = (offset, file)
            return SQLITE_OK
        case SQLITE_SHM_LOCK | SQLITE_SHM_SHARED:
            release()
            note(change)
        case SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE:
            // Perhaps the same lock, which SQLite holds to be free.
            release()
        default:
            break
        }
        return file.shmLock(offset, count, flags)
    }

    /// Counts the reads since somebody committed.
    private func note(_ change: UInt32) {
        readCount = change == lastChange && readCount < Self.roundReadCount - 1 ? readCount + 1 : 0
        lastChange = change
    }

    /// Gives up the lock before the memory that it is in goes.
    func willUnmap() {
        release()
        base = nil
    }
}
