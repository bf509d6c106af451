/// One statement of a workload, run `count` times with ?1 = 1, 2, … count, ?2 = ?1 · `multiplier` mod `modulus` + 1 and
/// ?3 = ?2 in words; 0 times means: as a script, without parameters.
struct Step {
    let sql: String
    var count = 0
    var multiplier = 1
    var modulus = 1 << 30

    func other(than number: Int) -> Int { number * multiplier % modulus + 1 }

    /// For the peers, which run the same steps from Python.
    var json: String {
        let text = sql.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: " ")
        return "{\"sql\":\"\(text)\",\"count\":\(count),\"multiplier\":\(multiplier),\"modulus\":\(modulus)}"
    }
}

/// A number as digits in words, so that texts have the lengths of names: 407 is "four zero seven".
func words(_ number: Int) -> String {
    let names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    return String(number).utf8.map { names[Int($0) - 48] }.joined(separator: " ")
}

/// Work on a database of its own, in one journal mode.
struct Workload {
    let name: String
    let journalMode: String
    /// Makes what the workload needs, not measured.
    let prepare: [Step]
    let run: [Step]
    /// A Boolean value that says whether every run needs a new file.
    let needsFreshFile: Bool
    let bound: Double
    /// The bound of the ratio of the elapsed times; nil if there is none.
    var elapsedBound: Double?

    static func all(rows: Int) -> [Workload] {
        ["WAL", "DELETE"].flatMap { mode in
            [scan(mode, rows), pointReads(mode, rows), bulkInsert(mode, rows)]
                + (mode == "WAL" ? [smallCommits(mode)] : []) + [mix(mode, rows)]
        }
    }

    /// About 500 MB at a million rows of 500 bytes.
    static func fill(_ rows: Int) -> [Step] {
        [
            Step(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY, b INTEGER, c BLOB)"),
            Step(
                sql: "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < \(rows)) "
                    + "INSERT INTO t SELECT x, x * 7919 % 1000003, randomblob(490) FROM n"),
        ]
    }

    static func scan(_ mode: String, _ rows: Int) -> Workload {
        Workload(
            name: "full scan", journalMode: mode, prepare: fill(rows),
            run: [Step(sql: "SELECT count(*), sum(b) FROM t", count: 1)], needsFreshFile: false, bound: 2.2,
            elapsedBound: 1.1)
    }

    static func pointReads(_ mode: String, _ rows: Int) -> Workload {
        let step = Step(
            sql: "SELECT b + length(c) + ?1 FROM t WHERE a = ?2", count: rows / 10, multiplier: 7_368_787, modulus: rows
        )
        return Workload(
            name: "point reads", journalMode: mode, prepare: fill(rows), run: [step], needsFreshFile: false,
            bound: mode == "WAL" ? 1.45 : 1.3)
    }

    static func bulkInsert(_ mode: String, _ rows: Int) -> Workload {
        Workload(
            name: "bulk insert", journalMode: mode,
            prepare: [Step(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB)")],
            run: [
                Step(sql: "BEGIN"), Step(sql: "INSERT INTO t VALUES(?1, zeroblob(200))", count: rows),
                Step(sql: "COMMIT"),
            ], needsFreshFile: true, bound: mode == "WAL" ? 1.3 : 1.2)
    }

    static func smallCommits(_ mode: String) -> Workload {
        Workload(
            name: "2,000 small commits", journalMode: mode,
            prepare: [Step(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB)")],
            run: [Step(sql: "INSERT INTO t VALUES(?1, zeroblob(100))", count: 2000)], needsFreshFile: true, bound: 1.2)
    }

    static func mix(_ mode: String, _ rows: Int) -> Workload {
        Workload(
            name: "speedtest1-like mix", journalMode: mode, prepare: [], run: StatementMix.steps(rows / 20),
            needsFreshFile: true, bound: 1.4)
    }
}
