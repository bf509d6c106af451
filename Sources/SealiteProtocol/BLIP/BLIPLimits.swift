/// The limits on memory that a peer may make this side use, and on the amount of data that this side sends without
/// acknowledgement.
///
/// The defaults accept everything that Sync Gateway and Couchbase Lite send.
package struct BLIPLimits: Sendable, Hashable {
    /// The largest BLIP frame that is accepted, in bytes. Couchbase Lite accepts 1 MiB; known peers send at most about
    /// 16 KiB.
    package var frameByteCount = 1 << 20
    /// Most bytes that one compressed BLIP frame may inflate to. Deflate reaches 1032:1, so that an honest
    /// BLIP frame of 16 KiB (a blob of zeros) may hold 16.1 MiB.
    package var inflatedFrameByteCount = 17 << 20
    /// The maximum size of a message's encoded properties, in bytes. Couchbase Lite has the same limit.
    package var propertiesByteCount = 102_400
    /// The maximum size of a received message that is collected in memory, in bytes of properties and body. A streamed
    /// reply isn't collected. The maximum size of a document is 20 MiB, for this library and for Sync Gateway.
    package var messageByteCount = 32 << 20
    /// Most bytes held by all messages that have begun and not ended.
    package var collectedByteCount = 48 << 20
    /// Most messages of the peer that have begun and not ended.
    package var unfinishedMessageCount = 1_024
    /// Most requests of the peer that wait for this side's reply.
    package var unansweredRequestCount = 8_192
    /// Most bytes of one streamed reply that may arrive unacknowledged; an honest peer stops at 128,000 and one BLIP frame.
    package var unacknowledgedByteCount = 2 << 20
    /// Largest BLIP frame that is sent. Sync Gateway closes the connection above 32,768.
    package var sentFrameByteCount = 16_384
    /// Largest BLIP frame of a message that is sent while an urgent message waits.
    package var sentFrameByteCountWhileUrgent = 4_096
    /// The level of zlib's compression of sent messages: 0 turns compression off, 9 is the slowest. 6 would make
    /// documents of 300 bytes 6 % smaller, in 1.7 times the time.
    package var compressionLevel = 3

    package init() {}

    /// Sent bytes of a message beyond the last acknowledged at which it pauses (both known implementations use it).
    static let sendWindow: UInt64 = 128_000
    /// Received bytes of a message after which an acknowledgement is due.
    static let acknowledgementInterval: UInt64 = 50_000
}
