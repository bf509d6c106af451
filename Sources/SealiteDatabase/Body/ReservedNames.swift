/// The names at the top of a document that the replication protocol uses for itself. All others are the application's, also
/// those that begin with `_`.
///
/// A document with one of these names would be refused by Sync Gateway, or the member would not come back as it was sent. The
/// list is Sync Gateway's; names in nested objects are free.
enum ReservedNames {
    private static let meanings = [
        "_id": "the document's id", "_rev": "the revision's id", "_deleted": "the mark of a tombstone",
        "_removed": "the mark of a document whose access was lost", "_revisions": "the revision's history",
        "_sync": "the server's own data", "_purged": "the mark of a purged document",
        "_attachments": "the list of attachments, which the replicator makes from the document's blobs",
        "_exp": "the document's expiration at the server", "_cv": "the revision's version",
    ]
    /// Sync Gateway refuses every name that begins so.
    private static let serverPrefix = "_sync_"

    /// The list of attachments that documents of other programs have (Documentation/DocumentFormat.md §3.1).
    static let attachments = "_attachments"

    /// Returns whether the protocol uses a name.
    static func contains(_ name: String) -> Bool { meanings[name] != nil || name.hasPrefix(serverPrefix) }

    /// Says which name is refused, and what the protocol uses it for.
    static func refusal(of name: String) -> DatabaseError {
        let meaning = meanings[name] ?? "the server's own data"
        return DatabaseError(
            .invalidParameter,
            "the property \"\(name)\" is reserved at the top of a document: replication uses it for \(meaning)",
            hint: "rename it or move it into a nested object")
    }
}

extension Collection {
    /// Returns whether no document can have a property of a name at its top.
    package static func isReserved(_ name: String) -> Bool { ReservedNames.contains(name) }
}
