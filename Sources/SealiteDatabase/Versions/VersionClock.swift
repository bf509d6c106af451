internal import GRDB
internal import Glibc
internal import SealiteRevisions
internal import Synchronization

/// The clock of an open database's versions, between its transactions, and the place of its file.
final class VersionClock: Sendable {
    private let clock = Mutex(HybridClock())
    private let now: @Sendable () -> UInt64
    private let path: String
    private let place = Mutex<[UInt8]?>(nil)

    init(now: @escaping @Sendable () -> UInt64, path: String) {
        (self.now, self.path) = (now, path)
    }

    /// Returns what the versions of a transaction are made with.
    func stamp(in connection: GRDB.Database) throws -> VersionStamp {
        let place = place.withLock { known in
            if known == nil { known = SourcePlace.digest(ofFileAt: path) }
            return known
        }
        return try VersionStamp(clock.withLock { $0 }, now: now, place: place, in: connection)
    }

    /// Keeps the clock of a transaction that ended.
    func keep(_ clock: HybridClock) { self.clock.withLock { $0 = clock } }
}

/// The system's clock.
enum SystemTime {
    /// Returns the nanoseconds since 1970.
    @Sendable static func nanoseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
    }
}
