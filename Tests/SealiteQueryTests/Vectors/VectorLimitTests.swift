import Dispatch
import SealiteBase
import SealiteDatabase
import SealiteTestSupport
import Testing

@testable import SealiteQuery

/// A time that passes when somebody looks at it.
private final class PassingTime: TimeSource {
    let manual = ManualTime()

    var now: ContinuousClock.Instant {
        manual.advance(by: .milliseconds(1))
        return manual.now
    }

    var unixMilliseconds: Int64 { manual.unixMilliseconds }

    func sleep(until moment: ContinuousClock.Instant) async throws { try await manual.sleep(until: moment) }

    func after(_ duration: Duration, _ body: @escaping @Sendable () -> Void) { manual.after(duration, body) }

    func makeTimer(_ label: String, _ fire: @escaping @Sendable () -> Void) -> any RestartableTimer {
        manual.makeTimer(label, fire)
    }
}

@Suite("the work of searches on vector indexes")
struct VectorLimitTests {
    private let stage: VectorStage
    private let time = PassingTime()

    init() throws {
        var configuration = DatabaseConfiguration()
        configuration.time = time
        stage = try VectorStage(configuration)
        try stage.index()
        try stage.fill(300)
    }

    private func query(_ vector: [Double]) throws -> Query {
        let text: String = "SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, $vector) LIMIT 5"
        let query = try stage.test.database.createQuery(text)
        query.parameters = Parameters().setValue(
            .array(ArrayObject(vector.map { .number(Number($0)) })), forName: "vector")
        return query
    }

    @Test("a training takes at most half of a query's time limit, and isn't tried again for a minute")
    func training() throws {
        let vector = stage.vector()
        let query = try query(vector)
        let exact = stage.nearest(5, to: vector, .euclideanSquared).map(\.id)
        // The training looks at the time after each part of its work.
        query.timeLimit = .milliseconds(12)
        #expect(try query.execute().map { $0.string(forKey: "id") } == exact)
        #expect(try stage.state().generations == 0)
        query.timeLimit = nil
        #expect(try query.execute().map { $0.string(forKey: "id") } == exact)
        #expect(try stage.state().generations == 0)
        time.manual.advance(by: .seconds(61))
        _ = try query.execute()
        #expect(try stage.state() == (1, 300, 0))
    }

    @Test("documents that a search entered in its time are kept, and the next search goes on")
    func filling() throws {
        try stage.collection.completeVectorIndex("near")
        try stage.fill(700, "more")
        let index = try stage.collection.indexRecords()[0].number
        var entries: [Int64] = []
        for _ in 0..<4 {
            try stage.test.database.prepareSearch(ofIndex: index, until: time.now)
            entries.append(try stage.state().entries)
        }
        #expect(entries == [500, 700, 900, 1000])
    }

    @Test("a training that is stopped, as by the cancellation of a search, leaves nothing")
    func cancellation() throws {
        struct Stop: Error {}
        let index = try stage.collection.indexRecords()[0].number
        #expect(throws: Stop.self) { try stage.test.database.prepareSearch(ofIndex: index) { throw Stop() } }
        #expect(try stage.state().generations == 0)
        let running = Running()
        try running.requireNotCancelled()
        running.cancel()
        #expect(throws: DatabaseError(.cancelled, "")) { try running.requireNotCancelled() }
    }

    @Test("the runs of a live query train the index and enter documents")
    func live() async throws {
        let query = try query(stage.vector())
        let recorder = LiveRecorder(query)
        await recorder.wait(for: 1)
        #expect(try stage.state() == (1, 300, 0))
        try stage.fill(200, "more")
        try await eventually("the documents in lists") {
            time.manual.advance(by: .seconds(1))
            return try stage.state().entries == 500
        }
        recorder.cancel()
    }
}
