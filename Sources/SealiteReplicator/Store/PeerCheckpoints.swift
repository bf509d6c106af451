internal import SealiteProtocol
internal import SealiteConcurrency
internal import SealiteDatabase
internal import Synchronization

/// The replication checkpoints that a database keeps for its peers. Thread-safe; shared by all connections of a service.
///
/// Peers name their checkpoints as they like, and as many as they like. So number, bytes and age are bounded; a peer whose
/// checkpoint is gone compares again what it has, and loses nothing. The stored form is in Documentation/DocumentFormat.md §3.
final class PeerCheckpoints: Sendable {
    /// The checkpoints that are kept.
    struct Limits: Sendable {
        /// Most checkpoints.
        var count = 10_000
        /// Most bytes of all checkpoints and their IDs.
        var byteCount = 16 << 20
        /// The seconds for which a checkpoint is kept after it was saved: 90 days, as Sync Gateway does.
        var age: UInt64 = 90 * 86_400
        /// Most checkpoints that are removed in one transaction.
        var removedTogether = 500
        /// After how many new checkpoints, bytes and seconds the limits are looked at again.
        var newBetweenChecks = 64
        var bytesBetweenChecks = 512 << 10
        var secondsBetweenChecks: UInt64 = 3_600
    }

    private struct State {
        var newCount = 0
        var byteCount = 0
        /// The time at which the limits are to be looked at in any case; nil is at once.
        var due: UInt64?
    }

    private static let store = "peerCheckpoints"
    private let database: Database
    private let limits: Limits
    private let time: any TimeSource
    private let state = Mutex(State())

    /// Makes the checkpoints of a database. They age by its time where no other is given.
    init(_ database: Database, limits: Limits = Limits(), time: (any TimeSource)? = nil) {
        (self.database, self.limits, self.time) = (database, limits, time ?? database.configuration.time)
    }

    /// Reads a checkpoint; nil when there is none.
    func load(_ id: String) throws -> GetCheckpointReply? {
        guard let stored = try database.localValue(store: Self.store, name: id) else { return nil }
        return GetCheckpointReply(revision: Self.wireRevision(stored.revision ?? ""), body: stored.value)
    }

    /// Stores a checkpoint if its stored revision is `revision`, empty for none.
    ///
    /// - Returns: its new revision; nil if another one is stored.
    func save(_ id: String, revision: String, body: [UInt8]) throws -> String? {
        let generation = revision.hasSuffix("-cc") ? UInt64(revision.dropLast(3)) ?? 0 : 0
        let next = "\(generation &+ 1)-cc"
        let time = self.time.unixSeconds
        let isSaved = try database.setLocalValue(
            store: Self.store, name: id, revision: "\(next) \(time)", value: body
        ) { stored in stored.map(Self.wireRevision) == (revision.isEmpty ? nil : revision) }
        guard isSaved else { return nil }
        let isDue = state.withLock { state in
            state.newCount += revision.isEmpty ? 1 : 0
            state.byteCount += body.count + id.utf8.count
            return state.newCount >= limits.newBetweenChecks || state.byteCount >= limits.bytesBetweenChecks
                || time >= state.due ?? 0
        }
        if isDue { try trim(keeping: id, at: time) }
        return next
    }

    /// The revision as the peer sees it, without the time behind it.
    private static func wireRevision(_ stored: String) -> String { String(stored.prefix { $0 != " " }) }

    /// Removes what is too old or too much, a bounded number at a time.
    private func trim(keeping id: String, at time: UInt64) throws {
        let isDone = try database.trimLocalValues(
            store: Self.store, keeping: id, count: limits.count, byteCount: limits.byteCount,
            savedSince: time > limits.age ? time - limits.age : 0, now: time, atMost: limits.removedTogether)
        state.withLock { state in
            // The rest goes with the next checkpoint that is saved.
            state = State(due: isDone ? time + limits.secondsBetweenChecks : nil)
        }
    }
}
