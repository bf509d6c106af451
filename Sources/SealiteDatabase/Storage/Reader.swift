internal import GRDB
internal import Glibc
internal import Synchronization

/// A connection that only reads, and how many reads wait for it.
///
/// Whoever uses the connection holds ``lock()``: GRDB's queue for most work, and the calling thread itself for a read of one row,
/// for which the hop to the queue costs as much as half the read.
@safe
// Sendable: `statements` and `isClosed` are read and written with `mutex` held, which is allocated once and freed by `deinit`.
final class Reader: @unchecked Sendable {
    let queue: DatabaseQueue
    /// How many reads use the connection or wait for it.
    let load = Atomic<Int>(0)

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// The statements that find a document by its id, by the number of the collection.
    private var statements: [Int: Statement] = [:]
    private var isClosed = false

    init(_ queue: DatabaseQueue) {
        self.queue = queue
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        _ = unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        _ = unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    // MARK: - Using the connection

    /// Runs `body` on the connection, from its queue.
    @inline(__always)
    func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        _ = unsafe pthread_mutex_lock(mutex)
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Runs `body` with the statement that finds a document of a collection, on the calling thread.
    ///
    /// - Returns: nil where the connection is in use, or the collection's statement has to be prepared first, which GRDB does on
    ///   the queue, or another read's cancellation met this one; the queue does the read then.
    func readDirectly<Result>(
        _ collection: Collection, _ body: (borrowing PreparedStatement) throws -> Result
    ) throws -> Result? {
        guard unsafe pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        guard let statement = statements[collection.number] else { return nil }
        do {
            return try body(PreparedStatement(statement))
        } catch let error as DatabaseError where error.code == .cancelled {
            return nil
        }
    }

    /// The statement that finds a document of a collection. For who is on the queue and holds the lock.
    func statement(_ collection: Collection, _ connection: GRDB.Database) throws -> PreparedStatement {
        if let statement = statements[collection.number] { return PreparedStatement(statement) }
        do {
            let statement = try connection.cachedStatement(sql: collection.sql.select)
            // A statement that is kept keeps the connection from being closed.
            if !isClosed { statements[collection.number] = statement }
            return PreparedStatement(statement)
        } catch {
            throw DatabaseError(storage: error)
        }
    }

    /// Waits for what is under way and closes the connection.
    func close() throws {
        queue.unsafeRead { _ in
            locked {
                isClosed = true
                statements = [:]
            }
        }
        try queue.close()
    }
}
