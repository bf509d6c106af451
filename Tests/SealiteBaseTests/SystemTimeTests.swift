import SealiteBase
import SealiteTestSupport
import Synchronization
import Testing

@Suite("the machine's time")
struct SystemTimeTests {
    @Test("timers fire once for each setting, sleeps end, and its clocks go on")
    func system() async throws {
        let time = SystemTime()
        let begin = (time.now, time.unixMilliseconds)
        let fired = Mutex(0)
        let timer = time.makeTimer("test") { fired.withLock { $0 += 1 } }
        timer.set(after: .zero)
        await eventually { fired.withLock { $0 } == 1 }
        timer.set(after: .seconds(3_600))
        timer.set(after: .milliseconds(1), leeway: .milliseconds(1))
        await eventually { fired.withLock { $0 } == 2 }
        timer.cancel()
        time.after(.milliseconds(1)) { fired.withLock { $0 += 10 } }
        await eventually { fired.withLock { $0 } == 12 }
        try await time.sleep(for: .milliseconds(2))
        #expect(time.now - begin.0 >= .milliseconds(2))
        #expect(time.unixMilliseconds >= begin.1 && begin.1 > 1_600_000_000_000)
    }
}
