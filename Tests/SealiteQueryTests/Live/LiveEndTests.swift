import SealiteDatabase
import Synchronization
import SealiteTestSupport
import Testing

@testable import SealiteQuery

@Suite("live queries: how they end")
struct LiveEndTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.save("a", #"{"n":1}"#)
    }

    private func query(_ text: String = "SELECT n FROM _ WHERE n > 0") throws -> Query {
        try test.database.createQuery(text as String)
    }

    /// Waits until nothing is left of any observation.
    private func expectNothing(_ place: SourceLocation = #_sourceLocation) async {
        await eventually("everything to go", place) {
            self.test.statistics.observers == 0 && self.test.statistics.sharedQueries == 0
                && self.test.hub.positions.isEmpty
        }
    }

    @Test("cancelling the task ends the sequence and leaves nothing")
    func cancellation() async throws {
        let query = try query()
        let isFirst = Mutex(false)
        let task = Task {
            for try await _ in query.results { isFirst.withLock { $0 = true } }
            return "ended"
        }
        await eventually("the first result") { isFirst.withLock { $0 } }
        task.cancel()
        #expect(try await task.value == "ended")
        await expectNothing()
    }

    @Test("a task that was cancelled before gets nothing")
    func cancelledBefore() async throws {
        let query = try query()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            var iterator = query.updates.makeAsyncIterator()
            return await iterator.next() == nil
        }
        task.cancel()
        #expect(await task.value)
        await expectNothing()
    }

    @Test("letting go of an iterator leaves neither the query's run nor the watch of its collection")
    func release() async throws {
        weak var run: LiveRun?
        weak var observed: Query?
        do {
            let query = try query()
            observed = query
            var iterator = query.updates.makeAsyncIterator()
            _ = await iterator.next()
            let (_, key) = try query.liveKey()
            run = test.hub.run(key)
            #expect(run != nil)
            #expect(test.hub.positions.count == 1)
        }
        await expectNothing()
        await eventually("the objects to go") { run == nil && observed == nil }
    }

    @Test("closing the database ends all sequences normally, and one that is closed is an error")
    func closing() async throws {
        let query = try query()
        let recorder = LiveRecorder(query)
        await recorder.wait(for: 1)
        var iterator = query.results.makeAsyncIterator()
        _ = try await iterator.next()
        try test.closeNow()
        await eventually("the end") { recorder.last == "end" }
        #expect(recorder.all.count == 2)
        #expect(try await iterator.next() == nil)
        await expectNothing()
        var late = query.results.makeAsyncIterator()
        await #expect(throws: DatabaseError.self) { try await late.next() }
        let told = LiveRecorder(query)
        await told.wait(for: 2)
        #expect(told.all == ["error notOpen", "end"])
    }

    @Test("a database that is let go of while nobody observes goes, with its hub")
    func databaseGoes() async throws {
        weak var hub: LiveQueryCoordinator?
        do {
            let inner = try TestDatabase()
            try inner.save("a", #"{"n":1}"#)
            var iterator = (try inner.database.createQuery("SELECT n FROM _" as String) as Query).results
                .makeAsyncIterator()
            _ = try await iterator.next()
            hub = inner.hub
        }
        await eventually("the hub to go") { hub == nil }
    }

    @Test("an observer that never reads costs one result and keeps nobody waiting")
    func neverReads() async throws {
        let query = try query()
        var lazy = query.results.makeAsyncIterator()
        _ = try await lazy.next()
        let recorder = LiveRecorder(query)
        await recorder.wait(for: 1)
        for number in 2...4 {
            try test.save("b\(number)", #"{"n":\#(number)}"#)
            await recorder.wait(for: number)
        }
        #expect(test.statistics.sharedQueries == 1)
        #expect(try await lazy.next()?.allResults().count == 4)
    }

    @Test("a run whose last observer goes is interrupted")
    func interruption() async throws {
        try test.saveNumbered(3000)
        let query = try query("SELECT COUNT(*) FROM _ AS a JOIN _ AS b ON a.n < b.n JOIN _ AS c ON b.n < c.n")
        let recorder = LiveRecorder(query)
        await eventually("the run") { self.test.statistics.executions == 1 }
        recorder.cancel()
        await expectNothing()
        #expect(recorder.all == [] || recorder.all == ["end"])
        // Closing would wait for a run that is under way.
        try test.closeNow()
    }

    @Test("a time limit is an error, and holds for each run")
    func timeLimit() async throws {
        try test.saveNumbered(3000)
        let query = try query("SELECT COUNT(*) FROM _ AS a JOIN _ AS b ON a.n < b.n JOIN _ AS c ON b.n < c.n")
        query.timeLimit = .milliseconds(20)
        let recorder = LiveRecorder(query)
        await recorder.wait(for: 1)
        #expect(recorder.all == ["error cancelled"])
    }

    @Test("statements that change documents can't be observed")
    func changes() async throws {
        let recorder = LiveRecorder(try query("DELETE FROM _"))
        await recorder.wait(for: 1)
        #expect(recorder.all == ["error invalidQuery"])
        #expect(try test.collection.count == 1)
    }
}
