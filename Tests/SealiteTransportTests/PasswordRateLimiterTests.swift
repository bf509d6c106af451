import NIOCore
import SealiteBase
import SealiteEndpoints
import SealiteTestSupport
import SealiteTransportTestSupport
import Synchronization
import Testing

@testable import SealiteTransport

@Suite("the gate before passwords")
struct PasswordRateLimiterTests {
    /// Counts concurrent tasks.
    private final class Counter: Sendable {
        private let state = Mutex((now: 0, most: 0))
        var now: Int { state.withLock { $0.now } }
        var most: Int { state.withLock { $0.most } }

        func add(_ number: Int) {
            state.withLock { state in
                state.now += number
                state.most = max(state.most, state.now)
            }
        }
    }

    private let time = ManualTime()
    private let gate: PasswordRateLimiter

    init() { gate = PasswordRateLimiter(time: time) }

    private func attempt(
        _ user: String = "ana", from address: String = "10.0.0.1", isRight: Bool
    ) async -> PasswordRateLimiter.Outcome? {
        try? await gate.run(user: user, from: address) { isRight }
    }

    /// Until the way is closed.
    private func fail(_ user: String = "ana", from address: String = "10.0.0.1", times: Int) async {
        for _ in 0..<times { #expect(await attempt(user, from: address, isRight: false) == .wrong) }
    }

    @Test("ten wrong passwords cost nothing; each further one closes the way for twice as long, a minute at most")
    func pauses() async {
        await fail(times: 10)
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            #expect(await attempt(isRight: true) == .tooMany(retryAfter: pause + 1))
            time.advance(by: .seconds(pause) - .milliseconds(1))
            #expect(await attempt(isRight: true) == .tooMany(retryAfter: 1))
            time.advance(by: .milliseconds(1))
            #expect(await attempt(isRight: false) == .wrong)
        }
        // The right password comes in, and shortens nothing.
        time.advance(by: .seconds(60))
        #expect(await attempt(isRight: true) == .right)
        #expect(await attempt(isRight: false) == .wrong)
        #expect(await attempt(isRight: true) == .tooMany(retryAfter: 61))
        // After a quarter of an hour all is forgotten.
        time.advance(by: .seconds(901))
        #expect(await attempt(isRight: true) == .right)
        await fail(times: 10)
        // So it is if the next password is wrong too.
        time.advance(by: .seconds(901))
        await fail(times: 10)
        #expect(await attempt(isRight: true) == .tooMany(retryAfter: 2))
    }

    @Test("other users and other addresses go on, until an address has tried a hundred times")
    func apart() async {
        await fail(times: 10)
        #expect(await attempt("eve", isRight: true) == .right)
        #expect(await attempt(from: "10.0.0.2", isRight: true) == .right)
        await fail("nobody-1", times: 9)
        for number in 0..<81 { #expect(await attempt("nobody\(number)", isRight: false) == .wrong) }
        #expect(await attempt("eve", isRight: true) == .tooMany(retryAfter: 2))
        #expect(await attempt("eve", from: "10.0.0.2", isRight: true) == .right)
    }

    @Test("a check that can't be made counts for nothing")
    func unchecked() async {
        struct Locked: Error {}
        for _ in 0..<50 {
            await #expect(throws: Locked.self) {
                _ = try await gate.run(user: "ana", from: "10.0.0.1") { throw Locked() }
            }
        }
        #expect(await attempt(isRight: true) == .right)
    }

    @Test("eight checks run at once, whoever asks; the others wait for their turn, and all are answered")
    func simultaneous() async throws {
        let running = Counter()
        // The first ones end when as many run as may.
        let isFull = WaitableState(false)
        let outcomes = try await withThrowingTaskGroup(of: PasswordRateLimiter.Outcome.self) { group in
            for number in 0..<200 {
                group.addTask { [gate] in
                    try await gate.run(user: "u\(number)", from: "10.0.\(number).1") {
                        running.add(1)
                        if running.now == PasswordRateLimiter.runningLimit { isFull.change { $0 = true } }
                        await isFull.waitThroughCancellation { $0 }
                        running.add(-1)
                        return true
                    }
                }
            }
            return try await group.reduce(into: [PasswordRateLimiter.Outcome]()) { $0.append($1) }
        }
        #expect(outcomes.count == 200 && outcomes.allSatisfy { $0 == .right })
        #expect(running.most == PasswordRateLimiter.runningLimit)
    }

    @Test("guesses that are begun all at once are no way around")
    func parallelGuesses() async {
        await fail(times: 5)
        let begun = Counter()
        let refused = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { [gate] in
                    let outcome = try? await gate.run(user: "ana", from: "10.0.0.1") {
                        begun.add(1)
                        // None ends before all others were refused.
                        await eventually("the refusals") { refused.now >= 45 }
                        return false
                    }
                    if case .tooMany = outcome { refused.add(1) }
                }
            }
        }
        #expect(begun.now == 5)
    }

    @Test("a network is an IPv4 address, however it is written, or 64 bits of an IPv6 address")
    func networks() throws {
        for (address, network) in [
            ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
            ("::1", "0:0:0:0::/64"),
        ] { #expect(PeerAddress(try SocketAddress(ipAddress: address, port: 1))?.network == network) }
    }
}
