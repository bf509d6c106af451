internal import GRDB
internal import SealiteRevisions
internal import Synchronization

/// The clock that assigns times to the versions of documents in an open database, kept from one transaction to the
/// next, and the origin of the source id with which the versions are written.
final class VersionClock: Sendable {
    private let clock = Mutex(HybridClock())
    private let now: @Sendable () -> UInt64
    private let origin = Mutex<Origin?>(nil)
    private let findPlace: @Sendable () -> [UInt8]?

    /// The origin of the source id of the versions that this process writes.
    enum Origin {
        /// The source id is stored in the database, and belongs to the file with this digest (``FileFingerprint``).
        case place([UInt8])
        /// The file's host, inode or birth time is unknown, so the file may be a copy: the process has a random source
        /// id of its own.
        case unplaced(SourceID)
    }

    /// Creates the version clock of a database.
    ///
    /// - Parameters:
    ///   - now: returns the system's time, in nanoseconds since 1970.
    ///   - findPlace: returns the digest of the file's host, inode and birth time (``FileFingerprint``); nil if it is
    ///     unknown.
    init(now: @escaping @Sendable () -> UInt64, findPlace: @escaping @Sendable () -> [UInt8]?) {
        (self.now, self.findPlace) = (now, findPlace)
    }

    /// Returns a stamp, which creates the versions of one transaction from the stored source id and the clock.
    func stamp(in connection: GRDB.Database) throws -> VersionStamp {
        let origin = try origin.withLock { known in
            let found = try known ?? findPlace().map(Origin.place) ?? .unplaced(SourceID.random())
            known = found
            return found
        }
        return try VersionStamp(clock.withLock { $0 }, now: now, origin, in: connection)
    }

    /// Stores the clock of a transaction that has ended, for the next one.
    func keep(_ clock: HybridClock) {
        self.clock.withLock { kept in
            assert(kept.last <= clock.last, "the clock never goes back")
            kept = clock
        }
    }
}
