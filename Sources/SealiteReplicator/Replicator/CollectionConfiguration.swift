internal import SealiteCredentials
internal import SealiteAuthentication
public import SealiteDatabase

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
