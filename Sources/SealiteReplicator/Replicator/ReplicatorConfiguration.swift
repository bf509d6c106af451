public import SealiteCredentials
public import SealiteAuthentication
public import SealiteDatabase
public import Logging

/// The direction in which a replicator carries changes.
public enum ReplicatorType: String, Sendable, CaseIterable {
    /// Both ways.
    case pushAndPull
    /// From this database to the remote.
    case push
    /// From the remote to this database.
    case pull

    var isPush: Bool { self != .pull }
    var isPull: Bool { self != .push }
}

/// The replication of one collection.
public struct CollectionConfiguration: Sendable {
    /// The collection. The remote's has the same scope and name.
    public var collection: SealiteDatabase.Collection
    /// The only documents to replicate, both ways; nil is all. Nothing is purged for lost access then.
    public var documentIDs: [String]?
    /// The only channels of a Sync Gateway to pull; nil is all that the user may see.
    public var channels: [String]?
    /// Says which local documents are pushed; nil is all.
    public var pushFilter: ReplicationFilter?
    /// Says which of the remote's documents are stored, and purged when access to them is lost; nil is all.
    public var pullFilter: ReplicationFilter?
    /// Decides conflicts.
    public var conflictResolver: any ConflictResolver = DefaultConflictResolver()

    /// Chooses the documents to replicate, anew for each, where the set changes; nil is all. Ids beside it say which of them to ask the remote for.
    package var selection: (any DocumentSelection)?

    /// Everything of a collection.
    public init(_ collection: SealiteDatabase.Collection) { self.collection = collection }
}

/// The configuration of a replicator. A value: changing it later changes nothing in a replicator that was made with it.
public struct ReplicatorConfiguration: Sendable {
    /// The collections, at least one, of one database.
    public var collections: [CollectionConfiguration]
    /// The remote database. For a database of this program it is a name; setting a URL replaces that database.
    public var target: EndpointURL { didSet { localTarget = nil } }
    /// The remote database, if it is one of this program.
    package private(set) var localTarget: DatabaseEndpoint?
    /// The direction in which changes go. Default both.
    public var replicatorType = ReplicatorType.pushAndPull
    /// A Boolean value that says whether the replicator goes on when all is replicated, and comes back when the
    /// connection is lost. Default false.
    public var continuous = false
    /// The authenticator that proves to the remote who is calling; it is asked at each handshake, so that what was
    /// changed in a credential store counts at once. Nil calls without credentials.
    public var authenticator: (any Authenticator)?
    /// Whom to take for the remote.
    public var trust = ServerTrust.system()
    /// Further headers of the HTTP request.
    public var headers: [HTTPField] = []
    /// A proxy to go through.
    public var proxy: HTTPProxy?
    /// The name or an address of the local interface to use; nil lets the system choose.
    public var networkInterface: String?
    /// The time after which an idle remote is asked whether it is there. Default 300 seconds.
    public var heartbeat: Duration = .seconds(300)
    /// A Boolean value that says whether a password or session may go unencrypted to another machine. Default false.
    public var allowsUnencryptedCredentials = false
    /// A Boolean value that says whether documents are purged when access to them is lost. Default true.
    public var enableAutoPurge = true
    /// Most attempts in a row that bring nothing, the first included: no connection, or one that is lost before anything is
    /// replicated. 0, the default: 10 for a one-shot replicator, no limit for a continuous one.
    public var maxAttempts = 0
    /// The longest wait between two attempts. Default 300 seconds.
    public var maxAttemptWaitTime: Duration = .seconds(300)
    /// The logger for steps, retries and errors. Its lines hold no secret and no content of documents, and ids of documents at level
    /// `debug` alone. Default `sealite.replicator` of the program's `LoggingSystem`.
    public var logger = Logger(label: "sealite.replicator")

    /// A Boolean value that says whether the remote is asked for the names of its collections, which a listener of this
    /// library tells (``ReplicatorStatus/remoteCollections``).
    public var asksForCollections = false

    /// The replicators beside which this one mustn't run.
    package var exclusion = Exclusion.target

    /// A rule that keeps replicators of all processes from running at the same time.
    package enum Exclusion: Sendable {
        /// The same target.
        case target
        /// The same target and this name: their checkpoints are their own.
        case named(String)
        /// Nothing: the owner sees to it.
        case none
    }

    /// A replicator of all documents, both ways, once.
    public init(collections: [CollectionConfiguration], target: EndpointURL) {
        self.collections = collections
        self.target = target
    }

    /// Creates a configuration that replicates whole collections.
    public init(collections: [SealiteDatabase.Collection], target: EndpointURL) {
        self.init(collections: collections.map { CollectionConfiguration($0) }, target: target)
    }

    /// Collections, and another database of this program as the remote.
    public init(collections: [SealiteDatabase.Collection], target: DatabaseEndpoint) {
        self.init(collections: collections, target: target.name)
        localTarget = target
    }

    /// - Throws: `invalidConfiguration`.
    func check() throws(ReplicatorError) {
        func refuse(_ why: String) throws(ReplicatorError) { throw ReplicatorError(.invalidConfiguration, why) }
        guard let first = collections.first else { return try refuse("a replicator needs at least one collection") }
        guard collections.allSatisfy({ $0.collection.database === first.collection.database }) else {
            return try refuse("the collections of a replicator are of one database")
        }
        guard Set(collections.map(\.collection)).count == collections.count else {
            return try refuse("a collection is named twice")
        }
        guard localTarget?.database !== first.collection.database else {
            return try refuse("a database can't be its own remote")
        }
        guard maxAttempts >= 0 else { return try refuse("maxAttempts is negative") }
        guard maxAttemptWaitTime > .zero else { return try refuse("maxAttemptWaitTime is not above zero") }
        guard heartbeat > .zero else { return try refuse("the heartbeat is not above zero") }
    }
}
