/// A revision that the remote has as its current one.
package struct SyncedRevision: Sendable, Hashable {
    package var documentID: String
    package var version: Version

    package init(documentID: String, version: Version) {
        self.documentID = documentID
        self.version = version
    }
}
