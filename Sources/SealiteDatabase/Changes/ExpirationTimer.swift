internal import Synchronization

/// Purges a database's expired documents in time: at opening, at the earliest expiration, whenever an expiration is set
/// through this database, and periodically, because another process may set an expiration and end before it is due.
final class ExpirationTimer: Sendable {
    /// The longest sleep in milliseconds, the bound for noticing that the clock was set forward or that another process
    /// set an expiration.
    private let longestWait: Int64

    /// The database; weak, so that the timer doesn't keep it open.
    private struct Target {
        weak var database: Database?
    }

    private let target: Mutex<Target>
    private let timer = Mutex<QueueTimer?>(nil)

    init(_ database: Database) {
        target = Mutex(Target(database: database))
        longestWait = database.configuration.longestExpirationWait
        let started = QueueTimer(label: "sealite.expiration") { [weak self] in self?.fire() }
        timer.withLock { $0 = started }
        reschedule()
    }

    func cancel() { timer.withLock { $0.take() }?.cancel() }

    /// Reads the earliest expiration again.
    func reschedule() { timer.withLock { $0?.schedule(afterMilliseconds: 0) } }

    private func fire() {
        guard let database = target.withLock({ $0.database }) else { return }
        // After a failure, such as a lock that another process holds, the next attempt follows after the longest sleep.
        var wait = longestWait
        do {
            if let next = try database.nextExpiration(), next <= Milliseconds.now {
                try database.purgeExpiredDocuments()
            }
            if let upcoming = try database.nextExpiration() {
                wait = min(Swift.max(upcoming - Milliseconds.now, 1), longestWait)
            }
        } catch {
            if (error as? DatabaseError)?.code == .notOpen { return }
        }
        timer.withLock { $0?.schedule(afterMilliseconds: wait) }
    }
}
