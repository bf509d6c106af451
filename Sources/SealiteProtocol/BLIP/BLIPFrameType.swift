/// The kind of a BLIP frame: the low three bits of its flags.
package enum BLIPFrameType: UInt8, Sendable {
    case request = 0
    case reply = 1
    case error = 2
    case requestAcknowledgement = 4
    case replyAcknowledgement = 5

    /// A Boolean value that says whether the BLIP frame acknowledges received bytes. Such a frame has no message
    /// payload and no checksum.
    package var isAcknowledgement: Bool { self == .requestAcknowledgement || self == .replyAcknowledgement }
}
