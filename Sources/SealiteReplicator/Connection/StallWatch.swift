internal import SealiteProtocol

/// Detects a peer that makes no progress with anything that this side waits for. A value without a clock: its owner
/// checks it at intervals.
struct StallWatch: Sendable {
    /// The kinds of waiting.
    enum Kind: Hashable, Sendable {
        /// The connection hasn't accepted sent messages.
        case sending
        /// The peer hasn't acknowledged a message of which a whole window was sent.
        case acknowledgement
        /// The content of requested attachments hasn't arrived.
        case attachment
    }

    /// A current wait, with a number that changes whenever progress is made.
    struct Wait: Sendable {
        let kind: Kind
        let progress: UInt64
    }

    /// The longest time without progress.
    let limit: Duration
    private var standing: [Kind: (progress: UInt64, since: Moment)] = [:]

    init(limit: Duration) { self.limit = limit }

    /// The time between two checks.
    var interval: Duration { limit / 6 }

    /// Compares all current waits with the last check, and returns whether any of them has made no progress for
    /// `limit`.
    mutating func look(_ waits: [Wait], at now: Moment) -> Bool {
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
