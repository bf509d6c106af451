internal import Synchronization

/// Stands before a server's check of passwords: holds back who guesses, and bounds how many checks run at once, whatever one
/// costs. Thread-safe.
///
/// Wrong passwords are counted by address, and by address and user. Above a number that people reach by mistyping, each
/// further one closes the way for a time that doubles, and right passwords don't shorten it: else who has an account of his
/// own could go on guessing at others'. Meanwhile the answer is 429, and nothing is checked.
final class PasswordGate: Sendable {
    /// What became of a check.
    enum Outcome: Sendable, Equatable {
        case right
        case wrong
        /// Nothing was checked; when to come again, in seconds.
        case tooMany(retryAfter: Int)
    }

    private struct Key: Hashable {
        let address: String
        /// Nil for all users of the address.
        let user: String?

        /// How many wrong passwords cost nothing.
        var freeCount: Int { user == nil ? 100 : 10 }
    }

    private struct Entry {
        var wrongCount = 0
        /// Checks under way, each of which may turn out wrong.
        var openCount = 0
        var lastWrong: ContinuousClock.Instant
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var runningCount = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Most checks at once; further ones wait.
    static let runningLimit = 8
    /// Most checks under way for one address and user that has shown no wrong password yet.
    static let openLimit = 32
    /// The longest time that a wrong password closes the way for, and how long it is remembered.
    static let longestPause = Duration.seconds(60)
    private static let memory = Duration.seconds(900)
    private static let entryLimit = 4_096

    private let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Runs a check, if its time has come.
    ///
    /// - Parameters:
    ///   - user: whose password it is.
    ///   - address: the peer's address, without port.
    ///   - check: says whether the password is right.
    /// - Returns: what became of it.
    /// - Throws: what `check` throws: that counts for nothing.
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

    // MARK: - Who may ask

    /// Counts a check that begins; or says in how many seconds it may.
    private func open(_ keys: [Key]) -> Int? {
        let time = now()
        return state.withLock { state in
            for key in keys {
                if let entry = state.entries[key], let pause = Self.pause(of: entry, key.freeCount, at: time) {
                    return pause
                }
            }
            for key in keys { state.entries[key, default: Entry(lastWrong: time)].openCount += 1 }
            return nil
        }
    }

    private static func pause(of entry: Entry, _ freeCount: Int, at time: ContinuousClock.Instant) -> Int? {
        guard entry.wrongCount > 0 else { return entry.openCount < max(openLimit, freeCount) ? nil : 1 }
        guard entry.wrongCount + entry.openCount >= freeCount else { return nil }
        let doublings = min(max(entry.wrongCount - freeCount, 0), 6)
        let end = entry.lastWrong + min(.seconds(1 << doublings), longestPause)
        // One at a time: those under way may all be wrong.
        if entry.openCount == 0, end <= time { return nil }
        return max(1, Int((end - time).components.seconds) + 1)
    }

    private func close(_ keys: [Key], isWrong: Bool) {
        let time = now()
        state.withLock { state in
            for key in keys {
                guard var entry = state.entries[key] else { continue }
                entry.openCount -= 1
                if isWrong {
                    entry.wrongCount += 1
                    entry.lastWrong = time
                }
                let isOld = entry.wrongCount == 0 || time - entry.lastWrong > Self.memory
                state.entries[key] = entry.openCount == 0 && isOld ? nil : entry
            }
            guard state.entries.count > Self.entryLimit else { return }
            // The longest ago first. Those of whole addresses are few, and grow with each of their users.
            let idle = state.entries.filter { $0.value.openCount == 0 }
                .sorted { $0.value.lastWrong < $1.value.lastWrong }
            for (key, _) in idle.prefix(Self.entryLimit / 2) { state.entries[key] = nil }
        }
    }

    // MARK: - How many at once

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.runningCount >= Self.runningLimit else {
                    state.runningCount += 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.runningCount -= 1
            return nil
        }
        next?.resume()
    }
}
