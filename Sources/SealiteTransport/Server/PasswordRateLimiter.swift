internal import NIOCore
internal import SealiteBase

/// Limits the password checks of a server: the rate at which a peer can guess, and the number of simultaneous checks.
/// Thread-safe.
///
/// Wrong passwords are counted by address, and by address and user. The 100th wrong password of an address, the tenth
/// of an address and user, and each further one, block the address, or the address and user, for an interval that
/// doubles each time from one second to a minute, during which requests are answered with 429 without a check. A right
/// password doesn't reset the count: otherwise the owner of one account could continue to guess the passwords of
/// others.
final class PasswordRateLimiter: Sendable {
    /// The outcomes of a check.
    enum Outcome: Sendable, Equatable {
        case right
        case wrong
        /// Nothing was checked; the time after which to try again, in seconds.
        case tooMany(retryAfter: Int)
    }

    private struct Key: Hashable {
        let address: String
        /// The user; nil for all users of the address.
        let user: String?

        /// The number of wrong passwords of which the last one causes the first pause.
        var freeCount: Int { user == nil ? 100 : 10 }
    }

    private struct Entry {
        var wrongCount = 0
        /// The number of unfinished checks, each of which may find a wrong password.
        var openCount = 0
        var lastWrong: ContinuousClock.Instant
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var runningCount = 0
    }

    /// The largest number of simultaneous checks; further ones wait.
    static let runningLimit = 8
    /// The largest number of unfinished checks of one address and user without a wrong password so far.
    static let openLimit = 32
    /// The longest pause after a wrong password.
    static let longestPause = Duration.seconds(60)
    /// The time after the last wrong password after which the count begins anew.
    private static let memory = Duration.seconds(900)
    private static let entryLimit = 4_096

    private let state = WaitableState(State())
    private let time: any TimeSource

    init(time: any TimeSource) { self.time = time }

    /// Runs a check, unless a pause after wrong passwords is in force or too many checks are unfinished.
    ///
    /// - Parameters:
    ///   - user: the user whose password is checked.
    ///   - address: the peer's address, without port.
    ///   - check: returns whether the password is right.
    /// - Returns: the outcome.
    /// - Throws: the error of `check`, which counts neither as right nor as wrong.
    func run(user: String, from address: String, _ check: () async throws -> Bool) async throws -> Outcome {
        let keys = [Key(address: address, user: nil), Key(address: address, user: user)]
        if let pause = open(keys) { return .tooMany(retryAfter: pause) }
        await enter()
        let result: Result<Bool, any Error>
        do {
            result = .success(try await check())
        } catch {
            result = .failure(error)
        }
        leave()
        var isWrong = false
        if case .success(false) = result { isWrong = true }
        close(keys, isWrong: isWrong)
        return try result.get() ? .right : .wrong
    }

    // MARK: - Pauses

    /// Counts a check as begun and returns nil; or counts nothing and returns the number of seconds until one may
    /// begin.
    private func open(_ keys: [Key]) -> Int? {
        let now = time.now
        return state.withLock { state in
            for key in keys {
                if let entry = state.entries[key], let pause = Self.pause(of: entry, key.freeCount, at: now) {
                    return pause
                }
            }
            for key in keys { state.entries[key, default: Entry(lastWrong: now)].openCount += 1 }
            return nil
        }
    }

    private static func pause(of entry: Entry, _ freeCount: Int, at time: ContinuousClock.Instant) -> Int? {
        guard entry.wrongCount > 0 else { return entry.openCount < max(openLimit, freeCount) ? nil : 1 }
        guard entry.wrongCount + entry.openCount >= freeCount else { return nil }
        let doublings = min(max(entry.wrongCount - freeCount, 0), 6)
        let end = entry.lastWrong + min(.seconds(1 << doublings), longestPause)
        // One check at a time, because the passwords of all unfinished checks may turn out wrong.
        if entry.openCount == 0, end <= time { return nil }
        return max(1, Int((end - time).components.seconds) + 1)
    }

    private func close(_ keys: [Key], isWrong: Bool) {
        let now = time.now
        state.withLock { state in
            for key in keys {
                guard var entry = state.entries[key] else { continue }
                entry.openCount -= 1
                if now - entry.lastWrong > Self.memory { entry.wrongCount = 0 }
                if isWrong {
                    entry.wrongCount += 1
                    entry.lastWrong = now
                }
                state.entries[key] = entry.openCount == 0 && entry.wrongCount == 0 ? nil : entry
            }
            guard state.entries.count > Self.entryLimit else { return }
            // The oldest entries are removed first. Entries of whole addresses are few, and each wrong password of one
            // of the address's users makes them newer.
            let idle = state.entries.filter { $0.value.openCount == 0 }
                .sorted { $0.value.lastWrong < $1.value.lastWrong }
            for (key, _) in idle.prefix(Self.entryLimit / 2) { state.entries[key] = nil }
        }
    }

    // MARK: - Simultaneous checks

    private func enter() async {
        await state.waitThroughCancellation { state in
            guard state.runningCount < Self.runningLimit else { return false }
            state.runningCount += 1
            return true
        }
    }

    private func leave() { state.change { $0.runningCount -= 1 } }
}

/// Checks the password of an open connection again from time to time, and closes the connection once the password has
/// been changed or removed.
struct PasswordRecheck: Sendable {
    /// The time between two checks.
    let interval: Duration
    let time: any TimeSource
    /// Returns whether the password with which the connection was opened is still right. Throws if passwords can't be
    /// checked at the moment, for example because the store is locked; the connection then stays open.
    let isStillRight: @Sendable () async throws -> Bool

    /// Starts the periodic checks, which end when the channel is closed. If the password is no longer right, closes the
    /// connection.
    ///
    /// The close code 4001 makes a continuous replicator connect again; this attempt is refused with 401, which the
    /// replicator reports to the user.
    func run(on channel: any Channel, handler: NIOLoopBound<WebSocketHandler>) {
        let task = Task {
            while try await isRight() {}
            channel.eventLoop.execute {
                handler.value.close(code: 4_001, reason: "the password was changed or removed: log in again")
            }
        }
        channel.closeFuture.whenComplete { _ in task.cancel() }
    }

    private func isRight() async throws -> Bool {
        try await time.sleep(until: time.now + interval)
        do {
            return try await isStillRight()
        } catch {
            try Task.checkCancellation()
            return true
        }
    }
}
