import Observation
import SealiteDatabase
import Synchronization
import SealiteTestSupport
import Testing

@testable import SealiteQuery

@Suite("live queries: the observable object")
struct LiveResultsTests {
    struct Row: Decodable, Equatable, Sendable { let n: Int }

    let test: TestDatabase

    init() throws { test = try TestDatabase() }

    @Test("the observable object follows documents and errors on the main actor, and stops when it is let go of")
    @MainActor
    func follows() async throws {
        try test.save("a", #"{"n":1}"#)
        let query: Query = try test.database.createQuery("SELECT n FROM _ ORDER BY n" as String)
        var live: LiveResults<Row>? = LiveResults(query, as: Row.self)
        #expect(live?.isLoading == true)
        await eventually("the first rows") { live?.isLoading == false }
        #expect(live?.rows == [Row(n: 1)])
        let changes = Mutex(0)
        withObservationTracking {
            _ = live?.rows
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        try test.save("b", #"{"n":2}"#)
        await eventually("the next rows") { live?.rows.count == 2 }
        #expect(changes.withLock { $0 } == 1)
        try test.save("b", #"{"n":"text"}"#)
        await eventually("the error") { live?.error != nil }
        #expect(live?.rows == [Row(n: 1), Row(n: 2)])
        try test.save("b", #"{"n":3}"#)
        await eventually("the end of the error") { live?.error == nil }
        #expect(live?.rows == [Row(n: 1), Row(n: 3)])
        weak let released = live
        live = nil
        #expect(released == nil)
        await eventually("the end") { self.test.statistics.observers == 0 }
    }
}
