public import Logging
public import SealiteAuthentication
public import SealiteCredentials
public import SealiteDatabase
internal import SealiteFile
internal import SealiteProtocol

/// The configuration of a replicator. Later changes of the value don't affect existing replicators.
public struct ReplicatorConfiguration: Sendable {
    /// The collections of one database to replicate, at least one and at most 5,000.
    public var collections: [CollectionConfiguration]
    /// The remote database. If the remote is a database of this program, the URL only names it; assigning a URL
    /// replaces that remote.
    public var target: EndpointURL { didSet { localTarget = nil } }
    /// The remote database if it is a database of this program; otherwise nil.
    package private(set) var localTarget: DatabaseEndpoint?
    /// The direction of the replication. Default `pushAndPull`.
    public var replicatorType = ReplicatorType.pushAndPull
    /// A Boolean value that says whether the replicator continues after everything is replicated, and reconnects when
    /// the connection is lost. Default false.
    public var continuous = false
    /// The authenticator that identifies this client to the remote. It is queried at each handshake, so that changes in
    /// a credential store take effect at the next connection. Nil connects without credentials.
    public var authenticator: (any Authenticator)?
    /// The rule by which the remote's certificate is accepted. The default trusts the system's certificate authorities.
    public var trust = ServerTrust.system()
    /// Additional headers of the HTTP request that opens the connection.
    public var headers: [HTTPField] = []
    /// The proxy to connect through; nil for none.
    public var proxy: HTTPProxy?
    /// The name or an address of the local interface to use; nil lets the system choose.
    public var networkInterface: String?
    /// The time after which an idle remote is sent a ping. Default 300 seconds.
    public var heartbeat: Duration = .seconds(300)
    /// A Boolean value that says whether a password or session may be sent unencrypted to another machine. Default
    /// false.
    public var allowsUnencryptedCredentials = false
    /// A Boolean value that says whether documents are purged when access to them is lost. Default true.
    public var purgesInaccessibleDocuments = true
    /// A Boolean value that says whether only the differences of changed documents travel, if the remote supports that, in
    /// both directions. Default true.
    public var enableDeltaSync = true
    /// The maximum number of successive attempts without progress, including the first: no connection, or one that is
    /// lost before anything is replicated. The default, 0, means 10 for a one-shot replicator and no limit for a
    /// continuous one.
    public var maximumAttemptCount = 0
    /// The longest delay between two attempts. Default 300 seconds.
    public var maximumAttemptDelay: Duration = .seconds(300)
    /// The logger for steps, retries and errors. Its lines contain no secrets and no document content, and document ids
    /// only at level `debug`. Default `sealite.replicator` of the program's `LoggingSystem`.
    public var logger = Logger(label: "sealite.replicator")

    /// A Boolean value that says whether the replicator asks the remote for the names of its collections
    /// (``ReplicatorStatus/remoteCollections``). A `ReplicationListener` returns them.
    public var asksForCollections = false

    /// The replicators of the same database that can't run concurrently with this one.
    package var exclusion = Exclusion.target

    /// A rule that prevents replicators of one database, in all processes, from running concurrently.
    package enum Exclusion: Sendable {
        /// Excludes replicators with the same target.
        case target
        /// Excludes replicators with the same target and this name, which have checkpoints of their own.
        case named(String)
        /// Excludes no replicators: their owner prevents conflicting ones from running concurrently.
        case none
    }

    /// Creates a configuration that replicates collections in both directions, once.
    public init(collections: [CollectionConfiguration], target: EndpointURL) {
        self.collections = collections
        self.target = target
    }

    /// Creates a configuration that replicates whole collections in both directions, once.
    public init(collections: [SealiteDatabase.Collection], target: EndpointURL) {
        self.init(collections: collections.map { CollectionConfiguration($0) }, target: target)
    }

    /// Creates a configuration that replicates whole collections with another database of this program, in both
    /// directions, once.
    public init(collections: [SealiteDatabase.Collection], target: DatabaseEndpoint) {
        self.init(collections: collections, target: target.name)
        localTarget = target
    }

    /// The remote in logs and errors: the host and port; for a database of this program, which has neither, its public
    /// UUID.
    var peerName: String {
        localTarget == nil ? target.hostAndPort : "database:\(target.path.drop { $0 == "/" })"
    }

    /// The maximum number of collections of one replicator.
    package static var maximumCollectionCount: Int { MessageLimits().collectionCount }

    /// Checks the collections, the target and the limits.
    ///
    /// - Throws: `invalidConfiguration`.
    func check() throws(ReplicatorError) {
        func refuse(_ why: String) throws(ReplicatorError) { throw ReplicatorError(.invalidConfiguration, why) }
        guard let first = collections.first else { return try refuse("a replicator needs at least one collection") }
        guard collections.allSatisfy({ $0.collection.database === first.collection.database }) else {
            return try refuse("the collections of a replicator must belong to one database")
        }
        let limit = Self.maximumCollectionCount
        guard collections.count <= limit else {
            return try refuse(
                "a replicator syncs at most \(limit) collections, not \(collections.count): "
                    + "sync some of them at a time, one replicator after another")
        }
        var seen: Set<SealiteDatabase.Collection> = []
        if let repeated = collections.first(where: { !seen.insert($0.collection).inserted }) {
            return try refuse("the collection \"\(repeated.collection.fullName)\" is named twice")
        }
        guard !isTarget(first.collection.database) else {
            return try refuse("the target is the database of the collections: a database can't be its own remote")
        }
        guard maximumAttemptCount >= 0 else { return try refuse("maximumAttemptCount is negative") }
        guard maximumAttemptDelay > .zero else { return try refuse("maximumAttemptDelay is not above zero") }
        guard heartbeat > .zero else { return try refuse("the heartbeat is not above zero") }
    }

    /// Returns whether the target is a database of this program with the same file, whichever object has it open.
    private func isTarget(_ own: SealiteDatabase.Database) -> Bool {
        guard let target = localTarget?.database else { return false }
        if target === own { return true }
        guard let path = target.path, let ownPath = own.path else { return false }
        return FilePermissions.isSameFile(path, ownPath)
    }
}

/// A collection to replicate, with the options of its replication.
public struct CollectionConfiguration: Sendable {
    /// The local collection. It is replicated with the remote's collection of the same scope and name.
    public var collection: SealiteDatabase.Collection
    /// The IDs of the only documents to replicate, in both directions; nil for all. With a list, nothing is purged for
    /// lost access.
    public var documentIDs: [String]?
    /// The only channels of a Sync Gateway to pull; nil for all that the user may access.
    public var channels: [String]?
    /// Returns whether a local document is pushed; nil pushes all documents.
    public var pushFilter: ReplicationFilter?
    /// Returns whether a document of the remote is stored or, when access to the document is lost, whether it is
    /// purged; nil is the same as a filter that always returns true.
    public var pullFilter: ReplicationFilter?
    /// The resolver of conflicts between local documents and the remote's. The default is ``DefaultConflictResolver``.
    public var conflictResolver: any ConflictResolver = DefaultConflictResolver()

    /// A selection of the documents to replicate that may change during a session, so it is asked for each document;
    /// nil replicates all documents. If `documentIDs` is set too, these ids are requested from the remote.
    package var selection: (any DocumentSelection)?

    /// Creates a configuration for a whole collection.
    public init(_ collection: SealiteDatabase.Collection) { self.collection = collection }
}

/// The direction of a replication.
public enum ReplicatorType: String, Sendable, CaseIterable {
    /// In both directions.
    case pushAndPull
    /// From this database to the remote.
    case push
    /// From the remote to this database.
    case pull

    var isPush: Bool { self != .pull }
    var isPull: Bool { self != .push }
}

/// Another database of this program as the remote of a replicator. No network and no authentication are involved.
///
/// ```swift
/// let endpoint = try DatabaseEndpoint(archive)
/// let replicator = try Replicator(ReplicatorConfiguration(collections: [notes], target: endpoint))
/// ```
/// Collections are replicated with the collections of the same names. The endpoint keeps a reference to the other
/// database, so that it stays open unless it is closed explicitly.
public struct DatabaseEndpoint: Sendable {
    /// The database that is the remote of the replication.
    public let database: Database
    /// A URL that stands for the database in place of a remote's URL, for example in the names of checkpoints.
    let name: EndpointURL

    /// Creates the endpoint of an open database.
    ///
    /// - Throws: `notOpen`, and errors from reading the database.
    public init(_ database: Database) throws {
        self.database = database
        name = try EndpointURL("ws://localhost/\(try database.publicUUID())")
    }
}

// Names of Couchbase Lite that differ from Swift's conventions, as forwarding aliases.

extension ReplicatorConfiguration {
    /// The same as ``purgesInaccessibleDocuments``, under the name that Couchbase Lite uses.
    public var enableAutoPurge: Bool {
        get { purgesInaccessibleDocuments }
        set { purgesInaccessibleDocuments = newValue }
    }

    /// The same as ``maximumAttemptCount``, under the name that Couchbase Lite uses.
    public var maxAttempts: Int {
        get { maximumAttemptCount }
        set { maximumAttemptCount = newValue }
    }

    /// The same as ``maximumAttemptDelay``, under the name that Couchbase Lite uses.
    public var maxAttemptWaitTime: Duration {
        get { maximumAttemptDelay }
        set { maximumAttemptDelay = newValue }
    }
}
