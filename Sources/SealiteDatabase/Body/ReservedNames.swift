/// The names at the top level of a document that the replication protocol reserves. All others are the application's,
/// also names that begin with `_`.
///
/// Sync Gateway refuses a document with one of these names, or returns the member in another form than it was sent in.
/// The list is Sync Gateway's; names in nested objects are free.
enum ReservedNames {
    private static let meanings = [
        "_id": "the document's id", "_rev": "the revision's id", "_deleted": "the mark of a tombstone",
        "_removed": "the mark of a document whose access was lost", "_revisions": "the revision's history",
        "_sync": "the server's own data", "_purged": "the mark of a purged document",
        "_attachments": "the list of attachments, which the replicator makes from the document's blobs",
        "_exp": "the document's expiration at the server", "_cv": "the revision's version",
    ]
    /// The prefix of names that no member at the top level of a document may have at Sync Gateway.
    private static let serverPrefix = "_sync_"

    /// The member for the list of attachments in documents of other programs (Documentation/DocumentFormat.md §3.1).
    static let attachments = "_attachments"

    /// Returns whether the protocol reserves a name.
    static func contains(_ name: String) -> Bool { meanings[name] != nil || name.hasPrefix(serverPrefix) }

    /// Returns an error that names the refused name and its purpose in the protocol.
    static func refusal(of name: String) -> DatabaseError {
        let meaning = meanings[name] ?? "the server's own data"
        return DatabaseError(
            .invalidParameter,
            "the property \"\(name)\" is reserved at the top level of a document: replication uses it for \(meaning)",
            hint: "rename it or move it into a nested object")
    }
}

extension Collection {
    /// Returns whether the replication protocol reserves a name, so that an application can't add a property of that
    /// name at the top level of a document.
    package static func isReserved(_ name: String) -> Bool { ReservedNames.contains(name) }
}
