/// Identifies a request of this side until its reply arrives. The number on the wire is assigned later, when the
/// request's first BLIP frame is sent.
package struct BLIPTicket: Hashable, Sendable, Comparable {
    package let value: UInt64

    package static func < (left: BLIPTicket, right: BLIPTicket) -> Bool { left.value < right.value }
}
