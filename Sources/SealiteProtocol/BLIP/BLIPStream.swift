/// A message of this side whose body is supplied in pieces.
package enum BLIPStream: Hashable, Sendable {
    case request(BLIPTicket)
    case reply(UInt64)

    var isReply: Bool {
        if case .reply = self { true } else { false }
    }
}
