import Synchronization
package import Testing

/// A few socket tests at a time, of all suites that have this trait: a hundred TLS handshakes at once on two busy cores end
/// none of them in time.
package struct SocketTurn: SuiteTrait, TestTrait, TestScoping {
    /// Each case takes its turn, not each suite.
    package let isRecursive = true

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> SocketTurn? { testCase == nil ? nil : self }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await SocketTurns.shared.take()
        defer { SocketTurns.shared.give() }
        try await function()
    }
}

extension Trait where Self == SocketTurn {
    /// Waits for a turn to use sockets.
    package static var takesSocketTurn: Self { SocketTurn() }
}

/// The turns there are.
private final class SocketTurns: Sendable {
    static let shared = SocketTurns()

    private struct State {
        var free = 4
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())

    func take() async {
        await withCheckedContinuation { continuation in
            let mayGo = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if mayGo { continuation.resume() }
        }
    }

    func give() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
