/// The limits on memory that a peer may make this side use, and on the amount of data that this side sends without
/// acknowledgement.
///
/// The defaults accept everything that Sync Gateway and Couchbase Lite send.
package struct BLIPLimits: Sendable, Hashable {
    /// The largest BLIP frame that is accepted, in bytes. Couchbase Lite accepts 1 MiB; known peers send at most about
    /// 16 KiB.
    package var frameByteCount = 1 << 20
    /// The maximum number of bytes that one compressed BLIP frame may inflate to. Deflate reaches 1032:1, so a
    /// legitimate BLIP frame of 16 KiB (part of a blob of zeros) may contain 16.1 MiB.
    package var inflatedFrameByteCount = 17 << 20
    /// The maximum size of a message's encoded properties, in bytes. Couchbase Lite has the same limit.
    package var propertiesByteCount = 102_400
    /// The maximum size of a received message's body that is collected in memory, in bytes. A streamed reply isn't
    /// collected. The maximum size of a document is 20 MiB, for this library and for Sync Gateway.
    package var messageByteCount = 32 << 20
    /// The maximum number of bytes that all unfinished messages of the peer together may hold in memory.
    package var collectedByteCount = 48 << 20
    /// The maximum number of requests of the peer that have begun and not ended.
    package var unfinishedMessageCount = 1_024
    /// The maximum number of requests of the peer that wait for this side's reply.
    package var unansweredRequestCount = 8_192
    /// The number of requests of this side that wait for the peer's reply, or to be sent, at which further ones are held
    /// back, in order. A peer with the limits of this side accepts twice as many.
    package var openRequestCount = 4_096
    /// The maximum number of bytes of one streamed reply that may arrive unacknowledged; a peer that obeys flow control
    /// sends at most 128,000 and one BLIP frame.
    package var unacknowledgedByteCount = 2 << 20
    /// The maximum size of a sent BLIP frame, in bytes. Sync Gateway closes the connection above 32,768.
    package var sentFrameByteCount = 16_384
    /// The maximum size of a sent BLIP frame, in bytes, if its message isn't urgent and an urgent message waits.
    package var sentFrameByteCountWhileUrgent = 4_096
    /// The level of zlib's compression of sent messages: 0 turns compression off, 9 is the slowest. Level 6 compresses
    /// documents of 300 bytes to a size 6 % smaller than level 3 does, and takes 1.7 times as long.
    package var compressionLevel = 3
    /// A Boolean value that says whether compression takes 96 KiB of memory instead of 384, for a side with hundreds of
    /// connections. Documents of 300 bytes are then compressed to a size 2 % larger.
    package var usesSmallWindow = false

    package init() {}

    /// The number of sent and not yet acknowledged bytes of a message at which the message pauses. Sync Gateway and
    /// Couchbase Lite use the same number.
    static let sendWindow: UInt64 = 128_000
    /// The number of received bytes of a message, since its last acknowledgement, at which it is acknowledged again.
    static let acknowledgementInterval: UInt64 = 50_000
}
