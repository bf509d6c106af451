internal import SealiteBase
internal import Synchronization

/// Does what a database needs from time to time: purges expired documents, deletes blobs without a reference, and keeps
/// the bases of deltas within their bound.
///
/// Documents are purged at opening, at the earliest expiration, whenever an expiration is set through this database, and
/// periodically, because another process may set an expiration and end before it is due. Blobs are deleted in steps of
/// 16 MiB: while the database is open, once no transaction has changed blobs for a moment, and, if the database is closed
/// soon after it was written, a few steps at its close.
final class UpkeepTimer: DatabasePart {
    /// The longest time between two checks, in milliseconds. It is also the longest delay with which the timer notices
    /// that the clock was set forward, that another process set an expiration, or that another process left blobs.
    private static let longestWait: Int64 = 60_000
    /// The time after opening, and after a transaction that changed blobs, before blobs are deleted.
    private static let idleTime = Duration.seconds(2)
    /// The pause between two steps that delete blobs, in milliseconds, in which other writers get their turn.
    private static let pause: Int64 = 20
    /// The number of bytes of new bases from which they are counted at the close of a database.
    private static let basesAtClose = 64 << 10
    /// The greatest number of steps at the close of a database.
    private static let stepsAtClose = 4

    /// A weak reference to the database, so that the timer doesn't keep it open.
    private struct Target {
        weak var database: Database?
    }

    private let target = Mutex(Target())
    private let time: any TimeSource
    private let schedule: Mutex<Schedule>

    private struct Schedule {
        var timer: (any RestartableTimer)?
        /// The number of immediate checks that were requested.
        var requestCount = 0
        /// The time at which the timer fires; nil if it isn't set.
        var next: ContinuousClock.Instant?
        /// The time from which blobs may be deleted.
        var idleBegin: ContinuousClock.Instant
        var hasCommitted = false
        /// The number of bytes of bases of deltas that were stored and aren't counted in the file yet.
        var addedBaseByteCount = 0

        mutating func set(after duration: Duration, now: ContinuousClock.Instant) {
            next = now + duration
            timer?.set(after: duration)
        }
    }

    init(_ time: any TimeSource) {
        self.time = time
        schedule = Mutex(Schedule(idleBegin: time.now + Self.idleTime))
    }

    /// Starts the upkeep of a database, with a check at once unless it is known that no document has expired. The check
    /// would open a connection, which short programs need for nothing else.
    ///
    /// - Parameters:
    ///   - database: the database.
    ///   - expiration: the earliest expiration of a document, nil in it if none expires; nil if it isn't known.
    func start(for database: Database, expiration: Int64?? = nil) {
        target.withLock { $0.database = database }
        let started = time.makeTimer("expiration") { [weak self] in self?.fire() }
        schedule.withLock { schedule in
            assert(schedule.timer == nil, "the upkeep of a database starts once")
            schedule.timer = started
        }
        let now = time.unixMilliseconds
        guard let expiration, expiration ?? .max > now else { return reschedule() }
        // The first check is the one for blobs that another process left.
        let rest = (expiration ?? .max).subtractingReportingOverflow(now)
        let wait =
            rest.overflow ? Self.idleTime : min(.milliseconds(min(rest.partialValue, Self.longestWait)), Self.idleTime)
        schedule.withLock { $0.set(after: wait, now: time.now) }
    }

    func didCommit(_ transaction: Transaction) {
        schedule.withLock { schedule in
            schedule.hasCommitted = true
            schedule.addedBaseByteCount += transaction.addedBaseByteCount
            guard transaction.changesBlobs else { return }
            let now = time.now
            schedule.idleBegin = now + Self.idleTime
            if schedule.next.map({ $0 > schedule.idleBegin }) ?? true { schedule.set(after: Self.idleTime, now: now) }
        }
        if transaction.changedExpirations { reschedule() }
    }

    func willClose(_ database: Database) {
        guard schedule.withLock(\.hasCommitted) else { return }
        // A few bytes aren't worth a second transaction of each short program, which may have to wait for another one.
        if schedule.withLock(\.addedBaseByteCount) >= Self.basesAtClose { try? upkeepBases(database) }
        // After a failure, such as a lock that another process holds, the next process that writes does the rest.
        guard (try? database.nextBlobCollection()) == 0 else { return }
        var steps = 1
        while (try? database.collectBlobs()) == true, steps < Self.stepsAtClose { steps += 1 }
    }

    func end(of database: ObjectIdentifier) { schedule.withLock { $0.timer.take() }?.cancel() }

    /// Schedules an immediate check, which also determines the time of the next one.
    func reschedule() {
        schedule.withLock { schedule in
            schedule.requestCount += 1
            schedule.set(after: .zero, now: time.now)
        }
    }

    private func fire() {
        guard let database = target.withLock({ $0.database }) else { return }
        let requestCount = schedule.withLock { schedule in
            schedule.next = nil
            return schedule.requestCount
        }
        // After a failure, such as a lock that another process holds, the next attempt follows after the longest sleep.
        var wait = Self.longestWait
        do {
            var next = try database.nextExpiration()
            if let due = next, due <= time.unixMilliseconds {
                try database.purgeExpiredDocuments()
                next = try database.nextExpiration()
            }
            if let upcoming = next {
                let (difference, isBeyond) = upcoming.subtractingReportingOverflow(time.unixMilliseconds)
                wait = isBeyond ? Self.longestWait : min(Swift.max(difference, 1), Self.longestWait)
            }
            if let pause = try collectBlobs(database) { wait = min(wait, pause) }
            try upkeepBases(database)
        } catch {
            if (error as? DatabaseError)?.code == .notOpen { return }
        }
        schedule.withLock { schedule in
            // An expiration that was set meanwhile may be earlier; its request has set the timer already.
            guard schedule.requestCount == requestCount else { return }
            assert(wait > 0 && wait <= Self.longestWait, "the timer fires again, and isn't set to the past")
            let (now, end) = (time.now, time.now + .milliseconds(wait))
            guard schedule.next.map({ $0 > end }) ?? true else { return }
            schedule.set(after: .milliseconds(wait), now: now)
        }
    }

    /// Keeps the bases of deltas within their bound.
    private func upkeepBases(_ database: Database) throws {
        let added = schedule.withLock { schedule in
            defer { schedule.addedBaseByteCount = 0 }
            return schedule.addedBaseByteCount
        }
        do {
            try database.upkeepBases(adding: added)
        } catch {
            schedule.withLock { $0.addedBaseByteCount += added }
            throw error
        }
    }

    /// Deletes a part of the blobs without a reference, if the database has been idle for a moment.
    ///
    /// - Returns: the time, in milliseconds, after which there is more to do; nil if nothing is known to be due.
    private func collectBlobs(_ database: Database) throws -> Int64? {
        guard let next = try database.nextBlobCollection() else { return nil }
        guard next == 0 else { return Swift.max(next - time.unixMilliseconds, 1) }
        let rest = schedule.withLock { $0.idleBegin } - time.now
        guard rest <= .zero else { return Swift.max(Int64(rest / .milliseconds(1)), 1) }
        return try database.collectBlobs() ? Self.pause : nil
    }
}
