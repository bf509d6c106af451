import SealiteBase
import SealiteTestSupport
import Synchronization
import Testing

@Suite("a time that tests move")
struct ManualTimeTests {
    @Test("a time that a test moves makes due what waits for it, and nothing else")
    func manual() async throws {
        let time = ManualTime(unixSeconds: 1_000)
        let fired = Mutex<[String]>([])
        time.after(.seconds(2)) { fired.withLock { $0.append("two") } }
        time.after(.seconds(1)) { fired.withLock { $0.append("one") } }
        time.advance(by: .milliseconds(999))
        #expect(fired.withLock { $0 } == [])
        time.advance(by: .seconds(5))
        #expect(fired.withLock { $0 } == ["one", "two"])
        #expect(time.unixSeconds == 1_005)
        let sleeper = Task { try await time.sleep(for: .seconds(10)) }
        let cancelled = Task { try await time.sleep(for: .seconds(100)) }
        await eventually { time.waiterCount == 2 }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        time.advance(by: .seconds(10))
        try await sleeper.value
        #expect(time.waiterCount == 0)
    }

    @Test("a timer that was set anew or cancelled doesn't fire as it would have")
    func timers() async throws {
        let time = ManualTime()
        let fired = Mutex(0)
        let timer = time.makeTimer("test") { fired.withLock { $0 += 1 } }
        timer.set(after: .seconds(1))
        timer.set(after: .seconds(10))
        #expect(time.waiterCount == 1)
        time.advance(by: .seconds(5))
        #expect(fired.withLock { $0 } == 0)
        time.advance(by: .seconds(5))
        await eventually { fired.withLock { $0 } == 1 }
        timer.set(after: .seconds(1))
        timer.cancel()
        timer.set(after: .seconds(1))
        time.advance(by: .seconds(5))
        #expect(time.waiterCount == 0)
    }
}
