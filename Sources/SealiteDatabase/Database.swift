internal import GRDB
internal import Glibc
internal import Synchronization

/// A document database: collections of JSON documents, their blobs and their history, in one sealed file.
///
/// A `Database` may be used from any thread. Several may be open on one file, in one process or in several; each sees what
/// the others commit. Methods that work with the file block their thread until they are done; all have an `async` twin, which
/// doesn't. Properties and readers of blobs have none: an asynchronous task asks for them inside the closure of ``read(_:)``
/// or ``write(_:)``, and for content by ``Blob/chunks``. After ``close()`` they throw `notOpen`.
public final class Database: Sendable {
    /// The name of the scope that is always there.
    public static let defaultScopeName = "_default"
    /// The name of the collection that is always there.
    public static let defaultCollectionName = "_default"

    /// The configuration it was opened with.
    public let configuration: DatabaseConfiguration

    let opener: any StorageOpener
    let writer: Writer
    let readers: Readers
    let cursors: CursorConnections
    let feed: ChangeFeed
    let indexKeepers = IndexKeepers()
    /// The way in which states of documents are named.
    public let versioning: DocumentVersioning
    /// The clock of versions, and where the file is.
    let versionClock: VersionClock
    /// The objects that layers above this module keep with the database, released when it is.
    package let attachments = Attachments()
    /// What is known of the entries of indexes.
    package let indexMarks = IndexMarks()
    /// The guards that local saves pass, by name, in the order in which they look.
    let guards = Mutex<[(name: String, guardian: any DocumentGuard)]>([])
    private let isOpen = Atomic<Bool>(true)
    private let expiration = Mutex<ExpirationTimer?>(nil)
    private let poller = Mutex<ChangePoller?>(nil)

    /// Opens the database that `opener` leads to, and makes its tables where there are none.
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
            versioning = try pool.writeWithoutTransaction { connection in
                // Here and not where the connection is prepared: GRDB's pool sets NORMAL after that.
                try connection.execute(sql: "PRAGMA synchronous = \(configuration.fullSync ? "FULL" : "NORMAL")")
                try connection.turnTriggersOff()
                func report(_ progress: MigrationProgress) throws {
                    guard configuration.migrationProgress?(progress) ?? true else {
                        throw DatabaseError(
                            .cancelled, "the migration of \"\(path)\" was given up; nothing was changed")
                    }
                }
                try connection.inTransaction {
                    try Schema.prepare(
                        connection, path: path, versioning: configuration.versioning, progress: report)
                    try IndexBuilder.buildStale(in: connection) {
                        try report(
                            MigrationProgress(rowCount: $0.documentCount, totalRowCount: $0.totalDocumentCount))
                    }
                }
                return try Schema.versioning(of: connection) ?? .trees
            }
        } catch {
            throw Self.explained(DatabaseError.mapped(error), earlierVersion, opener.path)
        }
        versionClock = VersionClock(now: configuration.versionTime, path: opener.path)
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

    /// Refuses a database of something else before the pool, which changes the journal mode, touches it.
    ///
    /// - Returns: the format of a database that has to be migrated; nil where it needn't be, or can't be told without writing.
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
            // What only a writer can repair after a crash, the pool does; what it can't open either, it says itself.
        }
        return nil
    }

    /// Says of a database that can't be written why it would have to be.
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
        // The connections close with the last reference to them. Closing them here could deadlock: the last reference to
        // self may go on one of their queues.
        isOpen.store(false, ordering: .releasing)
        expiration.withLock { $0?.cancel() }
        feed.end(of: ObjectIdentifier(self))
    }

    /// The path of the file; nil once closed.
    public var path: String? { isOpen.load(ordering: .acquiring) ? opener.path : nil }

    /// Throws `notOpen` once closed.
    func checkOpen() throws(DatabaseError) {
        guard isOpen.load(ordering: .acquiring) else {
            throw DatabaseError(.notOpen, "the database \"\(opener.path)\" was closed")
        }
    }

    /// Waits for what is under way and closes the file; feeds and listeners end. A second call does nothing.
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

    /// Runs `body` as one transaction: everything that it changes, blobs included, is stored when it returns and nothing when
    /// it throws. Inside another transaction of the same thread it is a savepoint.
    ///
    /// The transaction that `body` gets reads and changes documents; methods of the database and its collections that `body`
    /// calls on the same thread take part too. What other threads call meanwhile waits, if it writes, or doesn't see the changes, if
    /// it reads.
    ///
    /// ```swift
    /// try database.write { transaction in
    ///     let account = try transaction.document(id: "account", in: accounts)?.toMutable() ?? MutableDocument(id: "account")
    ///     try transaction.save(account.setInt(account.int(forKey: "balance") - 10, forKey: "balance"), in: accounts)
    /// }
    /// ```
    /// - Throws: what `body` throws, and what the storage throws: `busy`, `diskFull`, `transactionLost`, `notOpen`.
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

    /// Runs `body` as one transaction, in which the methods of collections that it calls on this thread take part: Couchbase
    /// Lite's name for ``write(_:)-(_)``.
    public func inBatch(using body: () throws -> Void) throws {
        try write { _ in try body() }
    }

    /// Runs `body` with all its reads on this thread coming from one state of the database, whatever is committed
    /// meanwhile. Inside a transaction they see the transaction's changes.
    public func read<Result>(_ body: () throws -> Result) throws -> Result {
        if writer.current != nil || readers.current != nil { return try body() }
        return try readers.snapshot(self, body)
    }

    /// The asynchronous form of ``read(_:)``, which doesn't block the calling task's thread.
    public func read<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
        try await readers.snapshot(self, body)
    }

    /// Runs `body`, which reads a few rows, as ``read(_:)-(_)`` does, but only where that waits for nobody: for a task, which the hop to another
    /// thread and back would cost more than the reading.
    ///
    /// - Returns: nil where no connection is open that nobody uses, or the calling thread is in a transaction or a snapshot.
    package func readIfIdle<Result>(_ body: () throws -> Result) throws -> Result? {
        guard !isInTransactionOrSnapshot else { return nil }
        return try readers.snapshotIfIdle(self, body)
    }

    /// Reads on the calling thread's transaction or snapshot, or else on any connection.
    @inline(__always)
    func reading<Result>(_ body: (GRDB.Database) throws -> Result) throws -> Result {
        if let transaction = writer.current {
            try transaction.requireAlive()
            return try body(transaction.connection)
        }
        return try readers.read(self, body)
    }

    /// Tells feeds what a transaction is about to purge, so that who sees the purge knows of whom it was, and what documents were before it.
    func willCommit(_ transaction: Transaction) {
        feed.willCommit(transaction.collections.filter(\.hasAnnouncements))
    }

    /// Takes back what ``willCommit(_:)`` told.
    func willRollBack(_ transaction: Transaction) {
        feed.willRollBack(transaction.collections.filter(\.hasAnnouncements))
    }

    /// Tells feeds, listeners and timers what a transaction changed; on the writer's queue, in the order of commits.
    func didCommit(_ transaction: Transaction) {
        if transaction.changedSchema {
            feed.wakeAll()
        } else if !transaction.collections.isEmpty {
            feed.didCommit(transaction.collections)
        }
        if transaction.changedExpirations { expiration.withLock { $0?.reschedule() } }
    }

    // MARK: - Following changes

    /// Registers a follower, and starts looking for changes of others with the first one.
    func follow(_ subscription: Subscription) {
        feed.add(subscription)
        guard isOpen.load(ordering: .acquiring) else { return subscription.end() }
        let (opener, configuration, feed) = (opener, configuration, feed)
        let identity = ObjectIdentifier(self)
        poller.withLock { poller in
            guard poller == nil else { return }
            poller = ChangePoller(every: configuration.pollingInterval) {
                try opener.openReader(Self.connectionConfiguration(configuration, cacheKibibytes: 64))
            } onChange: {
                feed.wakeAll(of: identity)
            }
        }
    }

    /// Removes a follower, and stops looking with the last one.
    func unfollow(_ subscription: Subscription) {
        if feed.remove(subscription) == 0 { poller.withLock { $0 = nil } }
    }

    // MARK: - Identity

    /// The UUID that peers know the database by; a copy gets a new one.
    public func publicUUID() throws -> String { UUIDBytes.text(try uuid("publicUUID")) }

    /// The UUID that replication checkpoints are made of: 16 bytes.
    package func privateUUID() throws -> [UInt8] { try uuid("privateUUID") }

    /// In a copy the original's private UUID, of which the copy's first checkpoints are made; nil in an original.
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
    /// The type and the path.
    public var description: String { "Database(\"\(opener.path)\")" }
}
