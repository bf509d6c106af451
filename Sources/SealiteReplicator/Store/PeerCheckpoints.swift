internal import SealiteBase
internal import SealiteProtocol
internal import SealiteDatabase
internal import Synchronization

/// The replication checkpoints that a database stores for its peers. Thread-safe; shared by all connections of a
/// service.
///
/// Peers choose the names and the number of their checkpoints. Therefore number, size and age are limited; a peer whose
/// checkpoint was removed compares its documents again and loses nothing. The stored form is in
/// Documentation/DocumentFormat.md §3.
final class PeerCheckpoints: Sendable {
    /// The limits on the checkpoints that are stored for all peers.
    struct Limits: Sendable {
        /// The maximum number of checkpoints.
        var count = 10_000
        /// The maximum number of bytes of all checkpoints and their IDs.
        var byteCount = 16 << 20
        /// The number of seconds for which a checkpoint is kept after it was saved: 90 days, as Sync Gateway does.
        var age: UInt64 = 90 * 86_400
        /// The maximum number of checkpoints that are removed in one transaction.
        var removedTogether = 500
        /// The number of new checkpoints after which the limits are checked again.
        var newBetweenChecks = 64
        /// The number of bytes of saved checkpoints after which the limits are checked again.
        var bytesBetweenChecks = 512 << 10
        /// The number of seconds after which the limits are checked again, when a checkpoint is saved.
        var secondsBetweenChecks: UInt64 = 3_600
    }

    private struct State {
        var newCount = 0
        var byteCount = 0
        /// The time, in seconds since 1970, at which the limits are checked in any case; nil for immediately.
        var due: UInt64?
    }

    private static let store = "peerCheckpoints"
    private let database: Database
    private let limits: Limits
    private let time: any TimeSource
    private let state = Mutex(State())

    /// Creates the access to the checkpoints that a database stores for its peers. By default they age by the
    /// database's time source.
    init(_ database: Database, limits: Limits = Limits(), time: (any TimeSource)? = nil) {
        (self.database, self.limits, self.time) = (database, limits, time ?? database.configuration.time)
    }

    /// Returns the name under which a collection's checkpoint is stored. It has the number of the collection, with which
    /// the checkpoint is removed.
    private static func name(_ id: String, of collection: Int) -> String { "\(collection)/\(id)" }

    /// Returns a checkpoint of a collection, given by its number, with its revision; nil if there is none under this ID.
    func load(_ id: String, of collection: Int) throws -> GetCheckpointReply? {
        guard let found = try database.localValue(store: Self.store, name: Self.name(id, of: collection)) else {
            return nil
        }
        return GetCheckpointReply(revision: Self.wireRevision(found.revision ?? ""), body: found.value)
    }

    /// Stores a checkpoint of a collection, given by its number, under an ID if `revision` is the revision of the stored one (empty if none is stored).
    ///
    /// - Returns: the new revision; nil if the stored checkpoint has another revision.
    func save(_ id: String, of collection: Int, revision: String, body: [UInt8]) throws -> String? {
        let name = Self.name(id, of: collection)
        let generation = revision.hasSuffix("-cc") ? UInt64(revision.dropLast(3)) ?? 0 : 0
        let next = "\(generation &+ 1)-cc"
        let time = self.time.unixSeconds
        let isSaved = try database.setLocalValue(
            store: Self.store, name: name, revision: "\(next) \(time)", value: body
        ) { stored in stored.map(Self.wireRevision) == (revision.isEmpty ? nil : revision) }
        guard isSaved else { return nil }
        let isDue = state.withLock { state in
            state.newCount += revision.isEmpty ? 1 : 0
            state.byteCount += body.count + id.utf8.count
            return state.newCount >= limits.newBetweenChecks || state.byteCount >= limits.bytesBetweenChecks
                || time >= state.due ?? 0
        }
        if isDue { try trim(keeping: name, at: time) }
        return next
    }

    /// Returns the revision that peers see: the stored text up to the space, after which the time of the save is
    /// stored.
    private static func wireRevision(_ stored: String) -> String { String(stored.prefix { $0 != " " }) }

    /// Removes old and surplus checkpoints other than the one that was just saved, a limited number at a time.
    private func trim(keeping name: String, at time: UInt64) throws {
        assert(limits.removedTogether > 0 && limits.count > 0)
        let isDone = try database.trimLocalValues(
            store: Self.store, keeping: name, count: limits.count, byteCount: limits.byteCount,
            savedSince: time > limits.age ? time - limits.age : 0, atMost: limits.removedTogether)
        state.withLock { state in
            // If more checkpoints than that are old or surplus, they are removed when the next checkpoint is saved.
            state = State(due: isDone ? time + limits.secondsBetweenChecks : nil)
        }
    }
}
