internal import SealiteRevisions

/// A failure of the database to perform a request.
package struct StoreFailure: Error, Sendable, Hashable {
    /// A Boolean value that says whether a retry may help (busy, disk full).
    package var isTransient: Bool
    /// The cause of the failure as text, without content of documents.
    package var reason: String

    package init(isTransient: Bool, reason: String) {
        self.isTransient = isTransient
        self.reason = reason
    }

    /// The reply to a peer's request that failed because of it.
    package var reply: BLIPErrorReply { BLIPErrorReply(code: isTransient ? 503 : 500, message: reason) }
}
