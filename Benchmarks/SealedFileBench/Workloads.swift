import CSQLite

/// A connection for benchmarks: no checks but traps, nothing between the caller and SQLite.
@safe final class BenchConnection {
    private let handle: OpaquePointer

    init(_ uri: String) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
        precondition(unsafe sqlite3_open_v2(uri, &handle, flags, nil) == SQLITE_OK, "cannot open the database")
        guard let opened = unsafe handle else { preconditionFailure("no connection") }
        unsafe self.handle = unsafe opened
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    func run(_ sql: String) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        precondition(code == SQLITE_OK, unsafe "\(sql.prefix(60)): \(String(cString: sqlite3_errmsg(handle)))")
    }

    /// Prepares one statement and runs it once for each number, bound as its first parameter.
    func run(_ sql: String, binding numbers: some Sequence<Int>) {
        var statement: OpaquePointer?
        precondition(unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, sql)
        defer { unsafe sqlite3_finalize(statement) }
        for number in numbers {
            unsafe sqlite3_bind_int64(statement, 1, Int64(number))
            while unsafe sqlite3_step(statement) == SQLITE_ROW { _ = unsafe sqlite3_column_int64(statement, 0) }
            precondition(unsafe sqlite3_reset(statement) == SQLITE_OK, sql)
        }
    }
}

/// The workloads of the table, each on a database of its own kind. All figures are CPU seconds of this process.
struct Workload {
    let name: String
    let journalMode: String
    /// Makes what the workload needs, not measured.
    let prepare: @Sendable (BenchConnection) -> Void
    let run: @Sendable (BenchConnection) -> Void
    /// Whether every run needs a new file.
    let needsFreshFile: Bool
    let bound: Double

    static let rowCount = 1_000_000

    /// About 500 MB: a million rows of 500 bytes.
    static let fill = """
        CREATE TABLE t(a INTEGER PRIMARY KEY, b INTEGER, c BLOB);
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < \(rowCount))
        INSERT INTO t SELECT x, x * 7919 % 1000003, randomblob(490) FROM n;
        """

    static func all() -> [Workload] {
        ["WAL", "DELETE"].flatMap { mode in
            [scan(mode), pointReads(mode), bulkInsert(mode), mix(mode)] + (mode == "WAL" ? [smallCommits(mode)] : [])
        }
    }

    static func scan(_ mode: String) -> Workload {
        Workload(
            name: "full scan 513 MB", journalMode: mode, prepare: { $0.run(fill) },
            run: { $0.run("SELECT count(*), sum(b) FROM t", binding: [0]) }, needsFreshFile: false, bound: 2.2)
    }

    static func pointReads(_ mode: String) -> Workload {
        let keys = (0..<100_000).map { $0 &* 7_368_787 % rowCount + 1 }
        return Workload(
            name: "100,000 point reads", journalMode: mode, prepare: { $0.run(fill) },
            run: { $0.run("SELECT b, length(c) FROM t WHERE a = ?1", binding: keys) },
            needsFreshFile: false, bound: mode == "WAL" ? 1.45 : 1.3)
    }

    static func bulkInsert(_ mode: String) -> Workload {
        Workload(
            name: "bulk insert", journalMode: mode,
            prepare: { $0.run("CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB)") },
            run: { connection in
                connection.run("BEGIN")
                connection.run("INSERT INTO t VALUES(?1, zeroblob(200))", binding: 1...rowCount)
                connection.run("COMMIT")
            }, needsFreshFile: true, bound: mode == "WAL" ? 1.3 : 1.2)
    }

    static func smallCommits(_ mode: String) -> Workload {
        Workload(
            name: "2,000 small commits", journalMode: mode,
            prepare: { $0.run("CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB)") },
            run: { $0.run("INSERT INTO t VALUES(?1, zeroblob(100))", binding: 1...2000) },
            needsFreshFile: true, bound: 1.2)
    }

    /// In the manner of SQLite's speedtest1: inserts, indexes, ordered and random selects, updates, deletes, joins.
    static func mix(_ mode: String) -> Workload {
        Workload(
            name: "mixed statements", journalMode: mode, prepare: { _ in },
            run: { connection in
                for sql in mixedStatements { connection.run(sql) }
            }, needsFreshFile: true, bound: 1.4)
    }

    private static let mixedStatements = [
        "CREATE TABLE m(a INTEGER, b INTEGER, c TEXT)",
        """
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100000)
        INSERT INTO m SELECT x, x * 7919 % 100003, printf('number %d of the mixed statements', x * 104729 % 100003) FROM n
        """,
        "CREATE INDEX m_b ON m(b)",
        "CREATE INDEX m_c ON m(c)",
        "CREATE TABLE o(a INTEGER PRIMARY KEY, b INTEGER UNIQUE, c TEXT) WITHOUT ROWID",
        "INSERT INTO o SELECT a, b, c FROM m ORDER BY b",
        "SELECT count(*), avg(b) FROM m WHERE c LIKE '%77%'",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000) "
            + "SELECT sum(m.a) FROM n JOIN m ON m.b = n.x * 31 % 100003",
        "UPDATE m SET b = b + 1 WHERE a % 3 = 0",
        "UPDATE m SET c = c || ' again' WHERE a % 5 = 0",
        "DELETE FROM m WHERE b % 7 = 0",
        "INSERT INTO m SELECT a, b, c FROM o WHERE a % 7 = 0",
        "SELECT count(*) FROM m JOIN o USING(a) WHERE o.b < 50000",
        "DELETE FROM m WHERE c LIKE '%9%'",
        "SELECT c FROM m ORDER BY c LIMIT 10",
        "VACUUM",
    ]
}
