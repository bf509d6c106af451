import CSQLite
import SealiteFile
import SealiteJSON
import Testing

@testable import SealiteFunctions

@Suite("the work and the memory of functions of queries")
struct QueryWorkTests {
    private let stage: QueryStage

    init() throws {
        stage = try QueryStage()
        // Interrupts the statement that it is called in, as another thread does, and returns its argument.
        let code = unsafe sqlite3_create_function_v2(
            stage.connection.handle, "interrupted", 1, SQLITE_UTF8, nil,
            { context, _, arguments in
                unsafe sqlite3_interrupt(sqlite3_context_db_handle(context))
                unsafe sqlite3_result_value(context, arguments?[0])
            }, nil, nil, nil)
        try #require(code == SQLITE_OK)
        try stage.connection.execute("CREATE TABLE big(digits, unsorted, nested, letters, words, members)")
        let digits: [UInt8] = [0, 8, 7, 6, 5, 4, 3, 2, 1].flatMap { [0x13, 0x30 + $0] }
        let members: [UInt8] = (0..<20).flatMap { [0x17, 0x61 + $0, 0x00] }
        try stage.connection.query(
            "INSERT INTO big VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            bind: [
                .blob(Self.container(JSONBType.array, digits, byteCount: 600_000)),
                .blob(Self.container(JSONBType.array, digits, byteCount: 50_000)),
                .blob(Self.container(JSONBType.array, [0x2B, 0x13, 0x31], byteCount: 450_000)),
                .text(String(repeating: "a", count: 60_000)),
                .text(String(repeating: "a ", count: 100_000)),
                .blob(Self.container(JSONBType.object, members, byteCount: 900_000)),
            ])
        try stage.connection.execute(
            """
            CREATE VIRTUAL TABLE texts USING fts5(a, tokenize = 'sealite');
            INSERT INTO texts SELECT words FROM big;
            """)
    }

    /// An array or object whose payload is some elements, repeated until it has a number of bytes.
    private static func container(_ type: UInt8, _ elements: [UInt8], byteCount: Int) -> [UInt8] {
        var payload = elements
        while payload.count < byteCount { payload += payload }
        let size = byteCount / elements.count * elements.count
        return [0xE0 | type] + (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + payload[..<size]
    }

    private func units() throws -> Int { Int(try stage.connection.integer("SELECT query_work()")) }

    /// Runs a statement, and returns the result code of its last step and the units of work that it took.
    private func run(_ sql: String) throws -> (code: CInt, units: Int) {
        let before = try units()
        var statement: OpaquePointer?
        let compiled = unsafe sqlite3_prepare_v2(stage.connection.handle, sql, -1, &statement, nil)
        try #require(compiled == SQLITE_OK, "\(sql)")
        defer { unsafe sqlite3_finalize(statement) }
        var code = unsafe sqlite3_step(statement)
        while code == SQLITE_ROW { code = unsafe sqlite3_step(statement) }
        let result = unsafe sqlite3_reset(statement)
        return (result == SQLITE_OK ? code : result, try units() - before)
    }

    /// The most expensive calls, with `$` for the argument that interrupts the statement.
    private static let calls = [
        "query_array_sort($(unsorted)) FROM big",
        "query_array_distinct($(unsorted)) FROM big",
        "query_array_flatten($(nested), -1) FROM big",
        "query_array_contains($(digits), 9) FROM big",
        "query_array_count($(digits)) FROM big",
        "query_array_sum($(digits)) FROM big",
        "query_euclidean_distance($(digits), digits) FROM big",
        "query_slice($(digits), 1, -1) FROM big",
        "query_object_keys($(members)) FROM big",
        "query_object_merge($(members), members) FROM big",
        "query_hits(texts, $('a')) FROM texts('a')",
        "query_snippet(texts, $(0), '', '', '', 16) FROM texts('a')",
        "query_highlight(texts, $(0), '', '') FROM texts('a')",
    ]

    @Test("after an interruption a call does at most the units between two looks and one pass", arguments: calls)
    func interruption(call: String) throws {
        let whole = try run("SELECT " + call.replacing("$", with: ""))
        #expect(whole.code == SQLITE_DONE)
        // Otherwise the call wouldn't have to look for an interruption.
        #expect(whole.units > WorkCounter.interval, "\(whole.units)")
        let ended = try run("SELECT " + call.replacing("$", with: "interrupted"))
        #expect(ended.code == SQLITE_INTERRUPT)
        let pass = 1_000_000 / 64 + 300_000
        #expect(ended.units <= WorkCounter.interval + pass, "\(ended.units)")
        #expect(ended.units < whole.units)
    }

    @Test("an interruption that came before the statement has no effect")
    func earlierInterruption() throws {
        unsafe sqlite3_interrupt(stage.connection.handle)
        #expect(try run("SELECT query_array_sort(unsorted) FROM big").code == SQLITE_DONE)
    }

    @Test("the work of snippets, highlights and hits grows with the number of hits, not with its square")
    func linearHits() throws {
        try stage.connection.execute(
            """
            CREATE VIRTUAL TABLE short USING fts5(a, tokenize = 'sealite');
            INSERT INTO short SELECT substr(words, 1, length(words) / 4) FROM big;
            """)
        for call in ["query_hits(%, 'a')", "query_snippet(%, 0, '', '', '', 16)", "query_highlight(%, 0, '', '')"] {
            let (few, many) = try (
                run("SELECT \(call.replacing("%", with: "short")) FROM short('a')"),
                run("SELECT \(call.replacing("%", with: "texts")) FROM texts('a')")
            )
            #expect(few.code == SQLITE_DONE && many.code == SQLITE_DONE)
            #expect(many.units <= 5 * few.units, "\(call): \(few.units), \(many.units)")
            #expect(many.units <= 10 * 100_000)
        }
    }

    @Test("the memory of large results counts until SQLite frees them, and is limited")
    func memory() throws {
        var work = ConnectionWork()
        // Other tests use SQLite's memory at the same time.
        try work.take(ConnectionWork.memoryLimit / 2)
        #expect(throws: CallFailure.tooLarge) { try work.take(ConnectionWork.memoryLimit / 2) }
        work.giveBack(ConnectionWork.memoryLimit / 2)
        try work.take(ConnectionWork.memoryLimit / 2)
        let held = LargeResults.count
        var statement: OpaquePointer?
        let sql = """
            SELECT query_concat(value, value), query_array(value, value)
            FROM (SELECT query_repeat('ab', 600000) AS value)
            """
        try #require(unsafe sqlite3_prepare_v2(stage.connection.handle, sql, -1, &statement, nil) == SQLITE_OK)
        defer { unsafe sqlite3_finalize(statement) }
        try #require(unsafe sqlite3_step(statement) == SQLITE_ROW)
        #expect(unsafe sqlite3_column_bytes(statement, 0) == 2_400_000)
        #expect(LargeResults.count > held)
        #expect(unsafe sqlite3_step(statement) == SQLITE_DONE)
        unsafe sqlite3_reset(statement)
        #expect(LargeResults.count == held)
    }

    @Test("a result that would be longer than the connection's limit fails before its memory is allocated")
    func longResults() throws {
        unsafe _ = sqlite3_limit(stage.connection.handle, SQLITE_LIMIT_LENGTH, 1_000_000)
        for call in [
            "query_concat(letters, letters, letters, letters, letters, letters, letters, letters, letters, letters, "
                + "letters, letters, letters, letters, letters, letters, letters)",
            "query_array(digits, digits)", "query_object('a', digits, 'b', digits)",
        ] {
            #expect(try run("SELECT \(call) FROM big").code == SQLITE_TOOBIG, "\(call)")
        }
        #expect(try run("SELECT query_array_agg(letters) FROM big").code == SQLITE_DONE)
        let list = Self.container(JSONBType.array, [0], byteCount: 20)
        try stage.connection.execute("CREATE TABLE list(items)")
        try stage.connection.query("INSERT INTO list VALUES (?1)", bind: [.blob(list)])
        #expect(try run("SELECT query_array_agg(letters) FROM big, list, query_each(items)").code == SQLITE_TOOBIG)
    }
}
