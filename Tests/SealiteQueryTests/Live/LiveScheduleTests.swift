import SealiteDatabase
import Synchronization
import SealiteTestSupport
import Testing

@testable import SealiteQuery

@Suite("live queries: when they run")
struct LiveScheduleTests {
    let test: TestDatabase
    let time = ManualTime()

    init() throws {
        var configuration = DatabaseConfiguration()
        configuration.time = time
        test = try TestDatabase(configuration)
    }

    private func query() throws -> Query {
        try test.database.createQuery("SELECT COUNT(*) AS n FROM _ WHERE here" as String)
    }

    /// Lets the watch look at what was committed: its looks are 10 ms apart.
    private func look() async throws {
        let number = try test.collection.number
        try await eventually("the look") {
            if try self.test.collection.changePosition() == self.test.hub.positions[number] { return true }
            self.time.advance(by: .milliseconds(1))
            return false
        }
    }

    @Test("a change after a quiet time runs at once, those that follow are one run after the throttle")
    func throttle() async throws {
        let query = try query()
        #expect(query.throttle == .milliseconds(100))
        // Longer than the looks take, which move the time until they are done, on any machine.
        query.throttle = .seconds(600)
        let recorder = LiveRecorder(query)
        await recorder.wait(for: 1)
        try await look()
        time.advance(by: .seconds(6000))
        try test.save("a", #"{"here":true}"#)
        try await look()
        await recorder.wait(for: 2)
        let executions = test.statistics.executions
        for id in ["b", "c", "d"] {
            try test.save(id, #"{"here":true}"#)
            try await look()
        }
        // Some milliseconds after the last run.
        #expect(test.statistics.executions == executions)
        #expect(recorder.all.count == 2)
        time.advance(by: .seconds(600))
        await recorder.wait(for: 3)
        #expect(recorder.all == [#"{"n":0}"#, #"{"n":1}"#, #"{"n":4}"#])
        #expect(test.statistics.executions == executions + 1)
    }

    @Test("the throttle is the query's own")
    func ownThrottle() async throws {
        let query = try query()
        query.throttle = .seconds(5)
        #expect(query.throttle == .seconds(5))
        let recorder = LiveRecorder(query)
        await recorder.wait(for: 1)
        try await look()
        try test.save("a", #"{"here":true}"#)
        try await look()
        time.advance(by: .milliseconds(4000))
        await test.settleLooks()
        #expect(recorder.all.count == 1)
        time.advance(by: .milliseconds(1000))
        await recorder.wait(for: 2)
        query.throttle = .seconds(-1)
        #expect(query.throttle == .zero)
        query.throttle = .seconds(Int64.max)
        #expect(query.throttle == .seconds(86_400))
    }

    @Test("an observer that is busy costs no runs, and gets the newest state when it asks again")
    func busyObserver() async throws {
        var iterator = try query().results.makeAsyncIterator()
        _ = try await iterator.next()
        try await look()
        for id in ["a", "b", "c"] {
            time.advance(by: .milliseconds(1000))
            try test.save(id, #"{"here":true}"#)
            try await look()
        }
        #expect(test.statistics.executions == 1)
        #expect(try await iterator.next()?.allResults().first?.int(at: 0) == 3)
        #expect(test.statistics.executions == 2)
    }

    @Test("the same query of many observers is run once for all of them, and each has every result")
    func sharing() async throws {
        // No two are the same object, and one is laid out otherwise.
        let texts = ["SELECT COUNT(*) AS n FROM _ WHERE here", "select COUNT( * ) AS n\nFROM _ WHERE (here)"]
        let recorders = try (0..<1000).map {
            LiveRecorder(try test.database.createQuery(texts[$0 % 2] as String))
        }
        for recorder in recorders { await recorder.wait(for: 1) }
        #expect(test.statistics.observers == 1000)
        #expect(test.statistics.sharedQueries == 1)
        try await look()
        time.advance(by: .milliseconds(1000))
        let before = test.statistics.executions
        try test.save("a", #"{"here":true}"#)
        try await look()
        for recorder in recorders { await recorder.wait(for: 2) }
        #expect(test.statistics.executions == before + 1)
        #expect(recorders.allSatisfy { $0.all == [#"{"n":0}"#, #"{"n":1}"#] })
    }

    @Test("other parameters, limits or throttles make other queries")
    func notShared() async throws {
        let make = { (change: (Query) -> Void) in
            let query: Query = try self.test.database.createQuery("SELECT n FROM _ WHERE n = $n" as String)
            query.parameters = Parameters().setInt(1, forName: "n")
            change(query)
            return LiveRecorder(query)
        }
        let recorders = [
            try make { _ in }, try make { $0.parameters = Parameters().setInt(2, forName: "n") },
            try make { $0.rowLimit = 1 }, try make { $0.timeLimit = .seconds(60) },
            try make { $0.throttle = .seconds(1) }, try make { _ in },
        ]
        for recorder in recorders { await recorder.wait(for: 1) }
        #expect(test.statistics.sharedQueries == 5)
    }

    @Test("a file that is locked is tried again a second later")
    func busy() throws {
        var state = LiveState()
        var actions: [LiveState.Action] = []
        let (source, key) = try query().liveKey()
        let number = state.join(source, key, &actions)
        let run = try #require(state.observers[number]?.run)
        var outcome = LiveOutcome()
        outcome.result = .failure(DatabaseError(.busy, "locked"))
        // Nobody waits: nothing begins before somebody does.
        #expect(state.timePassed(run, isRetry: false, now: time.now).isEmpty)
        state.runs[ObjectIdentifier(run)]?.waitingCount = 1
        #expect(state.timePassed(run, isRetry: false, now: time.now).count == 1)
        state.runs[ObjectIdentifier(run)]?.waitingCount = 0
        let next = state.finish(run, ordinal: 1, outcome, now: time.now)
        guard case .wait(_, LiveState.retryTime, isRetry: true)? = next.first else {
            Issue.record("no retry: \(next)")
            return
        }
        #expect(state.runs[ObjectIdentifier(run)]?.isDirty == false)
        time.advance(by: LiveState.retryTime)
        _ = state.timePassed(run, isRetry: true, now: time.now)
        #expect(state.runs[ObjectIdentifier(run)]?.isDirty == true)
        state.schemaWatch?.end()
    }
}

extension TestDatabase {
    /// Gives what is under way the turns to go wrong.
    fileprivate func settleLooks() async { for _ in 0..<100 { await Task.yield() } }
}
