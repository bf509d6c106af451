import Foundation
import SealiteDatabase
import Synchronization
import SealiteTestSupport
import Testing

@testable import SealiteQuery

/// Checks that changes committed between the state that a run reads and the time its documents are known are examined
/// again.
@Suite("live queries: changes during a run")
struct LiveCatchUpTests {
    let test: TestDatabase

    init() throws { test = try TestDatabase() }

    /// Makes the next run stop between its reading and its end, for what `body` does there.
    private func duringNextRun(_ body: @escaping @Sendable () throws -> Void) {
        let isDone = Mutex(false)
        test.hub.hooks.withLock { hooks in
            hooks.didRead = {
                let isFirst = isDone.withLock { isDone in
                    defer { isDone = true }
                    return !isDone
                }
                if isFirst { try? body() }
            }
        }
    }

    /// Waits until the collection was looked at, on a thread that may be blocked.
    private static func look(_ hub: LiveQueryCoordinator, _ collection: Collection) throws {
        let position = try collection.changePosition()
        eventuallyBlocking("the look") { hub.positions[collection.number] == position }
    }

    @Test(
        "a document that came into the result in the run's state and left it during the run is delivered",
        arguments: [
            "SELECT n FROM _ WHERE here", "SELECT DISTINCT n FROM _ WHERE here",
            "SELECT n FROM _ WHERE here ORDER BY n LIMIT 5",
        ])
    func comesAndGoes(text: String) async throws {
        let recorder = LiveRecorder(try test.database.createQuery(text as String))
        await recorder.wait(for: 1)
        await test.settle()
        let (hub, test) = (test.hub, test)
        let collection = try test.collection
        duringNextRun {
            // The run has seen the document in its result, and nobody knows of it yet.
            try test.save("a", #"{"here":false,"n":1}"#)
            try Self.look(hub, collection)
        }
        try test.save("a", #"{"here":true,"n":1}"#)
        await recorder.wait(for: 3)
        #expect(recorder.all == ["", #"{"n":1}"#, ""])
    }

    @Test("a document of the run's state that is purged during the run is delivered")
    func purge() async throws {
        let recorder = LiveRecorder(try test.database.createQuery("SELECT n FROM _ WHERE here" as String))
        await recorder.wait(for: 1)
        await test.settle()
        let (hub, test) = (test.hub, test)
        let collection = try test.collection
        duringNextRun {
            try test.purge("a")
            try Self.look(hub, collection)
        }
        try test.save("a", #"{"here":true,"n":1}"#)
        await recorder.wait(for: 3)
        #expect(recorder.all == ["", #"{"n":1}"#, ""])
    }

    @Test("what is committed during the first run, before its collection is followed, is delivered")
    func firstRun() async throws {
        let test = test
        duringNextRun { try test.save("a", #"{"here":true,"n":1}"#) }
        let recorder = LiveRecorder(try test.database.createQuery("SELECT n FROM _ WHERE here" as String))
        await recorder.wait(for: 2)
        #expect(recorder.all == ["", #"{"n":1}"#])
    }

    @Test("an observer that comes during a run gets what was committed before it came")
    func lateObserver() async throws {
        let test = test
        let late = Mutex<LiveRecorder?>(nil)
        duringNextRun {
            try test.save("a", #"{"here":true,"n":1}"#)
            let query: Query = try test.database.createQuery("SELECT n FROM _ WHERE here" as String)
            late.withLock { $0 = LiveRecorder(query) }
            eventuallyBlocking("the late observer") { test.statistics.observers >= 2 }
        }
        let recorder = LiveRecorder(try test.database.createQuery("SELECT n FROM _ WHERE here" as String))
        await recorder.wait(for: 2)
        let other = try #require(late.withLock { $0 })
        await other.wait(for: 1)
        #expect(recorder.all == ["", #"{"n":1}"#])
        #expect(other.all == [#"{"n":1}"#])
    }

    @Test("a look that a run ends under leaves the run's own state as it is")
    func lookDuringRun() async throws {
        // The same as the first, with another query whose documents don't change and which isn't run.
        let other = LiveRecorder(try test.database.createQuery("SELECT n FROM _ WHERE n = 99" as String))
        let recorder = LiveRecorder(try test.database.createQuery("SELECT n FROM _ WHERE here" as String))
        await recorder.wait(for: 1)
        await other.wait(for: 1)
        await test.settle()
        let before = test.statistics.executions
        let (hub, test) = (test.hub, test)
        let collection = try test.collection
        duringNextRun {
            for n in 2...4 {
                try test.save("a", #"{"here":\#(n % 2 == 0),"n":\#(n)}"#)
                try Self.look(hub, collection)
            }
        }
        try test.save("a", #"{"here":true,"n":1}"#)
        await recorder.wait(for: 3)
        #expect(recorder.all == ["", #"{"n":1}"#, #"{"n":4}"#])
        await test.settle()
        #expect(test.statistics.executions == before + 2)
        #expect(other.all == [""])
    }
}
