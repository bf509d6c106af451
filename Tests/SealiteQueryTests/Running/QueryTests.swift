import Foundation
import SealiteDatabase
import SealiteTestSupport
import Testing

@testable import SealiteQuery

@Suite("running queries")
struct QueryTests {
    let test: TestDatabase
    let time = ManualTime()

    init() throws {
        var configuration = DatabaseConfiguration()
        configuration.time = time
        test = try TestDatabase(configuration)
        try test.database.write { transaction in
            for number in 1...1000 {
                let document = MutableDocument(id: "d\(number)")
                document.setInt(number, forKey: "number").setString("text \(number % 7)", forKey: "text")
                try transaction.save(document, in: try test.collection)
            }
        }
    }

    private func integers(_ query: Query) throws -> [Int] { try query.execute().map { $0.int(at: 0) } }

    @Test("rows are those of the state in which the query was executed, whatever is saved and deleted meanwhile")
    func snapshot() throws {
        let query = try test.database.createQuery("SELECT number FROM _ ORDER BY number")
        let results = try query.execute()
        #expect(try results.nextResult()?.int(forKey: "number") == 1)
        try test.collection.delete(id: "d999")
        try test.collection.purge(id: "d1000")
        #expect(results.allResults().map { $0.int(at: 0) } == Array(2...1000))
        #expect(try integers(query).count == 998)
    }

    @Test("inside a transaction a query sees its changes, and after a rollback it doesn't")
    func transaction() throws {
        let query = try test.database.createQuery("SELECT COUNT(*) FROM _ WHERE number > 990")
        struct Stop: Error {}
        _ = try? test.database.write { transaction in
            try transaction.delete(id: "d1000", in: try test.collection)
            #expect(try integers(query) == [9])
            throw Stop()
        }
        #expect(try integers(query) == [10])
    }

    @Test("parameters are values, absent ones MISSING, and an unknown one is an error that names those there are")
    func parameters() throws {
        let query = try test.database.createQuery(
            "SELECT number FROM _ WHERE number > $low AND text = $text ORDER BY number")
        query.parameters = Parameters().setInt(980, forName: "low").setString("text 0", forName: "text")
        #expect(try integers(query) == [987, 994])
        query.parameters = nil
        #expect(try integers(query) == [])
        query.parameters = Parameters().setInt(1, forName: "hihg")
        let error = #expect(throws: DatabaseError.self) { try query.execute() }
        #expect(error?.code == .invalidParameter && error?.hint == "it has $low, $text")
    }

    @Test(
        "numbers that neither 64 bits nor a double hold are compared by their values",
        arguments: [
            "META().sequence > -1e400", "META().sequence BETWEEN -1e400 AND 1e400", "-1e401 < -1e400",
            "18446744073709551615 = 18446744073709551615.0", "18446744073709551615 IN (1, 'a', 18446744073709551615.0)",
            "18446744073709551615 != 18446744073709551616", "NOT (1 IN (2, 1e400))", "1e400",
        ])
    func bigNumbers(condition: String) throws {
        let query = try test.database.createQuery("SELECT COUNT(*) FROM _ WHERE \(condition)" as String)
        #expect(try integers(query) == [1000])
    }

    @Test("interpolated values are parameters, and none is read as a part of the query")
    func interpolation() throws {
        let text = "x' OR TRUE OR '"
        let query = try test.database.createQuery("SELECT number FROM _ WHERE text = \(text) OR number = \(5)")
        #expect(try integers(query) == [5])
        let own = try test.database.createQuery("SELECT number FROM _ WHERE number = \(5) AND $value1 IS MISSING")
        #expect(try integers(own) == [5])
        #expect(
            try test.database.createQuery("SELECT \(name: "te`xt") FROM _ LIMIT 1").execute().columnNames == ["te`xt"])
    }

    @Test(
        "an apostrophe in a text or a name is none of SQL's, with a combining mark behind it either",
        arguments: ["a'b", "a'\u{301}b", "'\u{301}", "''\u{20DD}'"])
    func apostrophes(text: String) throws {
        let query = try test.database.createQuery(
            "SELECT \"\(text)\" AS text, `\(text)` AS name FROM _ LIMIT 1" as String)
        #expect(try query.execute().map(\.values) == [[.text(text), .missing]])
        let name = "n`\u{301}` FROM _ -- "
        #expect(try test.database.createQuery("SELECT \(name: name) FROM _ LIMIT 1").execute().columnNames == [name])
    }

    @Test("the present time is one value for an execution, and each execution has its own")
    func presentTime() throws {
        time.set(unixSeconds: 1_500_000_000)
        let query = try test.database.createQuery(
            """
            SELECT NOW_MILLIS() AS now, STR_TO_MILLIS(NOW_STR()) = NOW_MILLIS(), NOW_STR('%F') < NOW_STR(), NOW_STR($none),
            (SELECT NOW_MILLIS()) FROM _ WHERE number = 1 AND NOW_MILLIS() > $least ORDER BY now
            """)
        query.parameters = Parameters().setInt(1_499_999_999_999, forName: "least")
        let now = QueryValue.integer(1_500_000_000_000)
        #expect(try query.execute().map(\.values) == [[now, .element([1]), .element([1]), .missing, now]])
        #expect(try query.parameterNames == ["none", "least"])
        time.advance(by: .milliseconds(7))
        #expect(try integers(query) == [1_500_000_000_007])
        let plan: QueryPlan = try query.explain(measuring: true)
        #expect(plan.measurement?.rowCount == 1)
        let update = try test.database.createQuery(
            "UPDATE _ SET at = NOW_MILLIS() WHERE number < 4 AND NOW_MILLIS() > 0 RETURNING at = NOW_MILLIS() AND at > 0"
        )
        #expect(try update.execute().map(\.values) == Array(repeating: [.element([1])], count: 3))
    }

    @Test("an index is searched for values that are compared with the present time, and none can have it")
    func presentTimeAndIndexes() throws {
        time.set(unixSeconds: 1)
        let query = try test.database.createQuery("SELECT number FROM _ WHERE number > NOW_MILLIS() - 2")
        #expect(try integers(query) == [999, 1000])
        #expect((try query.explain() as QueryPlan).suggestions.map(\.expressions) == [["number"]])
        try test.collection.createIndex(withName: "number", config: ValueIndexConfiguration(["number"]))
        let plan: QueryPlan = try query.explain()
        #expect(!plan.hasScan && plan.steps.first?.index == "number")
        #expect(try integers(query) == [999, 1000])
        for condition in [
            "NOW_MILLIS() < $p", "n + NOW_MILLIS() < $p", "STR_TO_MILLIS(n) < $p", "DATE_FORMAT_STR(n, '%F') = $p",
        ] {
            let other = try test.database.createQuery("SELECT number FROM _ WHERE \(condition)" as String)
            #expect((try other.explain() as QueryPlan).suggestions.isEmpty, "\(condition)")
        }
        for expression in ["NOW_MILLIS()", "NOW_STR()", "ARRAY NOW_STR('%F') FOR v IN list END"] {
            for config in [ValueIndexConfiguration([expression]), ValueIndexConfiguration(["n"], where: expression)] {
                let error = #expect(throws: DatabaseError.self) {
                    try test.collection.createIndex(withName: "now", config: config)
                }
                #expect(error?.code == .invalidQuery && error?.reason.contains("the present time") == true)
            }
        }
    }

    @Test("limits of rows and time end a result")
    func limits() async throws {
        let query = try test.database.createQuery("SELECT number FROM _ ORDER BY number")
        query.rowLimit = 3
        #expect(try integers(query) == [1, 2, 3])
        let slow = try test.database.createQuery(
            "SELECT COUNT(*) FROM _ a JOIN _ b ON a.number <> b.number JOIN _ c ON b.number <> c.number")
        slow.timeLimit = .seconds(3600)
        let before = time.waiterCount
        let running = Task { try await slow.execute() }
        await eventually("the limit began") { time.waiterCount == before + 1 }
        time.advance(by: .seconds(3600))
        let result = await running.result
        let error = #expect(throws: DatabaseError.self) { _ = try result.get() }
        #expect(error?.code == .cancelled && error?.reason.contains("time limit") == true)
    }

    @Test("cancelling the task interrupts the query")
    func cancellation() async throws {
        let slow = try test.database.createQuery(
            "SELECT COUNT(*) FROM _ a JOIN _ b ON a.number <> b.number JOIN _ c ON b.number <> c.number")
        let task = Task { try await slow.execute() }
        await letTimePass(.milliseconds(100), because: "the statement is under way by then, and tells nobody")
        task.cancel()
        let result = await task.result
        #expect(throws: DatabaseError(.cancelled, "")) { _ = try result.get() }
        #expect(try integers(try test.database.createQuery("SELECT COUNT(*) FROM _")) == [1000])
    }

    @Test("cancelling the task of a change rolls it back, while it searches and while it saves")
    func cancelledChange() async throws {
        let slow = try test.database.createQuery(
            "UPDATE _ SET x = (SELECT COUNT(*) FROM _ a JOIN _ b ON a.number <> b.number JOIN _ c ON b.number <> c.number)[0]"
        )
        let searching = Task { try await slow.execute() }
        await letTimePass(.milliseconds(100), because: "the statement is under way by then, and tells nobody")
        searching.cancel()
        let result = await searching.result
        #expect(throws: DatabaseError(.cancelled, "")) { _ = try result.get() }

        let control = WriteControl()
        let change = try test.database.createQuery("UPDATE _ SET y = 1")
        let saving = Task { try await WriteControl.$current.withValue(control) { try await change.execute() } }
        await eventually("the first documents are saved") { control.progress.done > 0 }
        saving.cancel()
        // Whether it was stopped in time or not: it says what is stored.
        let count: Int
        do { count = try await saving.value.changedDocumentCount } catch let error as DatabaseError {
            #expect(error.code == .cancelled)
            count = 0
        }
        let stored = try integers(try test.database.createQuery("SELECT COUNT(*) FROM _ WHERE x IS VALUED OR y = 1"))
        #expect(stored == [count])
    }

    @Test("a database that is closed under a result, and a collection that was deleted, are errors")
    func closing() throws {
        let other = try test.database.createCollection(name: "other")
        try other.save(document: MutableDocument(id: "a"))
        let gone = try test.database.createQuery("SELECT * FROM other")
        #expect(try gone.execute().allResults().count == 1)
        try test.database.deleteCollection(name: "other")
        #expect(throws: DatabaseError.self) { try gone.execute() }
        let results = try test.database.createQuery("SELECT number FROM _").execute()
        try test.database.close()
        _ = results.allResults()
        #expect((results.error as? DatabaseError)?.code == .notOpen)
        #expect(throws: DatabaseError(.notOpen, "")) {
            try test.database.createQuery("SELECT number FROM _").execute()
        }
    }

    @Test("rows that were read before an error are delivered before it")
    func errorBetweenRows() throws {
        try test.collection.createIndex(withName: "words", config: FullTextIndexConfiguration(["text"]))
        let results = try test.database.createQuery(
            "SELECT number FROM _ WHERE NOT MATCH(words, CASE WHEN number = 300 THEN '(' ELSE 'none' END)" as String
        ).execute()
        #expect(results.allResults().map { $0.int(at: 0) } == Array(1...299))
        #expect((results.error as? DatabaseError)?.code == .invalidQuery)
        #expect(throws: DatabaseError(.invalidQuery, "")) { try results.nextResult() }
    }

    @Test("rows are decoded strictly, and the error names the column")
    func decoding() throws {
        struct Row: Decodable, Equatable { let number: Int; let text: String }
        let query = try test.database.createQuery("SELECT number, text FROM _ WHERE number < 3 ORDER BY number")
        let rows = try query.execute().data(as: Row.self)
        #expect(rows == [Row(number: 1, text: "text 1"), Row(number: 2, text: "text 2")])
        let whole = try test.database.createQuery("SELECT META().id, * FROM _ AS d WHERE number = 4")
        struct Whole: Decodable { let id: String; let number: Int }
        let first = try #require(try whole.execute().nextResult())
        #expect(try first.data(as: Whole.self, dataKey: "d").id == "d4")
        struct Wrong: Decodable { let number: String }
        let error = #expect(throws: DatabaseError.self) { try first.data(as: Wrong.self, dataKey: "d") }
        #expect(error?.code == .decodingFailed && error?.reason.contains("\"number\"") == true)
        #expect(throws: DatabaseError(.decodingFailed, "")) { try first.data(as: Row.self) }
    }

    @Test("many results may be read at the same time, and a result that is given up holds nothing")
    func several() throws {
        let query = try test.database.createQuery("SELECT number FROM _")
        let results = try (0..<12).map { _ in try query.execute() }
        for result in results { #expect(try result.nextResult()?.int(at: 0) == 1) }
        results[0].close()
        #expect(try results[0].nextResult() == nil)
        for _ in 0..<50 { _ = try query.execute().nextResult() }
        #expect(results[1].allResults().count == 999)
        // Each has ended when its last row was read; more connections are given back than are kept.
        for result in results.dropFirst(2) {
            while let row = try result.nextResult() { #expect(row.count == 1) }
            #expect(try result.nextResult()?.count == nil && result.error == nil)
        }
    }
}
