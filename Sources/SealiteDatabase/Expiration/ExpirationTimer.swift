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
    private let timer = Mutex<(any RestartableTimer)?>(nil)

    init(_ time: any TimeSource) { self.time = time }

    /// Starts to purge the documents of a database when they expire.
    func start(for database: Database) {
        target.withLock { $0.database = database }
        let started = time.makeTimer("expiration") { [weak self] in self?.fire() }
        timer.withLock { $0 = started }
        reschedule()
    }

    func didCommit(_ transaction: Transaction) {
        if transaction.changedExpirations { reschedule() }
    }

    func end(of database: ObjectIdentifier) { timer.withLock { $0.take() }?.cancel() }

    /// Schedules an immediate check for expired documents, which also determines the time of the next check.
    func reschedule() { timer.withLock { $0?.set(after: .zero) } }

    private func fire() {
        guard let database = target.withLock({ $0.database }) else { return }
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
        timer.withLock { $0?.set(after: .milliseconds(wait)) }
    }
}
