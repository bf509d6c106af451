internal import GRDB
internal import SealiteFile
internal import Synchronization

/// Reads one database: a few read-only connections, opened when they are needed, each on its own queue.
///
/// GRDB's pool asks SQLite for the schema version and takes a transaction for each read, which costs twice what reading a
/// document does; a single statement is a snapshot by itself and needs neither.
final class Readers: Sendable {
    /// One connection and how many reads wait for it.
    final class Reader: Sendable {
        let queue: DatabaseQueue
        let load = Atomic<Int>(0)

        init(_ queue: DatabaseQueue) { self.queue = queue }
    }

    /// A snapshot that a thread reads.
    final class Snapshot {
        let connection: GRDB.Database
        init(_ connection: GRDB.Database) { self.connection = connection }
    }

    private let limit: Int
    /// Opens a connection; told whether it is the first one, which does all the reading where nobody reads at the same time.
    private let open: @Sendable (_ isFirst: Bool) throws -> DatabaseQueue
    /// Nil once closed.
    private let readers = Mutex<[Reader]?>([])
    private let snapshots = ThreadTable<Snapshot>()

    init(limit: Int, open: @escaping @Sendable (_ isFirst: Bool) throws -> DatabaseQueue) {
        self.limit = max(limit, 1)
        self.open = open
    }

    /// The connection of the snapshot that the calling thread is in.
    @inline(__always)
    var current: GRDB.Database? { snapshots.current?.connection }

    /// An open connection that nobody reads from, counted as one read busier; nil when there is none.
    private func acquireIdle() throws -> Reader? {
        try readers.withLock { readers in
            guard let opened = readers else { throw DatabaseError(.notOpen, "the database is closed") }
            let idle = opened.first { $0.load.load(ordering: .relaxed) == 0 }
            idle?.load.add(1, ordering: .relaxed)
            return idle
        }
    }

    /// As ``acquire()``, which may have to open a connection and waits for the file then, without blocking the calling
    /// task's thread.
    private func acquireForTask() async throws -> Reader {
        if let idle = try acquireIdle() { return idle }
        return try await Offload.run { try self.acquire() }
    }

    /// The least busy connection, counted as one read busier.
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
            best.load.add(1, ordering: .relaxed)
            return best
        }
    }

    /// Runs `body`, which makes a single statement's worth of reading, on the calling thread's snapshot or on any
    /// connection.
    @inline(__always)
    func read<Result>(_ database: Database, _ body: (GRDB.Database) throws -> Result) throws -> Result {
        if let current { return try body(current) }
        let reader = try acquire()
        defer { reader.load.subtract(1, ordering: .relaxed) }
        do {
            return try reader.queue.unsafeRead { connection in
                try database.checkOpen()
                return try body(connection)
            }
        } catch {
            throw DatabaseError.mapped(error)
        }
    }

    /// As the other, without blocking the calling task's thread.
    func read<Result: Sendable>(
        _ database: Database, _ body: @Sendable (GRDB.Database) throws -> Result
    ) async throws -> Result {
        let reader = try await acquireForTask()
        defer { reader.load.subtract(1, ordering: .relaxed) }
        do {
            return try await reader.queue.unsafeRead { connection in
                try database.checkOpen()
                return try body(connection)
            }
        } catch {
            throw DatabaseError.mapped(error)
        }
    }

    /// Runs `body` with everything the calling thread reads coming from one state of the database.
    func snapshot<Result>(_ connection: GRDB.Database, _ body: () throws -> Result) throws -> Result {
        try connection.run("BEGIN DEFERRED")
        defer { connection.endTransaction("COMMIT") }
        // A deferred transaction takes its snapshot at the first read.
        _ = try connection.integer("SELECT count(*) FROM sqlite_schema WHERE 0")
        return try snapshots.with(Snapshot(connection), body)
    }

    func close() throws {
        let closing = readers.withLock { readers in
            defer { readers = nil }
            return readers ?? []
        }
        for reader in closing { try reader.queue.close() }
    }
}
