internal import GRDB
internal import SealiteBase
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
    /// The clock from which new versions get their times, and the origin of the id that marks them as this file's.
    let versionClock: VersionClock
    /// The parts that higher folders of this module added when the database was opened, in the order in which they take
    /// part in transactions.
    let parts: [any DatabasePart]
    /// The objects that higher folders and layers attach to the database, released together with it.
    package let attachments: Attachments
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
        guard versioning == .trees, try Schema.versioning(of: connection) != .trees else { return }
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
        try reading { try Schema.property("previousPrivateUUID", in: $0) }.flatMap { $0.count == 16 ? $0 : nil }
    }

    private func uuid(_ name: String) throws -> [UInt8] {
        guard let uuid = try reading({ try Schema.property(name, in: $0) }), uuid.count == 16 else {
            throw DatabaseError(
                .corruptData, "the database's UUID \(name) is missing or damaged",
                hint: "restore a backup, or recover the documents by a salvage")
        }
        return uuid
    }
}

extension Database: CustomStringConvertible {
    /// A text with the type and the file's path.
    public var description: String { "Database(\"\(opener.path)\")" }
}
