/// Identifies a message of this side whose body is supplied in pieces: a request by its ticket, or a reply by the
/// number of the peer's request.
package enum BLIPStream: Hashable, Sendable {
    case request(BLIPTicket)
    case reply(UInt64)

    var isReply: Bool {
        if case .reply = self { true } else { false }
    }
}
