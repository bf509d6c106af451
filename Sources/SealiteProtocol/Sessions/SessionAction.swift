/// A point in time of the monotonic clock, which a session is given by its owner.
package typealias Moment = ContinuousClock.Instant

/// An action that a session asks of its owner.
package enum SessionAction: Sendable, Equatable {
    /// Send a request; its reply is passed to the session as `TaskResult.reply`.
    case send(BLIPOutgoing, TaskID)
    /// Send a request that expects no reply.
    case sendOnly(BLIPOutgoing)
    /// Answer a request of the peer, given by its number.
    case reply(to: UInt64, BLIPOutgoing)
    /// Answer a request of the peer, given by its number, with an error.
    case refuse(UInt64, BLIPErrorReply)
    /// Send the database a request about a collection, given by its index in the session. The result is
    /// `TaskResult.store`.
    case store(StoreRequest, collection: Int, TaskID)
    /// Fetch an attachment into the database and verify its digest and length. The result is `TaskResult.attachment`.
    case fetchAttachment(GetAttachmentRequest, byteCount: UInt64?, collection: Int, TaskID)
    /// Answer a request of the peer, given by its number, with an attachment's content, in pieces, or with HTTP 404 if
    /// it isn't stored.
    case serveAttachment(to: UInt64, GetAttachmentRequest, collection: Int)
    /// Answer a request of the peer, given by its number, with the proof of an attachment, or with HTTP 404 if it isn't
    /// stored.
    case proveAttachment(to: UInt64, ProveAttachmentRequest, collection: Int)
    /// Report documents that were replicated, or couldn't be, to the application.
    case documents([DocumentEvent])
    /// Report the session's status to the application.
    case status(SessionStatus)
    /// Close the connection with a WebSocket code, because of the error if there is one. Only `documents` may follow.
    case close(code: Int, SessionError?)
}
