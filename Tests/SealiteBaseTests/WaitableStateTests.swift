import SealiteBase
import SealiteTestSupport
import Testing

@Suite("one condition")
struct WaitableStateTests {
    private let condition = WaitableState(0)

    /// Begins to wait for a number, and returns when the task waits.
    private func waiting(for number: Int) async -> Task<Int?, Never> {
        let before = condition.waiterCount
        let task = Task { [condition] in await condition.wait { $0 >= number ? $0 : nil } }
        await eventually("a waiter") { condition.waiterCount > before }
        return task
    }

    @Test("a state that is as needed is taken without waiting")
    func atOnce() async {
        let taken = await condition.wait { state -> String? in
            state += 1
            return "taken"
        }
        #expect(taken == "taken")
        #expect(condition.withLock { $0 } == 1)
    }

    @Test("a change wakes those for whom it is enough, and no others")
    func enough() async {
        let (one, two) = (await waiting(for: 1), await waiting(for: 2))
        #expect(
            condition.change { state in
                state = 1; return state
            } == 1)
        #expect(await one.value == 1)
        #expect(condition.waiterCount == 1)
        condition.change { $0 = 5 }
        #expect(await two.value == 5)
        #expect(condition.waiterCount == 0)
    }

    @Test("a thousand tasks that wait are all served, in the order in which they came")
    func order() async {
        let tokens = WaitableState(0)
        let served = WaitableState<[Int]>([])
        var tasks: [Task<Void, Never>] = []
        for number in 0..<1000 {
            let task = Task {
                _ = await tokens.wait { state -> Bool? in
                    guard state > 0 else { return nil }
                    state -= 1
                    // Under the lock, so that the order is that of taking.
                    served.withLock { $0.append(number) }
                    return true
                }
            }
            tasks.append(task)
            while tokens.waiterCount <= number { await Task.yield() }
        }
        tokens.change { $0 = 10 }
        #expect(served.withLock { $0 } == Array(0..<10))
        tokens.change { $0 = 990 }
        for task in tasks { await task.value }
        #expect(served.withLock { $0 } == Array(0..<1000))
        #expect(tokens.withLock { $0 } == 0)
    }

    @Test("what one task takes lets another one go on")
    func chain() async {
        let second = Task { [condition] in await condition.wait { $0 == 2 ? true : nil } }
        await eventually { condition.waiterCount == 1 }
        let first = await condition.wait { state -> Bool? in
            state = 2
            return true
        }
        #expect(first == true)
        #expect(await second.value == true)
    }

    @Test("cancelling ends a wait, before it began and later, and takes nothing")
    func cancelling() async {
        let task = await waiting(for: 1)
        task.cancel()
        #expect(await task.value == nil)
        #expect(condition.waiterCount == 0)
        let late = Task { [condition] in
            await eventually { Task.isCancelled }
            return await condition.wait { $0 >= 1 ? $0 : nil }
        }
        late.cancel()
        #expect(await late.value == nil)
        #expect(condition.waiterCount == 0)
        condition.change { $0 = 1 }
        #expect(condition.withLock { $0 } == 1)
    }

    @Test("a wait for what comes in any case isn't ended by cancelling")
    func throughCancellation() async {
        let isOver = WaitableState(false)
        let task = Task { [condition] in
            await condition.waitThroughCancellation { $0 >= 1 }
            isOver.withLock { $0 = true }
        }
        await eventually { condition.waiterCount == 1 }
        task.cancel()
        condition.change { $0 = 0 }
        #expect(condition.waiterCount == 1)
        #expect(!isOver.withLock { $0 })
        condition.change { $0 = 1 }
        await task.value
        #expect(isOver.withLock { $0 })
    }

    @Test("changes, waits and cancellations of many tasks at once lose nothing")
    func storm() async {
        let tokens = WaitableState(0)
        let taken = WaitableState(0)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    let task = Task {
                        await tokens.wait { state -> Bool? in
                            guard state > 0 else { return nil }
                            state -= 1
                            return true
                        }
                    }
                    if number % 2 == 0 { task.cancel() }
                    if await task.value == true { taken.withLock { $0 += 1 } }
                }
                group.addTask { tokens.change { $0 += 1 } }
            }
        }
        #expect(tokens.waiterCount == 0)
        #expect(tokens.withLock { $0 } + taken.withLock { $0 } == 400)
        #expect(taken.withLock { $0 } >= 200)
    }
}
