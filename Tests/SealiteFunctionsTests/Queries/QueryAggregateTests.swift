import SealiteFile
import SealiteTestSupport
import Testing

@Suite("aggregates of queries and query_each")
struct QueryAggregateTests {
    private let stage: QueryStage

    init() throws { stage = try QueryStage() }

    /// Returns the result of an aggregate over values.
    private func ask(_ name: String, _ values: [String]) throws -> String {
        let rows = try values.map { "(\(try literal($0)))" }.joined(separator: ", ")
        let table = values.isEmpty ? "(SELECT 1 AS column1 WHERE 0)" : "(VALUES \(rows))"
        return try stage.connection.text("SELECT quote(query_\(name)(column1)) FROM \(table)") ?? "nothing"
    }

    @Test("NULL and MISSING are skipped, except in arrays")
    func plain() throws {
        let mixed = ["1", "null", "MISSING", "2.5", "\"7\"", "true", "[1]"]
        let wanted: [(String, [String], String)] = [
            ("sum", mixed, "3.5"), ("avg", mixed, "1.75"), ("min", mixed, "true"), ("max", mixed, "[1]"),
            ("array_agg", mixed, #"[1,null,2.5,"7",true,[1]]"#),
            ("sum", [], "MISSING"), ("avg", [], "MISSING"), ("min", [], "MISSING"), ("max", [], "MISSING"),
            ("array_agg", [], "[]"),
            ("sum", ["null", "MISSING"], "MISSING"), ("avg", ["null"], "MISSING"), ("max", ["null"], "MISSING"),
            ("array_agg", ["MISSING"], "[]"),
            ("sum", ["1", "2"], "3"), ("avg", ["1", "2"], "1.5"),
            ("sum", ["9223372036854775807", "1"], "9223372036854775808.0"),
            ("sum", ["9223372036854775807", "1", "-1"], "9223372036854775807"),
            ("sum", ["1e308", "1e308"], "null"), ("sum", ["#1e400", "1"], "null"),
            ("sum", ["1e308", "1e308", "-1e308"], "1e308"), ("sum", ["-1.5e308", "1e-300", "1.5e308"], "1e-300"),
            ("sum", ["1e300", "1e250", "-1e300"], "1e250"),
            ("sum", ["1e20", "1", "-1e20"], "1.0"), ("sum", ["0.1", "0.2", "0.3"], "0.6"),
            ("max", ["9007199254740993", "9007199254740992.0"], "9007199254740993"),
            ("min", ["\"b\"", "\"a\"", "{}"], "\"a\""), ("max", ["#1e400", "1e308"], "#1e400"),
        ]
        for (name, values, result) in wanted {
            #expect(try ask(name, values) == stage.ask(literal(result)), "\(name) \(values)")
        }
        #expect(
            try stage.connection.text(
                "SELECT quote(query_sum(DISTINCT column1)) FROM (VALUES (1), (1.0), (2))") == "3")
    }

    @Test("in a window, an aggregate gives what it gives for the rows of the frame alone")
    func windows() throws {
        var random = SeededRandom()
        try stage.connection.execute("CREATE TABLE rows(id INTEGER PRIMARY KEY, value)")
        for id in 0..<120 {
            let value = random.below(6) == 0 ? "MISSING" : random.below(2) == 0 ? "\(random.below(50) - 25)" : nil
            let text = try literal(value ?? (random.below(3) == 0 ? "\(random.below(9)).25" : "\"\(random.below(9))\""))
            try stage.connection.execute("INSERT INTO rows VALUES (\(id), \(text))")
        }
        for name in ["sum", "avg", "min", "max", "array_agg"] {
            for (frame, first, last) in [
                ("3 PRECEDING AND 1 FOLLOWING", "-3", "+1"), ("UNBOUNDED PRECEDING AND CURRENT ROW", "-999", ""),
                ("2 FOLLOWING AND 4 FOLLOWING", "+2", "+4"), ("40 PRECEDING AND CURRENT ROW", "-40", ""),
            ] {
                let different = try stage.connection.integer(
                    """
                    SELECT count(*) FROM (
                        SELECT id, query_\(name)(value) OVER (ORDER BY id ROWS BETWEEN \(frame)) AS found FROM rows
                    ) AS outer WHERE found IS NOT (
                        SELECT query_\(name)(value) FROM
                            (SELECT value FROM rows WHERE id BETWEEN outer.id \(first) AND outer.id \(last) ORDER BY id))
                    """)
                #expect(different == 0, "seed \(random.seed): \(name) \(frame)")
            }
        }
    }

    @Test("a sum that was too large in one frame of a window is exact in the next ones")
    func overflowInWindow() throws {
        try stage.connection.execute("CREATE TABLE rows(id INTEGER PRIMARY KEY, value)")
        for (id, value) in ["1e308", "1e308", "1", "2", "-1e308", "0.5", "0.25"].enumerated() {
            try stage.connection.execute("INSERT INTO rows VALUES (\(id), \(try literal(value)))")
        }
        var sums: [String] = []
        try stage.connection.query(
            "SELECT quote(query_sum(value) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)) FROM rows"
        ) { row in sums.append(row.text(0) ?? "") }
        let wanted = try ["1e308", "null", "1e308", "3", "-1e308", "-1e308", "0.75"].map { try stage.ask(literal($0)) }
        #expect(sums == wanted)
    }

    @Test("query_each has a row for each item, each member, or for a scalar itself")
    func each() throws {
        func rows(_ json: String) throws -> [String] {
            var rows: [String] = []
            try stage.connection.query(
                "SELECT quote(key), quote(value) FROM query_each(\(try literal(json)))"
            ) { row in rows.append("\(row.text(0) ?? "") \(row.text(1) ?? "")") }
            return rows
        }
        #expect(
            try rows(#"[1,"x",null,[2],{"k":1}]"#) == ["0 1", "1 'x'", "2 X'00'", "3 X'2B1332'", "4 X'4C176B1331'"])
        #expect(try rows(#"{"a":1.5,"é":true}"#) == ["'a' 1.5", "'é' X'01'"])
        #expect(try rows("7") == ["NULL 7"])
        #expect(try rows("\"abc\"") == ["NULL 'abc'"])
        #expect(try rows("null") == ["NULL X'00'"])
        for nothing in ["MISSING", "[]", "{}"] { #expect(try rows(nothing) == []) }
        for damaged in ["x''", "x'FF'", "x'05'", "x'0D'", "x'3B1331'"] {
            #expect(try stage.connection.integer("SELECT count(*) FROM query_each(\(damaged))") == 0, "\(damaged)")
        }
        // What stands before damaged bytes has rows.
        #expect(try stage.connection.integer("SELECT count(*) FROM query_each(x'4B1331FFFF')") == 1)
    }

    @Test("query_each joins, and refuses to run without a container")
    func joins() throws {
        try stage.connection.execute(
            "CREATE TABLE d(id INTEGER PRIMARY KEY, body); INSERT INTO d VALUES (1, \(jsonb(#"{"t":[[1,2],[3]]}"#))), (2, \(jsonb("{}")))"
        )
        let sql = """
            SELECT group_concat(d.id || ':' || b.value || '/' || b.rowid) FROM d
            JOIN query_each(query_value(d.body, 't')) AS a JOIN query_each(a.value) AS b
            """
        #expect(try stage.connection.text(sql) == "1:1/0,1:2/1,1:3/0")
        #expect(
            try stage.connection.integer(
                "SELECT count(*) FROM d WHERE EXISTS (SELECT 1 FROM query_each(query_value(body, 't')) AS e WHERE e.key = 1)"
            ) == 1)
        #expect(try stage.connection.text("SELECT quote(container) FROM query_each(5)") == "5")
        #expect(throws: (any Error).self) { try stage.connection.execute("SELECT * FROM query_each") }
        #expect(throws: (any Error).self) {
            try stage.connection.execute("CREATE VIRTUAL TABLE x USING query_each(a)")
        }
    }

    @Test("texts are the same where the database's encoding is UTF-16")
    func encodings() throws {
        try stage.connection.execute("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(body, name)")
        try stage.connection.execute("INSERT INTO t VALUES (\(jsonb(#"{"é":["ü","😀"]}"#)), 'é')")
        let sql =
            "SELECT group_concat(query_upper(e.value) || e.key) || query_max(e.value) FROM t, query_each(query_value(body, name)) AS e"
        #expect(try stage.connection.text(sql) == "Ü0,😀1😀")
        #expect(try stage.connection.text("SELECT value || container FROM t, query_each(name)") == "éé")
        #expect(
            try stage.connection.integer("SELECT query_test('=', 'ü', body, name, 0) = x'01' FROM t") == 1)
    }
}
