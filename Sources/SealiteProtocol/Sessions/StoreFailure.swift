internal import SealiteRevisions

/// A failure of the local database to perform a session's request.
package struct StoreFailure: Error, Sendable, Hashable {
    /// A Boolean value that says whether a retry may help (busy, disk full).
    package var isTransient: Bool
    /// The cause of the failure as text, without content of documents.
    package var reason: String

    package init(isTransient: Bool, reason: String) {
        self.isTransient = isTransient
        self.reason = reason
    }

    /// The error reply to the peer, if the failed request resulted from a request of the peer: HTTP 503 if a retry may
    /// help, otherwise 500.
    package var reply: BLIPErrorReply {
        BLIPErrorReply(code: isTransient ? 503 : 500, message: "the answering side failed: \(reason)")
    }
}
