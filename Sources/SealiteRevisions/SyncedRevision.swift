/// A revision that is known to be a remote's current one of a document.
package struct SyncedRevision: Sendable, Hashable {
    package var documentID: String
    package var version: Version

    package init(documentID: String, version: Version) {
        self.documentID = documentID
        self.version = version
    }
}
