import Foundation
import SealiteDatabase
import SealiteTestSupport
import Synchronization
import Testing

@testable import SealiteQuery

/// Two processes that commit as fast as they can.
@Suite("live queries: a storm of commits")
struct LiveStormTests {
    struct Row: Decodable, Equatable, Sendable {
        let id: String
        let n: Int
    }

    private static let isSoak = ProcessInfo.processInfo.environment["SEALITE_SOAK"] != nil
    private static let texts = [
        "SELECT META().id AS id, n FROM _ WHERE n < 50 ORDER BY n, META().id",
        "SELECT COUNT(*) AS n FROM _", "SELECT who, SUM(n) AS k FROM _ WHERE n > 20 GROUP BY who",
        "SELECT META().id AS id FROM _ ORDER BY n DESC, META().id LIMIT 7", "SELECT n FROM _ WHERE n > 1000",
        "SELECT COUNT(*) AS n FROM _ AS a JOIN _ AS b ON a.n = b.n WHERE a.n < 5",
    ]

    @Test("what was delivered last is what a fresh run gives, deltas lead to it, and nothing is left behind")
    func storm() async throws {
        let file = try TestFile()
        var configuration = DatabaseConfiguration()
        configuration.pollingInterval = .milliseconds(50)
        let test = TestDatabase(file, try TestFile.open(file.path, configuration))
        let recorders = try Self.texts.map { LastResult(try test.database.createQuery($0 as String)) }
        let deltas: Query = try test.database.createQuery(Self.texts[0] as String)
        let rows = Mutex<[Row]>([])
        let following = Task {
            for try await delta in deltas.changes(keyedBy: "id", as: Row.self) {
                try rows.withLock { try delta.apply(to: &$0) }
            }
        }
        let memory = try Self.storm(test, file.path)
        for (text, recorder) in zip(Self.texts, recorders) {
            let fresh = { LiveRecorder.text(try (try test.database.createQuery(text as String) as Query).execute()) }
            try await eventually("the last state of \(text)") { try recorder.last == fresh() }
        }
        try await eventually("the last state by deltas") {
            let query: Query = try test.database.createQuery(Self.texts[0] as String)
            return try rows.withLock { $0 } == query.execute().data(as: Row.self)
        }
        if Self.isSoak { #expect(memory.last - memory.first < 48 << 20, "\(memory)") }
        following.cancel()
        let counts = recorders.map { recorder in
            recorder.cancel()
            return recorder.count
        }
        await eventually("the end") {
            test.statistics.observers == 0 && test.statistics.sharedQueries == 0 && test.hub.positions.isEmpty
        }
        try test.save("late", #"{"n":1}"#)
        #expect(recorders.map(\.count) == counts)
        _ = try await following.value
    }

    /// Commits from here and from another process until both are done.
    ///
    /// - Returns: the memory of this process a while after the beginning, and at the end.
    private static func storm(_ test: TestDatabase, _ path: String) throws -> (first: Int, last: Int) {
        let child = try ChildProcess(ChildProcess.buildFolder + "/SealiteTestChild")
        let start = ContinuousClock().now
        let time = Duration.seconds(isSoak ? 60 : 1)
        var (first, generator) = (0, SeededRandom())
        var round = 0
        while ContinuousClock().now - start < time {
            try child.send("documents \(path) 7 200 child \(TestSeed.run &+ UInt64(round))")
            for _ in 0..<200 {
                let id = "own\(Int.random(in: 0..<100, using: &generator))"
                switch Int.random(in: 0..<10, using: &generator) {
                case 0: try? test.delete(id)
                case 1: try? test.purge(id)
                default: try test.save(id, #"{"n":\#(Int.random(in: 0..<100, using: &generator)),"who":"own"}"#)
                }
            }
            #expect(try child.line() == "ok")
            round += 1
            if round == 5 { first = residentMemory }
        }
        _ = child.wait()
        return (first == 0 ? residentMemory : first, residentMemory)
    }

    private static var residentMemory: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4096
    }

    /// Observes a query and keeps the last result.
    private final class LastResult: Sendable {
        private let state = Mutex<(count: Int, last: String)>((0, ""))
        private let task = Mutex<Task<Void, Never>?>(nil)

        init(_ query: Query) {
            let updates = query.updates
            let started = Task { [weak self] in
                for await change in updates {
                    let text = LiveRecorder.text(change)
                    self?.state.withLock { $0 = ($0.count + 1, text) }
                }
            }
            task.withLock { $0 = started }
        }

        var last: String { state.withLock(\.last) }
        var count: Int { state.withLock(\.count) }
        func cancel() { task.withLock { $0?.cancel() } }
    }
}
