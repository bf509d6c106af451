package import SealiteBase

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
    /// no other query runs. The connections of concurrent queries cache a sixth of it. Default 48 MiB.
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
