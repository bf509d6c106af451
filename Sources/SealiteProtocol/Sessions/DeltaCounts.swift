/// The numbers of revisions that travelled as deltas.
package struct DeltaCounts: Sendable, Hashable {
    /// The number of revisions that were sent as deltas and that the peer accepted.
    package var sent: UInt64 = 0
    /// The number of revisions that were received as deltas and stored.
    package var received: UInt64 = 0
    /// The number of deltas that this side or the peer refused, so that whole bodies followed.
    package var fallbacks: UInt64 = 0
    /// The number of bytes of bodies that weren't sent and received because of deltas, before compression.
    package var savedByteCount: UInt64 = 0

    package init() {}

    func combined(with other: DeltaCounts, by combine: (UInt64, UInt64) -> UInt64) -> DeltaCounts {
        var all = self
        all.sent = combine(sent, other.sent)
        all.received = combine(received, other.received)
        all.fallbacks = combine(fallbacks, other.fallbacks)
        all.savedByteCount = combine(savedByteCount, other.savedByteCount)
        return all
    }

    static func + (left: DeltaCounts, right: DeltaCounts) -> DeltaCounts { left.combined(with: right, by: +) }
}

/// Counts the deltas of one direction of a collection, and gives deltas up for the rest of the session if too many are
/// refused one after another: the peer's deltas are wrong then, or it takes none.
struct DeltaTally: Sendable {
    /// The number of deltas refused in a row after which no further ones are sent or taken.
    static let refusalLimit = 10

    private var counts = DeltaCounts()
    private var refusedInRow = 0

    /// A Boolean value that says whether deltas are given up.
    var isGivenUp: Bool { refusedInRow >= Self.refusalLimit }

    mutating func sent(saving byteCount: UInt64) {
        counts.sent += 1
        counts.savedByteCount += byteCount
        refusedInRow = 0
    }

    mutating func received() {
        counts.received += 1
        refusedInRow = 0
    }

    mutating func refused() {
        counts.fallbacks += 1
        refusedInRow += 1
    }

    /// Removes and returns what was counted since the last call.
    mutating func take() -> DeltaCounts {
        defer { counts = DeltaCounts() }
        return counts
    }
}
