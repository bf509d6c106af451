internal import Dispatch
internal import GRDB
internal import Glibc
internal import SealiteFile
internal import Synchronization

/// Reads one database through a pool of read-only connections, which are opened on demand, each with its own queue.
///
/// A document is read by its id on the calling thread if a connection is idle and has the statement prepared; see
/// ``Reader``. GRDB's pool asks SQLite for the schema version and starts a transaction for each read, which costs twice
/// as much as reading a document. A single statement is a snapshot by itself and needs neither.
final class Readers: Sendable {
    /// A connection whose snapshot a thread reads.
    final class Snapshot {
        /// The reader that owns the connection; nil if the caller keeps the connection in a snapshot
        /// (``withConnection(_:_:)``).
        private let reader: Reader?
        let connection: GRDB.Database
        init(_ reader: Reader?, _ connection: GRDB.Database) { (self.reader, self.connection) = (reader, connection) }

        /// Returns the statement that finds a document of a collection.
        func statement(_ table: CollectionSQL) throws -> PreparedStatement {
            if let reader { return try reader.statement(table, connection) }
            return try PreparedStatement(connection, table.select)
        }
    }

    private let file: OpenFile
    private let limit: Int
    /// Opens a connection; the argument is true for the first connection, which does all the reading while reads don't
    /// overlap.
    private let open: @Sendable (_ isFirst: Bool) throws -> DatabaseQueue
    /// The open connections; nil once closed.
    private let readers = Mutex<[Reader]?>([])
    private let snapshots = ThreadTable<Snapshot>()
    /// The number of writes or maintenance operations of this database in progress, during which no reader keeps a
    /// lock.
    private let writerCount = Atomic<Int>(0)

    init(_ file: OpenFile, limit: Int, open: @escaping @Sendable (_ isFirst: Bool) throws -> DatabaseQueue) {
        self.file = file
        self.limit = max(limit, 1)
        self.open = open
    }

    /// The connection of the calling thread's snapshot; nil if it isn't in one.
    @inline(__always)
    var current: GRDB.Database? { snapshots.current?.connection }

    /// Returns an idle connection after incrementing its load; nil if there is none.
    private func acquireIdle() throws -> Reader? {
        try readers.withLock { readers in
            guard let opened = readers else { throw DatabaseError(.notOpen, "the database is closed") }
            let idle = opened.first { $0.load.load(ordering: .relaxed) == 0 }
            idle?.load.add(1, ordering: .relaxed)
            return idle
        }
    }

    /// Returns the connection with the least load after incrementing its load, as ``acquire()`` does, without blocking
    /// the calling task's thread while a connection is opened.
    private func acquireForTask() async throws -> Reader {
        if let idle = try acquireIdle() { return idle }
        return try await Offload.run { try self.acquire() }
    }

    /// Returns the connection with the least load after incrementing its load.
    private func acquire() throws -> Reader {
        try readers.withLock { readers in
            guard let opened = readers else { throw DatabaseError(.notOpen, "the database is closed") }
            var best: Reader?
            var bestLoad = Int.max
            for reader in opened {
                let load = reader.load.load(ordering: .relaxed)
                if load < bestLoad { (best, bestLoad) = (reader, load) }
                if load == 0 { break }
            }
            if bestLoad > 0, opened.count < limit {
                let reader = Reader(try open(opened.isEmpty))
                readers?.append(reader)
                best = reader
            }
            guard let best else { throw DatabaseError(.unexpected, "no connection could be opened for reading") }
            assert(best.load.load(ordering: .relaxed) >= 0)
            best.load.add(1, ordering: .relaxed)
            return best
        }
    }

    /// Runs `body`, whose reads are those of a single statement, in the calling thread's snapshot or on any connection.
    @inline(__always)
    func read<Result>(_ body: (GRDB.Database) throws -> Result) throws -> Result {
        if let current { return try body(current) }
        return try readQueued { try body($1) }
    }

    /// The asynchronous form of ``read(_:)``, which doesn't block the calling task's thread.
    func read<Result: Sendable>(_ body: @Sendable (GRDB.Database) throws -> Result) async throws -> Result {
        try await readQueued { try body($1) }
    }

    /// Runs `body` with the statement that finds a document of a collection by its id, in the calling thread's snapshot
    /// or on any connection.
    @inline(__always)
    func readDocument<Result>(
        of table: CollectionSQL, _ body: (borrowing PreparedStatement) throws -> Result
    ) throws -> Result {
        if let snapshot = snapshots.current { return try body(try snapshot.statement(table)) }
        let reader = try acquire()
        defer { reader.load.subtract(1, ordering: .relaxed) }
        try file.check()
        let mayKeepLock = writerCount.load(ordering: .relaxed) == 0
        if let result = try reader.readDirectly(table, mayKeepLock: mayKeepLock, body) { return result }
        return try queued(reader) { try body(try reader.statement(table, $0)) }
    }

    /// Runs `body` so that all reads of the calling thread in it come from one snapshot of the database.
    func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try readQueued { try self.inSnapshot(Snapshot($0, $1), body) }
    }

    /// Runs `body` in a snapshot, as ``snapshot(_:)`` does, if an open connection is idle, so that the calling thread
    /// doesn't wait; returns nil otherwise.
    func snapshotIfIdle<Result>(_ body: () throws -> Result) throws -> Result? {
        guard let reader = try acquireIdle() else { return nil }
        defer { reader.load.subtract(1, ordering: .relaxed) }
        return try queued(reader) { try self.inSnapshot(Snapshot(reader, $0), isTaken: false, body) }
    }

    /// The asynchronous form of ``snapshot(_:)``, which doesn't block the calling task's thread.
    func snapshot<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
        try await readQueued { try self.inSnapshot(Snapshot($0, $1), body) }
    }

    /// Runs `body` so that all reads of the calling thread in it use a connection that the caller keeps in one snapshot
    /// of the database.
    func withConnection<Result>(_ connection: GRDB.Database, _ body: () throws -> Result) throws -> Result {
        try snapshots.with(Snapshot(nil, connection), body)
    }

    /// Runs `body` in a snapshot of the database, which is that of the start if `isTaken`, otherwise that of the first
    /// read.
    private func inSnapshot<Result>(
        _ snapshot: Snapshot, isTaken: Bool = true, _ body: () throws -> Result
    ) throws -> Result {
        let connection = snapshot.connection
        assert(!connection.isInsideTransaction, "a connection has one snapshot at a time")
        try connection.run("BEGIN DEFERRED")
        defer { connection.endTransaction("COMMIT") }
        // A deferred transaction takes its snapshot at the first read.
        if isTaken { _ = try connection.integer("SELECT count(*) FROM sqlite_schema WHERE 0") }
        return try snapshots.with(snapshot, body)
    }

    @inline(__always)
    private func readQueued<Result>(_ body: (Reader, GRDB.Database) throws -> Result) throws -> Result {
        let reader = try acquire()
        defer { reader.load.subtract(1, ordering: .relaxed) }
        return try queued(reader) { try body(reader, $0) }
    }

    /// Runs `body` on a connection's queue.
    @inline(__always)
    private func queued<Result>(_ reader: Reader, _ body: (GRDB.Database) throws -> Result) throws -> Result {
        try DatabaseError.mapping {
            try reader.queue.unsafeRead { connection in
                try file.check()
                return try reader.locked { try body(connection) }
            }
        }
    }

    private func readQueued<Result: Sendable>(
        _ body: @Sendable (Reader, GRDB.Database) throws -> Result
    ) async throws -> Result {
        let reader = try await acquireForTask()
        defer { reader.load.subtract(1, ordering: .relaxed) }
        do {
            return try await reader.queue.unsafeRead { connection in
                try file.check()
                return try reader.locked { try body(reader, connection) }
            }
        } catch {
            throw DatabaseError.mapped(error)
        }
    }

    /// Runs `body`, which writes or does maintenance, while only the reads in progress hold a lock. SQLite restarts the
    /// log, and completes a WAL checkpoint, only if no other reader holds a lock.
    func withoutKeptLocks<Result>(_ body: () throws -> Result) rethrows -> Result {
        writerCount.add(1, ordering: .relaxed)
        defer { writerCount.subtract(1, ordering: .relaxed) }
        for reader in readers.withLock({ $0 ?? [] }) { reader.releaseLock() }
        return try body()
    }

    func close() throws {
        let closing = readers.withLock { readers in
            defer { readers = nil }
            return readers ?? []
        }
        for reader in closing { try reader.close() }
    }
}

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
        let statement = try PreparedStatement(connection, table.select)
        // A cached statement would keep the connection from being closed.
        if !isClosed { statements[table.number] = statement.owner }
        return statement
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
