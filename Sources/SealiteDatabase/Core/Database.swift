internal import GRDB
package import SealiteBase
internal import SealiteFile
internal import Synchronization

/// A document database: collections of JSON documents, their blobs and their history, in one sealed file.
///
/// A `Database` may be used from any thread. Several may be open on one file, in one process or in several; each sees
/// the commits of the others. Methods that access the file block their thread until they return; each has an `async`
/// form, which doesn't block the thread. Properties and blob readers have no `async` form: an asynchronous task uses
/// them inside the closure of `read(_:)` or `write(_:)`, and reads content through ``Blob/chunks``. After `close()`,
/// all that accesses the file throws `notOpen`.
public final class Database: Sendable {
    /// The name of the default scope, which always exists.
    public static let defaultScopeName = "_default"
    /// The name of the default collection, which always exists.
    public static let defaultCollectionName = "_default"

    /// The configuration with which the database was opened.
    public let configuration: DatabaseConfiguration
    /// The form of the revision ids of the database's documents: revision trees or version vectors.
    public let versioning: DocumentVersioning

    let opener: any StorageOpener
    let file: OpenFile
    let writer: Writer
    let readers: Readers
    /// The measures that are reported through swift-metrics; nil if the program had no back end for them when the database
    /// was opened.
    let metrics: DatabaseMetrics?
    /// The clock from which new versions get their times, and the origin of the id that marks them as this file's.
    let versionClock: VersionClock
    /// The parts that higher folders of this module added when the database was opened, in the order in which they take
    /// part in transactions.
    let parts: [any DatabasePart]
    /// The objects that higher folders and layers attach to the database, released together with it.
    package let attachments: Attachments
    /// The sequences up to which peers of this process may have been served.
    let served = ServedSequences()
    /// The guards that check local saves, with their names, in the order in which they are called.
    let guards = Mutex<[(name: String, guardian: any DocumentGuard)]>([])

    /// Creates the object for a database whose connections are open; see ``init(opener:configuration:)``.
    init(
        _ opener: any StorageOpener, _ file: OpenFile, _ configuration: DatabaseConfiguration,
        _ versioning: DocumentVersioning, writer: Writer, readers: Readers, parts: [any DatabasePart],
        attachments: Attachments
    ) {
        (self.opener, self.file, self.configuration) = (opener, file, configuration)
        self.versioning = versioning
        versionClock = VersionClock(now: configuration.versionTime) { configuration.sourcePlace(opener.path) }
        (self.writer, self.readers, self.parts, self.attachments) = (writer, readers, parts, attachments)
        metrics = DatabaseMetrics.make(forFileAt: opener.path)
    }

    static func connectionConfiguration(
        _ configuration: DatabaseConfiguration, cacheKibibytes: Int
    ) -> GRDB.Configuration {
        var connection = GRDB.Configuration()
        connection.busyMode = .timeout(Double(configuration.busyTimeout.lockMilliseconds) / 1000)
        connection.foreignKeysEnabled = false
        connection.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = -\(cacheKibibytes)")
        }
        return connection
    }

    deinit {
        // The connections close with the last reference to them. Closing them in this method could deadlock, because
        // the last reference to self may be released on one of their queues.
        _ = file.close()
        metrics?.close()
        for part in parts { part.end(of: ObjectIdentifier(self)) }
    }

    /// The path of the file; nil once the database is closed.
    public var path: String? { file.isOpen ? opener.path : nil }

    /// Throws `notOpen` if the database is closed.
    func checkOpen() throws(DatabaseError) { try file.check() }

    /// Checks that the database wasn't upgraded from revision trees to version vectors since it was opened.
    ///
    /// - Throws: `notOpen` if it was.
    func checkVersioning(_ connection: GRDB.Database) throws {
        guard versioning == .trees, try FormatTables.versioning(of: connection) != .trees else { return }
        throw DatabaseError(
            .notOpen, "the database was upgraded to version vectors since it was opened", hint: "open it again")
    }

    /// Waits for operations in progress and closes the file; change sequences and listeners end. A second call does
    /// nothing.
    ///
    /// - Throws: `invalidParameter` inside a transaction or a read of this database.
    public func close() throws {
        guard writer.current == nil, readers.current == nil else {
            throw DatabaseError(.invalidParameter, "a database can't be closed inside its own transaction or read")
        }
        try shutDown()
    }

    private func shutDown() throws {
        guard file.isOpen else { return }
        for part in parts { part.willClose(self) }
        guard file.close() else { return }
        metrics?.close()
        for part in parts { part.end(of: ObjectIdentifier(self)) }
        for part in parts { try part.close() }
        try readers.close()
        try writer.close()
    }

    // MARK: - Reading

    /// Runs `body` so that all its reads on this thread come from one snapshot of the database, unaffected by commits
    /// meanwhile. Inside a transaction, the reads include the transaction's changes.
    public func read<Result>(_ body: () throws -> Result) throws -> Result {
        if writer.current != nil || readers.current != nil { return try body() }
        return try readers.snapshot(body)
    }

    /// The asynchronous form of `read(_:)`, which doesn't block the calling task's thread.
    public func read<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
        try await readers.snapshot(body)
    }

    /// A Boolean value that says whether the calling thread is in a transaction or a snapshot of this database. Queries
    /// of this thread then read that state.
    package var isInTransactionOrSnapshot: Bool { writer.current != nil || readers.current != nil }

    /// A Boolean value that says whether the calling thread is in a write transaction of this database.
    package var isInTransaction: Bool { writer.current != nil }

    /// Runs `body`, which reads a few rows, as `read(_:)` does, but only if no waiting is needed. Intended for tasks,
    /// for which switching to another thread and back would take longer than the read.
    ///
    /// - Returns: the result of `body`; nil, without a call of `body`, if no open connection is idle, or if the calling
    ///   thread is in a transaction or a snapshot.
    package func readIfIdle<Result>(_ body: () throws -> Result) throws -> Result? {
        guard !isInTransactionOrSnapshot else { return nil }
        return try readers.snapshotIfIdle(body)
    }

    /// Runs a read in the calling thread's transaction or snapshot if there is one, otherwise on any connection.
    @inline(__always)
    func reading<Result>(_ body: (GRDB.Database) throws -> Result) throws -> Result {
        if let transaction = writer.current {
            try transaction.requireAlive()
            return try body(transaction.connection)
        }
        return try readers.read(body)
    }

    // MARK: - Identity

    /// Returns the UUID that identifies the database to peers; a copy made with `copy(to:slot:options:)` gets a new
    /// one.
    public func publicUUID() throws -> String { Hexadecimal.uuid(try uuid("publicUUID")) }

    /// Returns the UUID that the ids of replication checkpoints are derived from: 16 bytes.
    package func privateUUID() throws -> [UInt8] { try uuid("privateUUID") }

    /// Returns the private UUID of the database of which this one is a copy; nil if it isn't a copy. The ids of a
    /// copy's first replication checkpoints are derived from this UUID.
    package func previousPrivateUUID() throws -> [UInt8]? {
        try reading { try FormatTables.property("previousPrivateUUID", in: $0) }.flatMap { $0.count == 16 ? $0 : nil }
    }

    private func uuid(_ name: String) throws -> [UInt8] {
        guard let uuid = try reading({ try FormatTables.property(name, in: $0) }), uuid.count == 16 else {
            throw DatabaseError(
                .corruptData, "the database's UUID \(name) is missing or damaged",
                hint: "restore a backup, or recover the documents by a salvage")
        }
        return uuid
    }
}

extension StorageOpener {
    /// Opens a further connection, which only reads and caches at most `byteCount` bytes of the file, or a sixth of them
    /// if it isn't the first connection of its kind.
    func openReader(
        _ configuration: DatabaseConfiguration, caching byteCount: Int, isFirst: Bool
    ) throws -> DatabaseQueue {
        let cache = max(byteCount / (isFirst ? 1024 : 6 * 1024), 64)
        return try DatabaseError.mapping {
            try openReader(Database.connectionConfiguration(configuration, cacheKibibytes: cache))
        }
    }

    /// Runs `body` on a further connection, which can't write and is closed afterwards.
    func withReader<Result>(
        cacheKibibytes: Int, _ configuration: DatabaseConfiguration = DatabaseConfiguration(),
        _ body: (GRDB.Database) throws -> Result
    ) throws -> Result {
        let reader = try openReader(
            Database.connectionConfiguration(configuration, cacheKibibytes: cacheKibibytes))
        let result = Swift.Result { try reader.unsafeRead(body) }
        let closing = Swift.Result { try reader.close() }
        let found = try result.get()
        try closing.get()
        return found
    }
}

extension Database: CustomStringConvertible {
    /// A text with the type and the file's path.
    public var description: String { "Database(\"\(opener.path)\")" }
}

/// The options for opening a database. This is a value: changing it later doesn't affect a database that is open.
public struct DatabaseConfiguration: Sendable {
    /// A Boolean value that says whether each transaction waits until the disk has stored it. With false, a power loss
    /// may revert the last transactions, each as a whole; the file stays consistent. Default false.
    public var fullSync: Bool = false

    /// The maximum number of connections that read at the same time, at least 1. The default is 4.
    public var readerCount: Int = 4

    /// The maximum number of bytes of the file that are cached for reading, by the connection that reads while no other
    /// does. The other connections cache a sixth of it. Default 48 MiB.
    public var readCacheByteCount: Int = 48 * 1024 * 1024

    /// The maximum number of bytes of the file that are cached for queries, by the connection that a query uses while
    /// no other query runs. The connections of concurrent queries cache a sixth of it, and the first query of a
    /// `Database` caches at most 4 MiB if it reads documents once, in order. Default 48 MiB.
    public var queryCacheByteCount: Int = 48 * 1024 * 1024

    /// The maximum number of bytes of the file that are cached for writing; a transaction that changes more bytes
    /// writes some pages to the log twice. The default is 48 MiB.
    public var writeCacheByteCount: Int = 48 * 1024 * 1024

    /// The time for which a transaction waits at most for a transaction of another process or `Database`. Default 10
    /// seconds.
    public var busyTimeout: Duration = .seconds(10)

    /// The maximum number of revision ids that are kept for each branch of a document's revision tree, at least 1.
    /// Version vectors aren't affected. Default 20.
    public var maximumRevisionDepth: Int = 20

    /// The greatest size of the bases of deltas, the earlier bodies of changed documents that peers have, as a share of
    /// the size of all bodies of a collection. If they grow beyond it, those of the documents that changed first are
    /// removed, and these documents travel whole. This is checked from time to time. 0 keeps none from then on. Default
    /// an eighth.
    public var deltaBaseShare: Double = 0.125

    /// The maximum size of a document, in bytes of compact JSON. Default 20 MiB, Sync Gateway's limit.
    public var maximumDocumentByteCount: Int = 20 * 1024 * 1024

    /// The interval of polling for changes by other processes while there are subscriptions to changes. Default half a
    /// second.
    public var pollingInterval: Duration = .milliseconds(500)

    /// The form of the revision ids of a new database; an existing database keeps its own. Default revision trees, with
    /// which Sync Gateway 3 and Couchbase Lite 3 work.
    public var versioning: DocumentVersioning = .trees

    /// A function that is called while opening rebuilds an index that another version of the program built. It is called
    /// on the thread that opens the database, for each index: first before any document is processed, then after each
    /// batch of documents. Returning false cancels the opening, and the file stays as it was. Default nil.
    public var indexProgress: (@Sendable (MigrationProgress) -> Bool)?

    /// The time source for the expiration of documents, polling for changes by other processes, and the waits of live
    /// queries.
    package var time: any TimeSource = SystemTime()

    /// A function that returns the system's time, in nanoseconds since 1970, from which the ids of new versions are
    /// made.
    var versionTime: @Sendable () -> UInt64 = SystemTime.unixNanoseconds

    /// A function that returns, for the path of a file, the digest of the file's host, inode and birth time, which
    /// distinguishes a copy from its original; nil if it is unknown.
    var sourcePlace: @Sendable (String) -> [UInt8]? = FileFingerprint.digest

    /// Creates a configuration with the defaults.
    public init() {}
}

/// A part of an open database, such as the upkeep of indexes, that a higher folder of this module adds when the
/// database is opened. It takes part in transactions and is closed with the database.
protocol DatabasePart: AnyObject, Sendable {
    /// Returns the observers that the part needs for the changes of a collection in a transaction.
    func observers(
        of collection: Collection, _ last: Collection.LastRow, in transaction: Transaction
    ) throws -> [any RowObserver]

    /// Prepares for the commit of a transaction, while the lock on the file is held.
    func willCommit(_ transaction: Transaction)

    /// Undoes what `willCommit(_:)` announced of a transaction that is rolled back. Called before the lock on the file
    /// is released, and also if `willCommit(_:)` wasn't called.
    func willRollBack(_ transaction: Transaction)

    /// Handles a committed transaction, for example by notifying listeners of its changes; called on the writer's
    /// queue, in the order of commits.
    func didCommit(_ transaction: Transaction)

    /// Does the part's last work in a database that is about to be closed. Not called for a database that is released
    /// without having been closed.
    func willClose(_ database: Database)

    /// Ends the part's work for a database that was closed, or released without having been closed.
    func end(of database: ObjectIdentifier)

    /// Closes the part's connections. Not called for a database that is released without having been closed: its
    /// connections close with the last reference to them.
    func close() throws
}

extension DatabasePart {
    func observers(
        of collection: Collection, _ last: Collection.LastRow, in transaction: Transaction
    ) throws -> [any RowObserver] { [] }

    func willCommit(_ transaction: Transaction) {}
    func willRollBack(_ transaction: Transaction) {}
    func didCommit(_ transaction: Transaction) {}
    func willClose(_ database: Database) {}
    func end(of database: ObjectIdentifier) {}
    func close() throws {}
}
