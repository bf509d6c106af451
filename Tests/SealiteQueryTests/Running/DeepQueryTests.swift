import SealiteDatabase
import SealiteFile
import Testing

@testable import SealiteQuery

@Suite("calls in each other")
struct DeepQueryTests {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase()
        try test.save(json: #"{"a": {"n": 3, "l": [1, 2]}, "b": {"n": -4, "l": [5]}}"#)
    }

    private func nested(_ count: Int, _ open: String, _ inner: String, _ close: String = ")") -> String {
        String(repeating: open, count: count) + inner + String(repeating: close, count: count)
    }

    private func values(_ text: String) throws -> [[QueryValue]] {
        try test.database.createQuery(text as String).execute().map(\.values)
    }

    @Test("as many as the language allows run, in every clause", arguments: [1, 14, 15, 30, 60, 95])
    func calls(count: Int) throws {
        let sum = nested(count, "(1 + ", "n")
        #expect(
            try values("SELECT \(sum) FROM _ ORDER BY \(nested(count, "ABS(", "n"))") == [
                [.integer(Int64(3 + count))], [.integer(Int64(-4 + count))],
            ])
        #expect(try values("SELECT n FROM _ WHERE \(nested(count, "ABS(", "n")) = 4") == [[.integer(-4)]])
        #expect(try values("SELECT \(nested(min(count, 46), "NOT (", "n = 3")) FROM _ WHERE n = 3").count == 1)
        let any = "ANY x IN l SATISFIES \(nested(count, "(1 + ", "x")) > \(count + 3) END"
        #expect(try values("SELECT n FROM _ WHERE \(any)") == [[.integer(-4)]])
        #expect(try values("SELECT SUM(\(sum)) FROM _") == [[.integer(Int64(2 * count - 1))]])
        #expect(try values("SELECT COUNT(*) FROM _ GROUP BY \(nested(count, "ABS(", "n - n"))") == [[.integer(2)]])
        #expect(
            try values("SELECT x FROM (SELECT \(sum) AS x FROM _ WHERE n > 0) AS s") == [[.integer(Int64(3 + count))]])
    }

    /// Returns whether SQLite's parser has a stack that grows, as that of 3.46 does, and not one of 100 symbols.
    private func parsesDeeply() throws -> Bool {
        let connection = try test.unlock().connect()
        #expect(try connection.integer("SELECT \(nested(20, "abs(", "1"))") == 1)
        return (try? connection.integer("SELECT \(nested(200, "abs(", "1"))")) == 1
    }

    @Test("60 around an aggregate run where SQLite's parser allows it, and are refused elsewhere with what to do")
    func aggregates() throws {
        let isAllowed = try parsesDeeply()
        let texts = [
            ("SELECT \(nested(60, "ABS(", "SUM(n)")) FROM _", QueryValue.real(1)),
            ("SELECT \(nested(60, "ABS(", "COUNT(*)")) AS c FROM _ GROUP BY TYPE(n) HAVING c > 1", .real(2)),
        ]
        for (text, value) in texts {
            guard !isAllowed else {
                #expect(try values(text) == [[value]])
                continue
            }
            let error = #expect(throws: DatabaseError.self) { try values(text) }
            #expect(error?.code == .invalidQuery)
            #expect(error?.reason.contains("nested too deeply") == true && error?.hint?.contains("WITH") == true)
        }
    }

    @Test("too many in an index are refused")
    func index() throws {
        let index = #expect(throws: DatabaseError.self) {
            try test.collection.createIndex(
                withName: "i", config: ValueIndexConfiguration([nested(60, "ABS(", "n")]))
        }
        #expect(index?.code == .invalidQuery && index?.reason.contains("nested too deeply") == true)
    }
}
