import Foundation
import SealiteDatabase
import SealiteFile
import SealiteMaintenance
import SealiteTestSupport
import Testing

@testable import SealiteQuery

@Suite("live queries: faults")
struct LiveErrorTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        for number in 1...3 { try test.save("d\(number)", #"{"n":\#(number)}"#) }
    }

    private func query(_ text: String) throws -> Query { try test.database.createQuery(text as String) }

    private func deleteCollection(_ name: String) throws { try test.database.deleteCollection(name: name) }

    @Test("a collection that is deleted is one error, and made again it is followed again")
    func collection() async throws {
        var people = try test.makeCollection("people")
        try test.save("a", #"{"n":1}"#, in: people)
        let recorder = LiveRecorder(try query("SELECT n FROM people WHERE n > 0"))
        await recorder.wait(for: 1)
        try deleteCollection("people")
        await recorder.wait(for: 2)
        // A change of the schema tries again, and the same error isn't told twice.
        let before = test.statistics.executions
        _ = try test.makeCollection("other")
        await eventually("another run") { self.test.statistics.executions > before }
        await test.settle()
        people = try test.makeCollection("people")
        await recorder.wait(for: 3)
        try test.save("b", #"{"n":2}"#, in: people)
        await recorder.wait(for: 4)
        #expect(recorder.all == [#"{"n":1}"#, "error invalidQuery", "", #"{"n":2}"#])
    }

    @Test("a collection that is deleted and made again in one transaction is followed as the new one")
    func replacedCollection() async throws {
        let people = try test.makeCollection("people")
        try test.save("a", #"{"n":1}"#, in: people)
        let recorder = LiveRecorder(try query("SELECT n FROM people WHERE n > 0"))
        await recorder.wait(for: 1)
        try replace("people")
        await recorder.wait(for: 2)
        #expect(recorder.all == [#"{"n":1}"#, #"{"n":7}"#])
        await eventually("the end of the old one's watch") { self.test.hub.positions[people.number] == nil }
    }

    private func replace(_ name: String) throws {
        try test.database.inBatch {
            try test.database.deleteCollection(name: name)
            try test.save("new", #"{"n":7}"#, in: try test.makeCollection(name))
        }
    }

    @Test("the throwing sequences end with their first error")
    func throwing() async throws {
        _ = try test.makeCollection("people")
        var iterator = try query("SELECT n FROM people").results.makeAsyncIterator()
        _ = try await iterator.next()
        try deleteCollection("people")
        await #expect(throws: DatabaseError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        await eventually("the end") { self.test.statistics.observers == 0 }
    }

    @Test("indexes may come and go", arguments: [false, true])
    func indexes(isMeasuringMembers: Bool) async throws {
        let recorder = LiveRecorder(
            try query(
                isMeasuringMembers
                    ? "SELECT SUM(n) AS k FROM _ WHERE n > 1" : "SELECT n FROM _ WHERE n > 1 ORDER BY n DESC LIMIT 1"))
        await recorder.wait(for: 1)
        try makeIndex()
        try test.save("d4", #"{"n":4}"#)
        await recorder.wait(for: 2)
        try dropIndex()
        try test.save("d5", #"{"n":5}"#)
        await recorder.wait(for: 3)
        let sums = [#"{"k":5}"#, #"{"k":9}"#, #"{"k":14}"#]
        #expect(recorder.all == (isMeasuringMembers ? sums : [#"{"n":3}"#, #"{"n":4}"#, #"{"n":5}"#]))
    }

    private func makeIndex() throws {
        try test.collection.createIndex(withName: "n", config: ValueIndexConfiguration(["n"]))
    }

    private func dropIndex() throws { try test.collection.deleteIndex(forName: "n") }

    @Test("a result that fails is an error, once, until the document that it fails for is another")
    func failingDocument() async throws {
        // LIMIT takes an integer, and its value comes from a document.
        try test.save("limit", #"{"l":5,"n":9}"#)
        let recorder = LiveRecorder(
            try query("SELECT n FROM _ ORDER BY n LIMIT (SELECT VALUE l FROM _ AS c WHERE META(c).id = 'limit')"))
        await recorder.wait(for: 1)
        try test.save("limit", #"{"l":"no number","n":9}"#)
        await recorder.wait(for: 2)
        let before = test.statistics.executions
        try test.save("d4", #"{"n":4}"#)
        await eventually("another run") { self.test.statistics.executions > before }
        await test.settle()
        try test.save("limit", #"{"l":2,"n":9}"#)
        await recorder.wait(for: 3)
        #expect(recorder.all[1...] == ["error invalidQuery", #"{"n":1} {"n":2}"#])
    }

    @Test("a condition that fails on one document makes the queries of its statement run")
    func failingCondition() throws {
        let collection = try test.collection
        func candidate(_ predicate: String, _ run: AnyObject) -> LiveCandidate {
            let filter = LiveFilter(collection: collection.number, alias: "s0", predicate: predicate, members: nil)
            return LiveCandidate(
                run: ObjectIdentifier(run), ordinal: 1, position: ChangePosition(sequence: 0, purges: 0),
                filter: filter,
                values: [], members: LiveMembers())
        }
        // SQLite's abs() fails for the least integer.
        let runs = (0..<65).map { _ in Run() }
        let candidates =
            [candidate("abs(-9223372036854775807 - s0.sequence)", runs[0])]
            + runs.dropFirst().map { candidate("s0.number > 100", $0) }
        let watch = LiveWatch(collection)
        defer { watch.changes.end() }
        let findings = watch.look(
            LiveExamination(
                position: ChangePosition(sequence: 0, purges: 0), version: 1, candidates: candidates,
                conditions: candidates))
        // All of the statement that failed; the last one is in another.
        #expect(findings.dirty == Set(runs.dropLast().map(ObjectIdentifier.init(_:) as (Run) -> ObjectIdentifier)))
        #expect(findings.position?.sequence == 3)
    }

    private final class Run {}

    @Test("a rotation of the keys and backups under way disturb nothing")
    func maintenance() async throws {
        let file = try TestFile.unlock(try #require(test.database.path))
        let recorder = LiveRecorder(try query("SELECT COUNT(*) AS k FROM _ WHERE n > 0"))
        await recorder.wait(for: 1)
        var saved = 0
        try rotate(file) {
            saved += 1
            try? test.save("r\(saved)", #"{"n":1}"#)
        }
        #expect(saved > 0)
        _ = try file.backup(to: try #require(test.database.path) + ".backup")
        try test.save("last", #"{"n":1}"#)
        await eventually("the last state") { recorder.last == #"{"k":\#(3 + saved + 1)}"# }
        #expect(!recorder.all.contains { $0.hasPrefix("error") })
    }

    private func rotate(_ file: SealedDatabase, _ step: () -> Void) throws {
        _ = try KeyRotation(of: file).run { _ in
            step()
            return .proceed
        }
    }

    @Test("a writer that holds the file holds up no observer")
    func writer() async throws {
        let query = try query("SELECT n FROM _ WHERE n = 1")
        try await test.database.write { _ in
            let recorder = LiveRecorder(query)
            // The task that delivers may be behind all that other tests do.
            eventuallyBlocking("the result") { !recorder.all.isEmpty }
            #expect(recorder.all == [#"{"n":1}"#])
        }
    }
}
