internal import GRDB

/// The state of per-document sync that is stored once for a collection, in addition to a record for each document
/// (Documentation/DocumentFormat.md §3.8, "The space").
package struct SyncSpace: Sendable, Equatable {
    /// The number of the remote that the documents are synced with; nil until one is known.
    package var remote: Int?
    /// Counts the beginnings and the ends of sessions with the remote: odd while a session is open, and after a session
    /// that a crash ended.
    package var sessions: UInt64 = 0
    /// Counts the lookups that have begun, in which stale documents are compared with the remote.
    package var lookups: UInt64 = 0
    /// The number that the next stored event gets.
    package var nextEvent: UInt64 = 1
    /// The number of the first event that is still stored; the events before it were delivered and removed.
    package var firstEvent: UInt64 = 1
    /// A Boolean value that says whether the collection may have documents that aren't synced.
    package var hasOthers = false
    /// A Boolean value that says whether all synced documents, except stale ones, were compared with the remote up to
    /// the checkpoint of the replication.
    package var isCaughtUp = false
    /// A Boolean value that says whether any synced document may be stale, which means that its revision at the remote
    /// has to be looked up.
    package var mayBeStale = false
    /// A Boolean value that says whether changes are stored as events until they are delivered. Errors are always
    /// stored.
    package var keepsChanges = true

    /// The name of the store, among the local values, that has the ``SyncSpace`` of each collection, under the
    /// collection's number.
    static let store = Schema.syncSpaceStore
    /// The maximum number of stored events of a collection. While as many are stored, further changes and errors
    /// produce no event.
    static let eventLimit: UInt64 = 100_000

    init() {}

    init(_ stored: [UInt8]) throws(DatabaseError) {
        var reader = StateReader(stored)
        guard try reader.byte() == 1 else { throw StateReader.damaged }
        let flags = try reader.byte()
        (hasOthers, isCaughtUp, keepsChanges) = (flags & 1 != 0, flags & 2 != 0, flags & 4 == 0)
        mayBeStale = flags & 8 == 0
        let number = try reader.number()
        remote = number == 0 ? nil : Int(clamping: number)
        (sessions, lookups) = (try reader.number(), try reader.number())
        (nextEvent, firstEvent) = (try reader.number(), try reader.number())
        guard firstEvent <= nextEvent, nextEvent < UInt64(Int64.max), sessions < UInt64(Int64.max),
            lookups < UInt64(Int64.max)
        else {
            throw StateReader.damaged
        }
    }

    var stored: [UInt8] {
        var writer = StateWriter()
        writer.byte(1)
        writer.byte((hasOthers ? 1 : 0) | (isCaughtUp ? 2 : 0) | (keepsChanges ? 0 : 4) | (mayBeStale ? 0 : 8))
        writer.number(UInt64(clamping: remote ?? 0))
        for number in [sessions, lookups, nextEvent, firstEvent] { writer.number(number) }
        return writer.bytes
    }
}
