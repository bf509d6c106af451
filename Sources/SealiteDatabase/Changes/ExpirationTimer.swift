internal import Synchronization

/// Purges a database's expired documents when their time comes: at opening, at the earliest expiration, and again
/// whenever one is set.
final class ExpirationTimer: Sendable {
    /// The longest sleep: a clock that is set forward is noticed within it.
    private static let longestWait: Int64 = 60_000

    /// The database; weak, so that the timer doesn't keep it open.
    private struct Target {
        weak var database: Database?
    }

    private let target: Mutex<Target>
    private let timer = Mutex<QueueTimer?>(nil)

    init(_ database: Database) {
        target = Mutex(Target(database: database))
        let started = QueueTimer(label: "sealite.expiration") { [weak self] in self?.fire() }
        timer.withLock { $0 = started }
        reschedule()
    }

    func cancel() { timer.withLock { $0.take() }?.cancel() }

    /// Looks for the earliest expiration again.
    func reschedule() { timer.withLock { $0?.schedule(afterMilliseconds: 0) } }

    private func fire() {
        guard let database = target.withLock({ $0.database }) else { return }
        // A failure here, such as a lock that another process keeps, is tried again after the longest sleep.
        var wait = Self.longestWait
        do {
            if let next = try database.nextExpiration(), next <= Milliseconds.now {
                try database.purgeExpiredDocuments()
            }
            guard let upcoming = try database.nextExpiration() else { return }
            wait = min(Swift.max(upcoming - Milliseconds.now, 1), Self.longestWait)
        } catch {
            if (error as? DatabaseError)?.code == .notOpen { return }
        }
        timer.withLock { $0?.schedule(afterMilliseconds: wait) }
    }
}
