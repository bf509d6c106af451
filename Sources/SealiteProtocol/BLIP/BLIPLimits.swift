/// The limits of the bytes that a peer may make this side hold, and that this side sends at once.
///
/// The defaults accept everything that Sync Gateway and Couchbase Lite send.
package struct BLIPLimits: Sendable, Hashable {
    /// Largest BLIP frame that is accepted, in bytes. Couchbase Lite accepts 1 MiB; nobody sends above about 16 KiB.
    package var frameByteCount = 1 << 20
    /// Most bytes that one compressed BLIP frame may inflate to. Deflate reaches 1032:1, so that an honest
    /// BLIP frame of 16 KiB (a blob of zeros) may hold 16.1 MiB.
    package var inflatedFrameByteCount = 17 << 20
    /// Largest encoded properties of a message, in bytes, as Couchbase Lite has it.
    package var propertiesByteCount = 102_400
    /// Largest message that is collected, in bytes of properties and body. A streamed reply is not collected. Documents have
    /// up to 20 MiB, here and at Sync Gateway.
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
    /// zlib's level for what is sent: 0 never compresses, 9 is the slowest. 6 would make documents of 300 bytes 6 % smaller,
    /// in 1.7 times the time.
    package var compressionLevel = 3

    package init() {}

    /// Sent bytes of a message beyond the last acknowledged at which it pauses (both known implementations use it).
    static let sendWindow: UInt64 = 128_000
    /// Received bytes of a message after which an acknowledgement is due.
    static let acknowledgementInterval: UInt64 = 50_000
}
