internal import Dispatch
internal import GRDB
internal import Glibc
internal import SealiteFile
internal import Synchronization

/// A connection that only reads, with the number of reads that wait for it.
///
/// A user of the connection holds its mutex: GRDB's queue for most work, and the calling thread itself for a read of
/// one row, for which switching to the queue would cost a tenth of the read. Such a read leaves SQLite's lock in the
/// WAL index to the next read, because taking and releasing the lock costs a third of a read; ``ReadLockKeeper``
/// defines the bounds.
@safe
// Sendable: the variables, and until `isClosed` the keeper, are used with `mutex` held,
// which is allocated once and freed by `deinit`.
final class Reader: @unchecked Sendable {
    let queue: DatabaseQueue
    /// The number of reads that use the connection or wait for it.
    let load = Atomic<Int>(0)

    /// The interval between two checks of a kept lock, in milliseconds: an unused lock is kept for at most twice that
    /// time.
    private static let keepingTime = 10

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// The prepared statements that find a document by its id, one for each collection, by the collection's number.
    private var statements: [Int: Statement] = [:]
    private var isClosed = false
    private let lockKeeper = ReadLockKeeper()
    /// A Boolean value that says whether a call of ``lookAtLock()`` is scheduled.
    private var isWatched = false

    init(_ queue: DatabaseQueue) {
        self.queue = queue
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        _ = unsafe pthread_mutex_init(mutex, nil)
        queue.unsafeRead { connection in
            guard let handle = unsafe connection.sqliteConnection else { return }
            _ = unsafe SealedDatabase.keepReadLocks(of: handle, lockKeeper)
        }
    }

    deinit {
        // The statements are released before the queue, because a connection isn't closed while a statement exists.
        statements = [:]
        _ = unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    // MARK: - Using the connection

    /// Runs `body` while the calling thread, which is that of the connection's queue, holds the connection's mutex.
    @inline(__always)
    func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        _ = unsafe pthread_mutex_lock(mutex)
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Runs `body` with the statement that finds a document of a collection, on the calling thread.
    ///
    /// - Parameters:
    ///   - table: the collection of the document.
    ///   - mayKeepLock: true if SQLite's lock may stay held for the next read.
    ///   - body: binds the id, steps and reads the columns.
    /// - Returns: the result of `body`; nil if the connection is in use, if the collection's statement isn't prepared
    ///   yet, which GRDB does on the queue, or if the cancellation of another read interrupted this one. The caller
    ///   then reads on the queue.
    /// - Throws: the errors of `body`, except a cancellation.
    func readDirectly<Result>(
        _ table: CollectionSQL, mayKeepLock: Bool, _ body: (borrowing PreparedStatement) throws -> Result
    ) throws -> Result? {
        guard unsafe pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        guard let statement = statements[table.number] else { return nil }
        lockKeeper.mayKeep = mayKeepLock
        defer {
            lockKeeper.mayKeep = false
            if lockKeeper.isKeeping, !isWatched { watch() }
        }
        return try Self.run(statement, body)
    }

    /// Runs `body` with a statement, which is reset and whose transaction has ended when this function returns.
    @inline(__always)
    private static func run<Result>(
        _ statement: Statement, _ body: (borrowing PreparedStatement) throws -> Result
    ) throws -> Result? {
        do {
            return try body(PreparedStatement(statement))
        } catch let error as DatabaseError where error.code == .cancelled {
            return nil
        }
    }

    // MARK: - SQLite's lock

    /// Releases the lock that the last read left, unless the connection is in use: a read in progress then releases the
    /// lock at its end, or the lock is soon found unused.
    func releaseLock() {
        guard unsafe pthread_mutex_trylock(mutex) == 0 else { return }
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        if !isClosed { lockKeeper.release() }
    }

    private func watch() {
        assert(!isWatched, "one look at the lock is scheduled")
        isWatched = true
        lockKeeper.wasUsed = false
        lookAtLockLater()
    }

    private func lookAtLockLater() {
        let time = DispatchTime.now() + .milliseconds(Self.keepingTime)
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: time) { [weak self] in self?.lookAtLock() }
    }

    private func lookAtLock() {
        guard unsafe pthread_mutex_trylock(mutex) == 0 else { return lookAtLockLater() }
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        isWatched = false
        guard !isClosed, lockKeeper.isKeeping else { return }
        if lockKeeper.wasUsed { watch() } else { lockKeeper.release() }
    }

    /// Returns the statement that finds a document of a collection. Called on the queue, with the mutex held.
    func statement(_ table: CollectionSQL, _ connection: GRDB.Database) throws -> PreparedStatement {
        if let statement = statements[table.number] { return PreparedStatement(statement) }
        do {
            let statement = try connection.cachedStatement(sql: table.select)
            // A cached statement would keep the connection from being closed.
            if !isClosed { statements[table.number] = statement }
            return PreparedStatement(statement)
        } catch {
            throw DatabaseError(storage: error)
        }
    }

    /// Waits for the read in progress and closes the connection.
    func close() throws {
        queue.unsafeRead { _ in
            locked {
                // From now on only the connection uses the keeper, and it closes without the mutex.
                assert(!isClosed, "a connection closes once")
                isClosed = true
                lockKeeper.release()
                statements = [:]
            }
        }
        try queue.close()
    }
}
