internal import GRDB
internal import Glibc
internal import Synchronization

/// A document database: collections of JSON documents, their blobs and their history, in one sealed file.
///
/// A `Database` may be used from any thread. Several may be open on one file, in one process or in several; each sees
/// the commits of the others. Methods that access the file block their thread until they return; each has an `async`
/// form, which doesn't. Properties and blob readers have no `async` form: an asynchronous task uses them inside the
/// closure of ``read(_:)`` or ``write(_:)``, and reads content through ``Blob/chunks``. After ``close()``, methods and
/// properties throw `notOpen`.
public final class Database: Sendable {
    /// The name of the default scope, which always exists.
    public static let defaultScopeName = "_default"
    /// The name of the default collection, which always exists.
    public static let defaultCollectionName = "_default"

    /// The configuration with which the database was opened.
    public let configuration: DatabaseConfiguration

    let opener: any StorageOpener
    let writer: Writer
    let readers: Readers
    let cursors: CursorConnections
    let feed: ChangeFeed
    let indexKeepers = IndexKeepers()
    /// The objects that higher layers attach to the database, released together with it.
    package let attachments = Attachments()
    /// Facts about the entries of indexes that were found since the database was opened.
    package let indexMarks = IndexMarks()
    /// The watch over changes of the state of synced documents.
    package let syncWatch = SyncWatch()
    /// The guards that check local saves, by name, in the order in which they are called.
    let guards = Mutex<[(name: String, guardian: any DocumentGuard)]>([])
    private let isOpen = Atomic<Bool>(true)
    private let expiration = Mutex<ExpirationTimer?>(nil)
    private let poller = Mutex<ChangePoller?>(nil)

    /// Opens the database that `opener` leads to, and creates its tables if there are none.
    package init(opener: some StorageOpener, configuration: DatabaseConfiguration = DatabaseConfiguration()) throws {
        self.configuration = configuration
        self.opener = opener
        var earlierVersion: Int64?
        do {
            earlierVersion = try Self.refuseOthers(opener, configuration)
            let writeCache = max(configuration.writeCacheByteCount / 1024, 64)
            let pool = try opener.openPool(Self.connectionConfiguration(configuration, cacheKibibytes: writeCache))
            writer = Writer(pool)
            let path = opener.path
            try pool.writeWithoutTransaction { connection in
                // Set here and not where the connection is prepared, because GRDB's pool sets NORMAL after preparing
                // it.
                try connection.execute(sql: "PRAGMA synchronous = \(configuration.fullSync ? "FULL" : "NORMAL")")
                try connection.turnTriggersOff()
                func report(_ progress: MigrationProgress) throws {
                    guard configuration.migrationProgress?(progress) ?? true else {
                        throw DatabaseError(
                            .cancelled, "the migration of \"\(path)\" was given up; nothing was changed")
                    }
                }
                try connection.inTransaction {
                    try Schema.prepare(connection, path: path, progress: report)
                    try IndexBuilder.buildStale(in: connection) {
                        try report(
                            MigrationProgress(rowCount: $0.documentCount, totalRowCount: $0.totalDocumentCount))
                    }
                }
            }
        } catch {
            throw Self.explained(DatabaseError.mapped(error), earlierVersion, opener.path)
        }
        readers = Readers(limit: configuration.readerCount) { isFirst in
            do {
                let cache = max(configuration.readCacheByteCount / (isFirst ? 1024 : 6 * 1024), 64)
                return try opener.openReader(Self.connectionConfiguration(configuration, cacheKibibytes: cache))
            } catch {
                throw DatabaseError.mapped(error)
            }
        }
        cursors = CursorConnections { isFirst in
            do {
                let cache = max(configuration.queryCacheByteCount / (isFirst ? 1024 : 6 * 1024), 64)
                return try opener.openReader(Self.connectionConfiguration(configuration, cacheKibibytes: cache))
            } catch {
                throw DatabaseError.mapped(error)
            }
        }
        feed = ChangeFeed.shared(forFileAt: opener.path)
        expiration.withLock { $0 = ExpirationTimer(self) }
    }

    /// Refuses a file that isn't a document database before the connection pool touches it, because the pool changes
    /// the journal mode.
    ///
    /// - Returns: the format of a database that needs a migration; nil if none is needed, or if only a writer can find
    ///   out.
    private static func refuseOthers(
        _ opener: some StorageOpener, _ configuration: DatabaseConfiguration
    ) throws -> Int64? {
        do {
            let reader = try opener.openReader(connectionConfiguration(configuration, cacheKibibytes: 64))
            let content = try reader.unsafeRead { try Schema.content(of: $0, path: opener.path) }
            try reader.close()
            if case .documents(let found) = content, found < Schema.version { return found }
        } catch let error as DatabaseError where [.wrongFormat, .databaseTooNew].contains(error.code) {
            throw error
        } catch {
            // Only a writer can repair the file after a crash: the pool does that, and reports a file that it can't
            // open either.
        }
        return nil
    }

    /// Adds to an error about a database that can't be written the reason why it must be written.
    private static func explained(_ error: any Error, _ earlierVersion: Int64?, _ path: String) -> any Error {
        guard let earlierVersion, let error = error as? DatabaseError,
            [.permissionDenied, .cantOpenFile].contains(error.code)
        else { return error }
        return DatabaseError(
            .permissionDenied,
            "\"\(path)\" has document format \(earlierVersion) and must be migrated to format \(Schema.version), but can't be written",
            hint: "open a copy of the file in a folder that can be written", underlying: error)
    }

    static func connectionConfiguration(
        _ configuration: DatabaseConfiguration, cacheKibibytes: Int
    ) -> GRDB.Configuration {
        var connection = GRDB.Configuration()
        connection.busyMode = .timeout(configuration.busyTimeout)
        connection.foreignKeysEnabled = false
        connection.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = -\(cacheKibibytes)")
        }
        return connection
    }

    deinit {
        // The connections close with the last reference to them. Closing them here could deadlock, because the last
        // reference to self may be released on one of their queues.
        isOpen.store(false, ordering: .releasing)
        expiration.withLock { $0?.cancel() }
        feed.end(of: ObjectIdentifier(self))
    }

    /// The path of the file; nil once the database is closed.
    public var path: String? { isOpen.load(ordering: .acquiring) ? opener.path : nil }

    /// Throws `notOpen` if the database is closed.
    func checkOpen() throws(DatabaseError) {
        guard isOpen.load(ordering: .acquiring) else {
            throw DatabaseError(.notOpen, "the database \"\(opener.path)\" was closed")
        }
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
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        expiration.withLock { timer in
            timer?.cancel()
            timer = nil
        }
        poller.withLock { $0 = nil }
        feed.end(of: ObjectIdentifier(self))
        try cursors.close()
        try readers.close()
        try writer.close()
    }

    // MARK: - Transactions

    /// Runs `body` as one transaction: all its changes, blobs included, are stored when it returns, and none if it
    /// throws. Inside another transaction of the same thread it is a savepoint.
    ///
    /// The transaction that `body` gets reads and changes documents; methods of the database and its collections that
    /// `body` calls on the same thread take part too. Writes of other threads wait meanwhile, and their reads don't see
    /// the changes.
    ///
    /// ```swift
    /// try database.write { transaction in
    ///     let account = try transaction.document(id: "account", in: accounts)?.toMutable() ?? MutableDocument(id: "account")
    ///     try transaction.save(account.setInt(account.int(forKey: "balance") - 10, forKey: "balance"), in: accounts)
    /// }
    /// ```
    /// - Throws: the errors of `body`, and errors of the storage: `busy`, `diskFull`, `transactionLost`, `notOpen`.
    @discardableResult
    public func write<Result>(_ body: (borrowing WriteTransaction) throws -> Result) throws -> Result {
        if let current = writer.current { return try current.nested { try body(WriteTransaction(current)) } }
        return try writer.perform(self) { try body(WriteTransaction($0)) }
    }

    /// Runs `body` as one transaction without blocking the calling task's thread; see ``write(_:)-(_)``.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @Sendable (borrowing WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await writer.perform(self) { try body(WriteTransaction($0)) }
    }

    /// Runs `body` as one transaction, in which the methods of collections that it calls on this thread take part. This
    /// is Couchbase Lite's name for ``write(_:)-(_)``.
    public func inBatch(using body: () throws -> Void) throws {
        try write { _ in try body() }
    }

    /// Runs `body` so that all its reads on this thread come from one state of the database, whatever is committed
    /// meanwhile. Inside a transaction the reads see the transaction's changes.
    public func read<Result>(_ body: () throws -> Result) throws -> Result {
        if writer.current != nil || readers.current != nil { return try body() }
        return try readers.snapshot(self, body)
    }

    /// The asynchronous form of ``read(_:)``, which doesn't block the calling task's thread.
    public func read<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
        try await readers.snapshot(self, body)
    }

    /// Runs `body`, which reads a few rows, as ``read(_:)-(_)`` does, but only if no waiting is needed. This is for
    /// tasks, for which changing to another thread and back would cost more than the reading.
    ///
    /// - Returns: nil if no open connection is idle, or if the calling thread is in a transaction or a snapshot.
    package func readIfIdle<Result>(_ body: () throws -> Result) throws -> Result? {
        guard !isInTransactionOrSnapshot else { return nil }
        return try readers.snapshotIfIdle(self, body)
    }

    /// Reads in the calling thread's transaction or snapshot, or if there is none on any connection.
    @inline(__always)
    func reading<Result>(_ body: (GRDB.Database) throws -> Result) throws -> Result {
        if let transaction = writer.current {
            try transaction.requireAlive()
            return try body(transaction.connection)
        }
        return try readers.read(self, body)
    }

    /// Announces to the change feed the documents that a transaction will purge, so that subscribers can still name
    /// them once their rows are gone, and the states of documents before the transaction changed them.
    func willCommit(_ transaction: Transaction) {
        feed.willCommit(transaction.collections.filter(\.hasAnnouncements))
    }

    /// Withdraws the announcements of ``willCommit(_:)``.
    func willRollBack(_ transaction: Transaction) {
        feed.willRollBack(transaction.collections.filter(\.hasAnnouncements))
    }

    /// Notifies change feeds, listeners and timers of a transaction's changes; called on the writer's queue, in the
    /// order of commits.
    func didCommit(_ transaction: Transaction) {
        if transaction.changedSchema {
            feed.wakeAll()
        } else if !transaction.collections.isEmpty {
            feed.didCommit(transaction.collections)
        }
        if !transaction.sync.news.isEmpty { syncWatch.tell(transaction.sync.news) }
        if transaction.changedExpirations { expiration.withLock { $0?.reschedule() } }
    }

    // MARK: - Following changes

    /// Registers a subscription, and starts polling for changes of other processes with the first one.
    func follow(_ subscription: Subscription) {
        feed.add(subscription)
        guard isOpen.load(ordering: .acquiring) else { return subscription.end() }
        let (opener, configuration, feed) = (opener, configuration, feed)
        let identity = ObjectIdentifier(self)
        poller.withLock { poller in
            guard poller == nil else { return }
            poller = ChangePoller(every: configuration.pollingInterval, by: configuration.time) {
                try opener.openReader(Self.connectionConfiguration(configuration, cacheKibibytes: 64))
            } onChange: {
                feed.wakeAll(of: identity)
            }
        }
    }

    /// Removes a subscription, and stops polling with the last one.
    func unfollow(_ subscription: Subscription) {
        if feed.remove(subscription) == 0 { poller.withLock { $0 = nil } }
    }

    // MARK: - Identity

    /// Returns the UUID that identifies the database to peers; a copy gets a new one.
    public func publicUUID() throws -> String { UUIDBytes.text(try uuid("publicUUID")) }

    /// Returns the UUID that the ids of replication checkpoints are derived from: 16 bytes.
    package func privateUUID() throws -> [UInt8] { try uuid("privateUUID") }

    /// Returns the private UUID of the original, from which the ids of a copy's first checkpoints are derived; nil in
    /// an original.
    package func previousPrivateUUID() throws -> [UInt8]? {
        try reading { try Schema.property("previousPrivateUUID", in: $0) }.flatMap { $0.count == 16 ? $0 : nil }
    }

    private func uuid(_ name: String) throws -> [UInt8] {
        guard let uuid = try reading({ try Schema.property(name, in: $0) }), uuid.count == 16 else {
            throw DatabaseError(.corruptData, "the database has no UUID")
        }
        return uuid
    }
}

extension Database: CustomStringConvertible {
    /// A text with the type and the path.
    public var description: String { "Database(\"\(opener.path)\")" }
}
