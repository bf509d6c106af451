internal import GRDB
internal import SealiteRevisions
internal import Synchronization

/// The clock of an open database's versions, between its transactions, and the place of its file.
final class VersionClock: Sendable {
    private let clock = Mutex(HybridClock())
    private let now: @Sendable () -> UInt64
    private let origin = Mutex<Origin?>(nil)
    private let findPlace: @Sendable () -> [UInt8]?

    /// The source of the versions that this process writes.
    enum Origin {
        /// The source that the database has for the file at a place.
        case place([UInt8])
        /// A source that nobody else has, since nothing says whether the file is a copy.
        case unplaced(SourceID)
    }

    /// - Parameters:
    ///   - now: returns the system's time, in nanoseconds since 1970.
    ///   - findPlace: returns the digest of the file's place; nil if the place is unknown.
    init(now: @escaping @Sendable () -> UInt64, findPlace: @escaping @Sendable () -> [UInt8]?) {
        (self.now, self.findPlace) = (now, findPlace)
    }

    /// Returns what the versions of a transaction are made with.
    func stamp(in connection: GRDB.Database) throws -> VersionStamp {
        let origin = try origin.withLock { known in
            let found = try known ?? findPlace().map(Origin.place) ?? .unplaced(SourceID.random())
            known = found
            return found
        }
        return try VersionStamp(clock.withLock { $0 }, now: now, origin, in: connection)
    }

    /// Keeps the clock of a transaction that ended.
    func keep(_ clock: HybridClock) { self.clock.withLock { $0 = clock } }
}
