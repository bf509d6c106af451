internal import SealiteProtocol

/// Detects a peer that makes no progress with anything that this side waits for. A value without a clock: its owner
/// checks it at intervals.
struct StallWatch: Sendable {
    /// The kinds of waiting for a peer.
    enum Kind: Hashable, Sendable {
        /// The connection hasn't accepted sent messages.
        case sending
        /// The peer hasn't acknowledged a message that was sent up to the limit on unacknowledged bytes.
        case acknowledgement
        /// The content of an attachment that was requested from the peer hasn't arrived.
        case attachment
    }

    /// Something that this side waits for at present, with a number that changes whenever the peer makes progress.
    struct Wait: Sendable {
        let kind: Kind
        let progress: UInt64
    }

    /// The time without progress after which a peer counts as stalled.
    let limit: Duration
    private var standing: [Kind: (progress: UInt64, since: Moment)] = [:]

    init(limit: Duration) { self.limit = limit }

    /// The time between two checks by the owner.
    var interval: Duration { limit / 6 }

    /// Compares all current waits with those of the last check, and returns whether one of them has made no progress
    /// for `limit`.
    mutating func look(_ waits: [Wait], at now: Moment) -> Bool {
        assert(Set(waits.map(\.kind)).count == waits.count, "each kind of wait occurs once")
        let before = standing
        standing = [:]
        for wait in waits {
            if let earlier = before[wait.kind], earlier.progress == wait.progress {
                standing[wait.kind] = earlier
            } else {
                standing[wait.kind] = (wait.progress, now)
            }
        }
        return standing.values.contains { now - $0.since >= limit }
    }
}
