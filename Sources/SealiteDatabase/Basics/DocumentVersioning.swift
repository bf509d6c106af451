/// The form of the revision ids of a database's documents, which determines how the descent of one revision from
/// another is recognized.
public enum DocumentVersioning: String, Sendable, CaseIterable {
    /// Revision trees, as Couchbase Lite 3 and Sync Gateway 3 have them.
    case trees
    /// Version vectors, as Couchbase Lite 4 has them.
    case vectors
}
