internal import SealiteRevisions

/// A failure of the local database to perform a session's request.
package struct StoreFailure: Error, Sendable, Hashable {
    /// A Boolean value that says whether a retry may help (busy, disk full).
    package var isTransient: Bool
    /// The cause of the failure as text, without content of documents. It may name files of this machine, so no peer
    /// gets it.
    package var reason: String
    /// The kind of the database's error, for peers and logs: lowercase words with hyphens between them, such as
    /// `not-open`.
    package var kind: String

    package init(isTransient: Bool, reason: String, kind: String = "unexpected") {
        self.isTransient = isTransient
        self.reason = reason
        self.kind = kind
    }

    /// The error reply to the peer, if the failed request resulted from a request of the peer: HTTP 503 if a retry may
    /// help, otherwise 500. It names the kind of the failure alone.
    package var reply: BLIPErrorReply {
        BLIPErrorReply(
            code: isTransient ? 503 : 500, message: "the database of the answering side failed with the error \(kind)")
    }
}
