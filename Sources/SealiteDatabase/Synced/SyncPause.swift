/// The reason for which the sync of a document is paused, or for which the document is no longer synced.
package struct SyncPause: Sendable, Hashable {
    /// The code of the error, by which the application distinguishes errors.
    package var code: String
    /// The reason, in one line without content of documents.
    package var reason: String

    package init(code: String, reason: String) { (self.code, self.reason) = (code, reason) }
}
