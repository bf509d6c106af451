/// The reason for which a document is paused.
package struct SyncPause: Sendable, Hashable {
    /// The name of the error's kind.
    package var code: String
    /// The reason, in one line without content of documents.
    package var reason: String

    package init(code: String, reason: String) { (self.code, self.reason) = (code, reason) }
}
