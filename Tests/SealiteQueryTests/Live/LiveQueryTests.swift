import SealiteDatabase
import SealiteTestSupport
import Testing

@testable import SealiteQuery

@Suite("live queries: what is delivered")
struct LiveQueryTests {
    let test: TestDatabase
    let database: Database

    init() throws {
        test = try TestDatabase()
        database = test.database
        for index in 0..<8 { try test.save("ca\(index)", #"{"state":"CA","n":\#(index)}"#) }
        for index in 0..<9 { try test.save("ny\(index)", #"{"state":"NY","n":\#(index)}"#) }
    }

    private func query(_ text: String) throws -> Query { try database.createQuery(text) as Query }

    @Test("the first result comes at once, also an empty one")
    func first() async throws {
        var iterator = try query("SELECT n FROM _ WHERE state = 'TX'").results.makeAsyncIterator()
        #expect(try await iterator.next()?.allResults().count == 0)
        #expect(test.statistics.executions == 1)
    }

    @Test("a matching document is delivered when it comes and when it goes, another one runs nothing")
    func matching() async throws {
        let recorder = LiveRecorder(try query("SELECT COUNT(*) AS n FROM _ WHERE state = 'CA'"))
        let rows = LiveRecorder(try query("SELECT META().id FROM _ WHERE state = 'CA' ORDER BY META().id"))
        await recorder.wait(for: 1)
        await rows.wait(for: 1)
        #expect(recorder.last == #"{"n":8}"#)
        await test.settle()
        let before = test.statistics
        try test.save("tx", #"{"state":"TX"}"#)
        await test.settle()
        #expect(test.statistics.executions == before.executions)
        #expect(test.statistics.skippedChanges == before.skippedChanges + 2)
        try test.save("ca8", #"{"state":"CA"}"#)
        await recorder.wait(for: 2)
        await rows.wait(for: 2)
        #expect(recorder.last == #"{"n":9}"#)
        #expect(rows.last?.hasSuffix(#"{"id":"ca8"}"#) == true)
        try test.delete("ca8")
        await recorder.wait(for: 3)
        await rows.wait(for: 3)
        #expect(recorder.last == #"{"n":8}"#)
        #expect(rows.all[2] == rows.all[0])
    }

    @Test("a document that stops to match, comes back and changes otherwise is followed")
    func leaving() async throws {
        let recorder = LiveRecorder(try query("SELECT n FROM _ WHERE state = 'CA' AND n < 2 ORDER BY n"))
        await recorder.wait(for: 1)
        try test.save("ca0", #"{"state":"TX","n":0}"#)
        await recorder.wait(for: 2)
        try test.save("ca0", #"{"state":"CA","n":-5}"#)
        await recorder.wait(for: 3)
        // The number of rows stays, a column changes.
        try test.save("ca1", #"{"state":"CA","n":1.5}"#)
        await recorder.wait(for: 4)
        #expect(
            recorder.all == [
                #"{"n":0} {"n":1}"#, #"{"n":1}"#, #"{"n":-5} {"n":1}"#, #"{"n":-5} {"n":1.5}"#,
            ])
    }

    @Test("an equal result isn't delivered, and the next one is")
    func equal() async throws {
        let recorder = LiveRecorder(try query("SELECT n FROM _ WHERE state = 'CA' AND n = 3"))
        await recorder.wait(for: 1)
        let before = test.statistics.executions
        try test.save("ca3", #"{"state":"CA","n":3,"other":true}"#)
        await eventually("the run") { self.test.statistics.executions == before + 1 }
        await test.settle()
        #expect(recorder.all.count == 1)
        try test.delete("ca3")
        await recorder.wait(for: 2)
        #expect(recorder.all == [#"{"n":3}"#, ""])
    }

    @Test("purges of matching documents are delivered, those of others run nothing", arguments: [true, false])
    func purges(isGrouped: Bool) async throws {
        let recorder = LiveRecorder(
            try query(
                isGrouped
                    ? "SELECT DISTINCT state FROM _ WHERE state = 'CA' AND n > 6"
                    : "SELECT state FROM _ WHERE state = 'CA' AND n > 6"))
        await recorder.wait(for: 1)
        await test.settle()
        let before = test.statistics
        try test.purge("ny0")
        await test.settle()
        #expect(test.statistics.executions == before.executions)
        #expect(test.statistics.skippedChanges == before.skippedChanges + 1)
        try test.purge("ca7")
        await recorder.wait(for: 2)
        #expect(recorder.all == [#"{"state":"CA"}"#, ""])
    }

    @Test("a document that expires leaves the result")
    func expiration() async throws {
        let recorder = LiveRecorder(try query("SELECT n FROM _ WHERE state = 'CA' AND n = 1"))
        await recorder.wait(for: 1)
        try test.expire("ca1")
        await recorder.wait(for: 2)
        #expect(recorder.all == [#"{"n":1}"#, ""])
    }

    @Test("META().deleted sees documents go and come back")
    func deleted() async throws {
        let gone = LiveRecorder(try query("SELECT META().id FROM _ WHERE META().deleted"))
        let all = LiveRecorder(try query("SELECT COUNT(*) AS n FROM _ WHERE META().deleted OR true"))
        await gone.wait(for: 1)
        await all.wait(for: 1)
        try test.delete("ca1")
        await gone.wait(for: 2)
        try test.save("ca1", #"{"n":1}"#)
        await gone.wait(for: 3)
        #expect(gone.all == ["", #"{"id":"ca1"}"#, ""])
        #expect(all.all == [#"{"n":17}"#])
    }

    @Test("a query without WHERE follows every document")
    func everything() async throws {
        let recorder = LiveRecorder(try query("SELECT COUNT(*) AS n FROM _"))
        await recorder.wait(for: 1)
        try test.save("more", "{}")
        await recorder.wait(for: 2)
        try test.purge("more")
        await recorder.wait(for: 3)
        #expect(recorder.all == [#"{"n":17}"#, #"{"n":18}"#, #"{"n":17}"#])
    }

    @Test("a commit to another collection costs nothing")
    func otherCollection() async throws {
        let other = try test.makeCollection("other")
        let recorder = LiveRecorder(try query("SELECT COUNT(*) AS n FROM _"))
        let limited = LiveRecorder(try query("SELECT n FROM _ ORDER BY n LIMIT 1"))
        await recorder.wait(for: 1)
        await limited.wait(for: 1)
        await test.settle()
        let before = test.statistics
        for index in 0..<5 { try test.save("x\(index)", "{}", in: other) }
        await test.settle()
        #expect(test.hub.positions[other.number] == nil)
        #expect(test.statistics == before)
    }

    @Test(
        "joins, inner queries, set operations, WITH and limits follow every collection that they read",
        arguments: [
            "SELECT a.n FROM _ AS a JOIN other AS b ON a.n = b.n WHERE a.state = 'CA'",
            "SELECT n FROM _ WHERE state = 'CA' AND n IN (SELECT VALUE o.n FROM other AS o)",
            "SELECT n FROM _ AS a WHERE state = 'CA' AND EXISTS (SELECT 1 FROM other AS o WHERE o.n = a.n)",
            "SELECT n FROM _ WHERE n = 4 AND state = 'CA' INTERSECT SELECT n FROM other",
            "WITH o AS (SELECT n FROM other) SELECT n FROM o",
            "SELECT (SELECT VALUE o.n FROM other AS o LIMIT 1) AS n FROM _ WHERE META().id = 'ca1'",
            "SELECT n FROM (SELECT n FROM other) AS o",
            "SELECT n FROM other WHERE n > 0 ORDER BY n LIMIT 1",
            "SELECT e AS n FROM other AS o UNNEST o.l AS e",
            "SELECT o.n FROM _ AS a RIGHT JOIN other AS o ON a.n = o.n + 9",
            "SELECT e AS n FROM other AS o LEFT UNNEST o.l AS e",
        ])
    func inner(text: String) async throws {
        let other = try test.makeCollection("other")
        let recorder = LiveRecorder(try query(text))
        await recorder.wait(for: 1)
        try test.save("x", #"{"n":4,"l":[4]}"#, in: other)
        await recorder.wait(for: 2)
        #expect(recorder.last == #"{"n":4}"#)
        try test.purge("x", in: other)
        await recorder.wait(for: 3)
        #expect(recorder.last == recorder.all[0])
    }

    @Test("a search by words is followed, and a rank, which every document takes part in")
    func fullText() async throws {
        try database.defaultCollection().createIndex(
            withName: "words", config: FullTextIndexConfiguration(["text"], language: "en"))
        try test.save("a", #"{"text":"one apple"}"#)
        let found = LiveRecorder(try query("SELECT META().id FROM _ WHERE MATCH(words, 'apples')"))
        let ranked = LiveRecorder(
            try query("SELECT META().id, RANK(words) AS rank FROM _ WHERE MATCH(words, 'apples') ORDER BY RANK(words)"))
        await found.wait(for: 1)
        await ranked.wait(for: 1)
        await test.settle()
        let before = test.statistics
        try test.save("b", #"{"text":"a long text about pears and plums"}"#)
        await ranked.wait(for: 2)
        await test.settle()
        #expect(test.statistics.executions == before.executions + 1)
        #expect(test.statistics.skippedChanges == before.skippedChanges + 1)
        #expect(ranked.all[0] != ranked.last)
        try test.save("b", #"{"text":"apples and pears"}"#)
        await found.wait(for: 2)
        await ranked.wait(for: 3)
        #expect(found.last?.contains("b") == true)
        #expect(found.all.count == 2)
    }

    @Test("a query of the present time runs after every commit to its collection, and one without FROM only once")
    func presentTime() async throws {
        let timely = LiveRecorder(try query("SELECT n FROM _ WHERE state = 'CA' AND NOW_MILLIS() < n"))
        let constant = LiveRecorder(try query("SELECT 1 AS one"))
        await timely.wait(for: 1)
        await constant.wait(for: 1)
        await test.settle()
        let before = test.statistics
        try test.save("tx", #"{"state":"TX"}"#)
        await eventually("the run") { self.test.statistics.executions == before.executions + 1 }
        await test.settle()
        #expect(test.statistics.executions == before.executions + 1)
        try test.save("ca9", #"{"state":"CA","n":1e15}"#)
        await timely.wait(for: 2)
        #expect(timely.all == ["", #"{"n":1e15}"#] || timely.all == ["", #"{"n":1000000000000000.0}"#])
        #expect(constant.all == [#"{"one":1}"#])
    }

    @Test("rowLimit is kept, and what comes into its rows is delivered")
    func rowLimit() async throws {
        let query = try query("SELECT n FROM _ WHERE state = 'CA' ORDER BY n DESC")
        query.rowLimit = 2
        let recorder = LiveRecorder(query)
        await recorder.wait(for: 1)
        try test.delete("ca7")
        await recorder.wait(for: 2)
        #expect(recorder.all == [#"{"n":7} {"n":6}"#, #"{"n":6} {"n":5}"#])
    }

    @Test("nothing of a transaction is delivered before it is committed, nor after it was rolled back")
    func transactions() async throws {
        let recorder = LiveRecorder(try query("SELECT COUNT(*) AS n FROM _ WHERE state = 'TX'"))
        await recorder.wait(for: 1)
        try commitAfterRollback()
        await recorder.wait(for: 2)
        #expect(recorder.all == [#"{"n":0}"#, #"{"n":2}"#])
    }

    private func commitAfterRollback() throws {
        struct GivenUp: Error {}
        let collection = try test.collection
        try? database.write { transaction in
            try transaction.save(MutableDocument(id: "t", data: ["state": "TX"]), in: collection)
            throw GivenUp()
        }
        try database.write { transaction in
            for id in ["t", "u"] {
                try transaction.save(MutableDocument(id: id, data: ["state": "TX"]), in: collection)
            }
        }
    }

    @Test("values are decoded, in the order of the query")
    func values() async throws {
        struct Row: Decodable, Equatable { let n: Int }
        let values = try query("SELECT n FROM _ WHERE state = 'CA' AND n > 5 ORDER BY n DESC").values(as: Row.self)
        var iterator = values.makeAsyncIterator()
        #expect(try await iterator.next() == [Row(n: 7), Row(n: 6)])
        try test.save("ca9", #"{"state":"CA","n":6.5}"#)
        await #expect(throws: DatabaseError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test("changes of another Database on the file, as of another process, are found")
    func others() async throws {
        let recorder = LiveRecorder(try query("SELECT COUNT(*) AS n FROM _ WHERE state = 'CA'"))
        await recorder.wait(for: 1)
        let path = try #require(database.path)
        let other = try TestFile.open(path)
        try test.save("z", #"{"state":"CA"}"#, in: try other.defaultCollection())
        await recorder.wait(for: 2)
        try test.purge("z", in: try other.defaultCollection())
        await recorder.wait(for: 3)
        #expect(recorder.all == [#"{"n":8}"#, #"{"n":9}"#, #"{"n":8}"#])
    }
}
