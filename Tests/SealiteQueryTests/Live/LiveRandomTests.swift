import Foundation
import SealiteDatabase
import SealiteQueryLanguage
import SealiteTestSupport
import Testing

@testable import SealiteQuery

/// Random queries and changes: a change that is skipped changes no result.
@Suite("live queries: the skip rule against fresh runs")
struct LiveRandomTests {
    /// The pairs of a query and a commit to try: two thousand, or as many as the soak asks for.
    private static var rounds: Int {
        ProcessInfo.processInfo.environment["SEALITE_LIVE_ROUNDS"].flatMap { Int($0) } ?? 2000
    }
    private static let queryCount = 20
    private static let commitCount = 25

    @Test("no change is skipped that a fresh run shows, and many are")
    func skipRule() throws {
        var skipped = 0
        for seed in TestSeed.seeds(max(Self.rounds / (Self.queryCount * Self.commitCount), 1)) {
            var model = try Model(seed: seed)
            skipped += try model.run(Self.queryCount, commits: Self.commitCount)
        }
        #expect(skipped > Self.rounds / 10)
    }

    /// A database of random documents with random queries.
    private struct Model {
        let test: TestDatabase
        let collection: Collection
        let seed: UInt64
        var random: RandomQueries
        var generator: SeededRandom

        init(seed: UInt64) throws {
            test = try TestDatabase()
            collection = try test.collection
            self.seed = seed
            random = RandomQueries(seed: seed)
            generator = SeededRandom(seed: seed)
            for _ in 0..<5 { try commit() }
            if seed % 3 == 0 {
                try collection.createIndex(withName: "a", config: ValueIndexConfiguration(["a", "b"]))
            }
        }

        private mutating func query() throws -> LiveRun {
            let condition = random.condition(2).description
            let texts = [
                "SELECT a, b FROM _ WHERE \(condition)", "SELECT META().id, c FROM _ WHERE \(condition) ORDER BY b, a",
                "SELECT DISTINCT a FROM _ WHERE \(condition)",
                "SELECT COUNT(*), MAX(b), SUM(a) FROM _ WHERE \(condition)",
                "SELECT a, COUNT(*) AS k FROM _ WHERE \(condition) GROUP BY a HAVING COUNT(*) > 1",
                "SELECT META().id, ROW_NUMBER() OVER (ORDER BY META().id) FROM _ WHERE \(condition)",
                "SELECT META().id, a FROM _ WHERE META().deleted OR (\(condition))",
                "SELECT META().id FROM _ LET z = a WHERE z > 0 AND (\(condition))",
                "SELECT a AS q FROM _ WHERE q > 0 OR (\(condition))",
                "SELECT VALUE b FROM _ WHERE META().deleted AND (\(condition))",
                "SELECT COUNT(*) FROM _", "SELECT a FROM _ WHERE a = $n OR (\(condition))",
            ]
            let query: SealiteQuery.Query = try test.database.createQuery(
                texts[Int.random(in: 0..<texts.count, using: &generator)] as String)
            if try query.parameterNames.contains("n") { query.parameters = Parameters().setInt(1, forName: "n") }
            let (source, key) = try query.liveKey()
            return LiveRun(source, key: key)
        }

        /// Changes a few documents in one transaction.
        private mutating func commit() throws {
            try test.database.inBatch {
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let id = "d\(Int.random(in: 0..<12, using: &generator))"
                    switch Int.random(in: 0..<8, using: &generator) {
                    case 0: try? collection.delete(id: id)
                    case 1: try? collection.purge(id: id)
                    default:
                        try collection.save(document: MutableDocument(id: id, data: random.document()))
                    }
                }
            }
        }

        /// Returns the number of pairs that were skipped.
        mutating func run(_ queryCount: Int, commits: Int) throws -> Int {
            var known: [(run: LiveRun, outcome: LiveOutcome)] = []
            for _ in 0..<queryCount {
                let run = try query()
                known.append((run, run.execute()))
            }
            let watch = LiveWatch(collection)
            defer { watch.changes.end() }
            var (position, skipped) = (try collection.changePosition(), 0)
            for _ in 0..<commits {
                for _ in 0..<Int.random(in: 1...2, using: &generator) { try commit() }
                let candidates = known.enumerated().map { index, known in
                    LiveCandidate(
                        run: ObjectIdentifier(known.run), ordinal: 1,
                        position: known.outcome.positions[collection.number] ?? position,
                        filter: known.outcome.plan?.filter, values: known.outcome.values, members: known.outcome.members
                    )
                }
                let findings = watch.look(
                    LiveExamination(position: position, version: 1, candidates: candidates, conditions: candidates))
                position = findings.position ?? position
                for index in known.indices {
                    let (run, old) = known[index]
                    #expect(old.plan?.filter != nil, "\(run.key.text)")
                    let fresh = run.execute()
                    guard !findings.dirty.contains(ObjectIdentifier(run)) else {
                        known[index].outcome = fresh
                        continue
                    }
                    skipped += 1
                    #expect(fresh.identity == old.identity, "seed \(seed): \(run.key.text)")
                    // The documents stay those of the run that was made.
                    known[index].outcome.positions[collection.number] = position
                }
            }
            return skipped
        }
    }
}
