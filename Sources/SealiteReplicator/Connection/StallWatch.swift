internal import SealiteProtocol

/// Notices a peer that goes on with nothing for which this side waits. A value without a clock: its owner looks now and then.
struct StallWatch: Sendable {
    /// For what this side may wait.
    enum Kind: Hashable, Sendable {
        /// That the connection takes what was given to it.
        case sending
        /// That the peer acknowledges a message of which a window was sent.
        case acknowledgement
        /// The content of attachments that were asked for.
        case attachment
    }

    /// Something that is waited for now, with a number that changes whenever there was progress.
    struct Wait: Sendable {
        let kind: Kind
        let progress: UInt64
    }

    /// The longest time without progress.
    let limit: Duration
    private var standing: [Kind: (progress: UInt64, since: Moment)] = [:]

    init(limit: Duration) { self.limit = limit }

    /// The time between two looks.
    var interval: Duration { limit / 6 }

    /// Takes all that is waited for now, and says whether something has stood still for too long.
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
