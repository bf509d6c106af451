/// The result of a received frame of BLIP, the message layer of the replication protocol: a message, a part of a
/// streamed reply, or a rejected message.
package enum BLIPAction: Sendable, Equatable {
    /// A request of the peer was received completely.
    case request(BLIPRequest)
    /// A request of the peer exceeded a limit, and its body was discarded, as were its properties if they were
    /// incomplete. If the request expects a reply, the error reply is already queued.
    case requestRejected(BLIPRequest, BLIPError)
    /// The reply to a request of this side, possibly an error, was received completely.
    case reply(BLIPReply, to: BLIPTicket)
    /// A reply exceeded a limit; the rest of the reply is discarded when it arrives.
    case replyRejected(BLIPError, to: BLIPTicket)
    /// A streamed reply has begun, with these properties.
    case replyBegan(BLIPProperties, to: BLIPTicket)
    /// A piece of a streamed reply's body.
    case replyPiece([UInt8], to: BLIPTicket)
    /// A streamed reply is complete.
    case replyEnded(to: BLIPTicket)
}
