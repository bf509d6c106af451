internal import SealiteConcurrency
internal import Synchronization

/// Purges a database's expired documents in time: at opening, at the earliest expiration, whenever an expiration is set
/// through this database, and periodically, because another process may set an expiration and end before it is due.
final class ExpirationTimer: DatabasePart {
    /// The longest time between two checks, in milliseconds. It is also the longest delay with which the timer notices
    /// that the clock was set forward, or that another process set an expiration.
    private static let longestWait: Int64 = 60_000

    /// A weak reference to the database, so that the timer doesn't keep it open.
    private struct Target {
        weak var database: Database?
    }

    private let target = Mutex(Target())
    private let time: any TimeSource
    private let schedule = Mutex(Schedule())

    private struct Schedule {
        var timer: (any RestartableTimer)?
        /// The number of immediate checks that were requested.
        var requestCount = 0
    }

    init(_ time: any TimeSource) { self.time = time }

    /// Starts to purge the documents of a database when they expire.
    func start(for database: Database) {
        target.withLock { $0.database = database }
        let started = time.makeTimer("expiration") { [weak self] in self?.fire() }
        schedule.withLock { $0.timer = started }
        reschedule()
    }

    func didCommit(_ transaction: Transaction) {
        if transaction.changedExpirations { reschedule() }
    }

    func end(of database: ObjectIdentifier) { schedule.withLock { $0.timer.take() }?.cancel() }

    /// Schedules an immediate check for expired documents, which also determines the time of the next check.
    func reschedule() {
        schedule.withLock { schedule in
            schedule.requestCount += 1
            schedule.timer?.set(after: .zero)
        }
    }

    private func fire() {
        guard let database = target.withLock({ $0.database }) else { return }
        let requestCount = schedule.withLock { $0.requestCount }
        // After a failure, such as a lock that another process holds, the next attempt follows after the longest sleep.
        var wait = Self.longestWait
        do {
            if let next = try database.nextExpiration(), next <= time.unixMilliseconds {
                try database.purgeExpiredDocuments()
            }
            if let upcoming = try database.nextExpiration() {
                wait = min(Swift.max(upcoming - time.unixMilliseconds, 1), Self.longestWait)
            }
        } catch {
            if (error as? DatabaseError)?.code == .notOpen { return }
        }
        schedule.withLock { schedule in
            // An expiration that was set meanwhile may be earlier; its request has set the timer already.
            guard schedule.requestCount == requestCount else { return }
            schedule.timer?.set(after: .milliseconds(wait))
        }
    }
}
