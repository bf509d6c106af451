/// How a database is opened. A value: changing it later changes nothing in a database that is open.
public struct DatabaseConfiguration: Sendable {
    /// Whether each transaction waits for the disk. Without it a power loss may take the last transactions, whole ones
    /// only; the file stays sound. Default false.
    public var fullSync: Bool = false

    /// How many connections read at the same time, at least 1. Default 4.
    public var readerCount: Int = 4

    /// How much of the file is kept in memory for reading, in bytes at most, by the connection that reads when no other does.
    /// The others keep a sixth of it. Default 48 MiB.
    public var readCacheByteCount: Int = 48 * 1024 * 1024

    /// The most bytes of the file that are kept in memory for queries by the connection that a query reads from while no other query does.
    /// The connections of queries that run beside it keep a sixth of that. Default 48 MiB.
    public var queryCacheByteCount: Int = 48 * 1024 * 1024

    /// How much of the file is kept in memory for writing, in bytes at most; a transaction that changes more writes some of it
    /// to the log twice. Default 48 MiB.
    public var writeCacheByteCount: Int = 48 * 1024 * 1024

    /// How long a transaction waits for another process's, in seconds. Default 10.
    public var busyTimeout: Double = 10

    /// How many revisions of a line of ancestors are remembered, at least 1. Default 20.
    public var maximumRevisionDepth: Int = 20

    /// The greatest size of a document, in bytes of compact JSON. Default 20 MiB, Sync Gateway's limit.
    public var maximumDocumentByteCount: Int = 20 * 1024 * 1024

    /// How often changes by other processes are looked for while someone follows changes. Default half a second.
    public var pollingInterval: Duration = .milliseconds(500)

    /// The versioning that a new database gets; one that is there keeps its own. Default trees.
    ///
    /// Vectors are being built: no released program makes or reads such a database.
    public var versioning: DocumentVersioning = .trees

    /// Called while a database of an earlier format is migrated to the present one, or an index that another version of the program built is built
    /// anew, which opening it does, on the thread that opens it: first with no row done, then after each thousand rows. Returning false gives the migration up: the database stays
    /// as it was, and isn't opened. Default nil.
    public var migrationProgress: (@Sendable (MigrationProgress) -> Bool)?

    /// How long expirations that other processes set may go unnoticed, in milliseconds.
    var longestExpirationWait: Int64 = 60_000

    /// The system's time that versions are made of, in nanoseconds since 1970.
    var versionTime: @Sendable () -> UInt64 = SystemTime.nanoseconds

    /// The defaults.
    public init() {}
}

/// The way in which a database names the states of its documents, and tells which descends from which.
public enum DocumentVersioning: String, Sendable, CaseIterable {
    /// Revision trees, as Couchbase Lite 3 and Sync Gateway 3 have them.
    case trees
    /// Version vectors, as Couchbase Lite 4 has them.
    case vectors
}

/// What a save or delete does when the document was changed since it was read.
public enum ConcurrencyControl: Sendable {
    /// It is stored on top of whatever is there.
    case lastWriteWins
    /// Nothing is stored, and the outcome says so.
    case failOnConflict
}

/// How a save or delete went.
public enum SaveOutcome: Sendable {
    /// Stored; the document as it is now.
    case saved(Document)
    /// Not stored: the document was changed meanwhile. The document as it is in the database, nil when it was purged.
    case conflict(existing: Document?)

    /// Whether it was stored.
    public var isSaved: Bool { if case .saved = self { true } else { false } }
}
