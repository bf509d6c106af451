/// A revision that is known to be a remote's current one of a document.
package struct SyncedRevision: Sendable, Hashable {
    package var documentID: String
    package var version: Version
    /// A Boolean value that says whether the remote accepted the revision as its first one of the document.
    package var isFirst: Bool

    package init(documentID: String, version: Version, isFirst: Bool = false) {
        (self.documentID, self.version, self.isFirst) = (documentID, version, isFirst)
    }
}
