/// The reason for which the sync of a document is paused, or for which the document is no longer synced.
package struct SyncPause: Sendable, Hashable {
    /// The code of the error, by which the application distinguishes errors.
    package var code: String
    /// The reason, in one line without content of documents.
    package var reason: String

    package init(code: String, reason: String) { (self.code, self.reason) = (code, reason) }

    /// The code of a pause because the remote's document couldn't be stored.
    package static let notStored = "notStored"
    /// The code of a pause because the remote's document couldn't be stored for a reason that time can cure, such as a
    /// wrong clock or a full disk.
    package static let notStoredYet = "notStoredYet"

    /// A Boolean value that says whether the remote's document couldn't be stored. The document is then still selected:
    /// a later revision of the remote ends the pause, and lookups ask for the document again.
    package var isOfRemoteDocument: Bool { code == Self.notStored || code == Self.notStoredYet }
}
