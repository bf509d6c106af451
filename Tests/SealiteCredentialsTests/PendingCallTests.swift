import SealiteTestSupport
import Synchronization
import Testing

@testable import SealiteCredentials

@Suite("the limit of a call to the Secret Service")
struct PendingCallTests {
    /// A call without a provider, and its caller, who waits.
    private final class Waiting: Sendable {
        let time = ManualTime()
        let abandoned = Mutex(0)

        func call(_ steps: (PendingCall<Int>) -> Void) async -> CredentialError.Code? {
            let call = PendingCall<Int>(.silent, time: time) { self.abandoned.withLock { $0 += 1 } }
            let caller = Task {
                let outcome = await withCheckedContinuation { call.start($0) }
                guard case .failure(let error) = outcome else { return CredentialError.Code?.none }
                return error.code
            }
            await eventually("the limit began") { self.time.waiterCount == 1 }
            steps(call)
            return await caller.value
        }
    }

    private let waiting = Waiting()
    private let limit = CredentialAccess.silent.timeLimit

    @Test("a call that hasn't begun ends when its limit has passed, not before, and can't begin afterwards")
    func waitingCall() async {
        let code = await waiting.call { call in
            waiting.time.advance(by: limit - .milliseconds(1))
            #expect(waiting.time.waiterCount == 1)
            waiting.time.advance(by: .milliseconds(1))
            #expect(!call.begin())
        }
        #expect(code == .timedOut)
        #expect(waiting.abandoned.withLock { $0 } == 0)
    }

    @Test("a call that has begun gets a moment to return, and is abandoned when that has passed")
    func runningCall() async {
        let code = await waiting.call { call in
            #expect(call.begin())
            waiting.time.advance(by: limit)
            waiting.time.advance(by: .milliseconds(499))
            #expect(waiting.abandoned.withLock { $0 } == 0)
            waiting.time.advance(by: .milliseconds(1))
        }
        #expect(code == .timedOut)
        #expect(waiting.abandoned.withLock { $0 } == 1)
    }

    @Test("a call that returns within that moment keeps its result, and isn't abandoned")
    func lateResult() async {
        let code = await waiting.call { call in
            #expect(call.begin())
            waiting.time.advance(by: limit)
            call.end(.success(1))
            waiting.time.advance(by: .seconds(10))
        }
        #expect(code == nil)
        #expect(waiting.abandoned.withLock { $0 } == 0)
    }
}
