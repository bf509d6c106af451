/// The form of the ids of a database's revisions, and with it the way to tell which revision descends from which.
public enum DocumentVersioning: String, Sendable, CaseIterable {
    /// Revision trees, as Couchbase Lite 3 and Sync Gateway 3 have them.
    case trees
    /// Version vectors, as Couchbase Lite 4 has them.
    case vectors
}
