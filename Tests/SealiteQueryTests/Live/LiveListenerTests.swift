import Dispatch
import SealiteDatabase
import Synchronization
import SealiteTestSupport
import Testing

@testable import SealiteQuery

@Suite("live queries: listeners and parameters")
struct LiveListenerTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        for (id, state) in [("a", "CA"), ("b", "CA"), ("c", "NY")] { try test.save(id, #"{"state":"\#(state)"}"#) }
    }

    private func query() throws -> Query {
        let query = try test.database.createQuery(
            "SELECT META().id FROM _ WHERE state = $state ORDER BY META().id" as String)
        query.parameters = Parameters().setString("CA", forName: "state")
        return query
    }

    @Test("each listener has a first result of its own, and reads it by itself")
    func firstResults() async throws {
        let query = try query()
        let calls = Mutex<[String]>([])
        let first = query.addChangeListener { change in
            let text = LiveRecorder.text(change)
            calls.withLock { $0.append(text) }
        }
        await eventually("the first call") { calls.withLock { $0.count == 1 } }
        let second = query.addChangeListener(withQueue: DispatchQueue(label: "test")) { change in
            let text = LiveRecorder.text(change)
            calls.withLock { $0.append(text) }
        }
        await eventually("the second call") { calls.withLock { $0.count == 2 } }
        try test.save("d", #"{"state":"CA"}"#)
        await eventually("two more calls") { calls.withLock { $0.count == 4 } }
        let (one, two) = (#"{"id":"a"} {"id":"b"}"#, #"{"id":"a"} {"id":"b"} {"id":"d"}"#)
        #expect(calls.withLock { $0 } == [one, one, two, two])
        query.removeChangeListener(withToken: first)
        second.remove()
        await eventually("the end") { self.test.statistics.observers == 0 }
    }

    @Test("a token that is removed inside of the call ends the calls, and with it the observer goes")
    func releaseInside() async throws {
        let query = try query()
        let tokens = Mutex<[ListenerToken]>([])
        let count = Mutex(0)
        let token = query.addChangeListener { _ in
            count.withLock { $0 += 1 }
            let released = tokens.withLock { tokens in
                defer { tokens = [] }
                return tokens
            }
            for token in released { token.remove() }
        }
        tokens.withLock { $0.append(token) }
        await eventually("the call") { count.withLock { $0 > 0 } }
        try test.save("d", #"{"state":"CA"}"#)
        await eventually("the end") {
            self.test.statistics.observers == 0 && self.test.statistics.sharedQueries == 0
        }
    }

    @Test("other parameters deliver at once, equal results too, to all observers of the query")
    func parameters() async throws {
        let query = try query()
        let recorders = (LiveRecorder(query), LiveRecorder(query))
        await recorders.0.wait(for: 1)
        await recorders.1.wait(for: 1)
        query.parameters = Parameters().setString("NY", forName: "state")
        await recorders.0.wait(for: 2)
        await recorders.1.wait(for: 2)
        query.parameters = Parameters().setString("NY", forName: "state")
        await recorders.0.wait(for: 3)
        await recorders.1.wait(for: 3)
        try test.save("d", #"{"state":"NY"}"#)
        await recorders.0.wait(for: 4)
        await recorders.1.wait(for: 4)
        let expected = [#"{"id":"a"} {"id":"b"}"#, #"{"id":"c"}"#, #"{"id":"c"}"#, #"{"id":"c"} {"id":"d"}"#]
        #expect(recorders.0.all == expected)
        #expect(recorders.1.all == expected)
        #expect(test.statistics.sharedQueries == 1)
    }

    @Test("an unknown parameter is an error, after which the right ones deliver")
    func unknownParameter() async throws {
        let query = try query()
        let recorder = LiveRecorder(query)
        await recorder.wait(for: 1)
        query.parameters = Parameters().setString("NY", forName: "stat")
        await recorder.wait(for: 2)
        query.parameters = Parameters().setString("NY", forName: "state")
        await recorder.wait(for: 3)
        #expect(recorder.all == [#"{"id":"a"} {"id":"b"}"#, "error invalidParameter", #"{"id":"c"}"#])
    }
}
