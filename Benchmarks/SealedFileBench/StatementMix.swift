/// A mix of statements in the manner of SQLite's speedtest1: the same kinds in the same proportions, written anew, over some
/// tables of `n` rows (50,000 there) with texts of words.
enum StatementMix {
    static func steps(_ n: Int) -> [Step] {
        inserts(n) + selects(n) + changes(n) + removals(n) + keyedTables(n) + [
            Step(sql: "PRAGMA integrity_check"), Step(sql: "ANALYZE"),
        ]
    }

    private static func transaction(_ steps: Step...) -> [Step] { [Step(sql: "BEGIN")] + steps + [Step(sql: "COMMIT")] }

    private static func inserts(_ n: Int) -> [Step] {
        let scattered = (multiplier: 7_919, modulus: 16 * n + 1)
        func insert(_ table: String) -> Step {
            Step(
                sql: "INSERT INTO \(table) VALUES(?1, ?2, ?3)", count: n, multiplier: scattered.multiplier,
                modulus: scattered.modulus)
        }
        return transaction(Step(sql: "CREATE TABLE z1(a INTEGER, b INTEGER, c TEXT)"), insert("z1"))
            + transaction(Step(sql: "CREATE TABLE z2(a INTEGER PRIMARY KEY, b INTEGER, c TEXT)"), insert("z2"))
            + transaction(
                Step(sql: "CREATE TABLE t3(a INTEGER PRIMARY KEY, b INTEGER, c TEXT)"),
                Step(
                    sql: "INSERT INTO t3 VALUES(?2, ?1, ?3)", count: n, multiplier: scattered.multiplier,
                    modulus: scattered.modulus))
    }

    private static func selects(_ n: Int) -> [Step] {
        let between = "SELECT count(*) + ?1, avg(b), sum(length(c)) FROM"
        func many(_ sql: String, _ count: Int) -> Step {
            Step(sql: sql, count: count, multiplier: 10_007, modulus: 16 * n + 1)
        }
        return transaction(many("\(between) z1 WHERE b BETWEEN ?2 AND ?2 + 5000", 25))
            + transaction(many("\(between) z1 WHERE c LIKE '%' || substr(?3, 1, 9) || '%' AND ?2", 10))
            + transaction(
                many(
                    "SELECT sum(a + ?1) FROM (SELECT a FROM z1 WHERE c LIKE '%' || substr(?3, 1, 5) || '%' AND ?2 ORDER BY a)",
                    10))
            + transaction(
                many(
                    "SELECT sum(a + ?1) FROM (SELECT a FROM z1 WHERE c LIKE '%' || substr(?3, 1, 5) || '%' AND ?2 ORDER BY a LIMIT 10)",
                    10))
            + transaction(
                Step(sql: "CREATE UNIQUE INDEX t1b ON z1(b)"), Step(sql: "CREATE INDEX t1c ON z1(c)"),
                Step(sql: "CREATE UNIQUE INDEX t2b ON z2(b)"), Step(sql: "CREATE INDEX t2c ON z2(c DESC)"),
                Step(sql: "CREATE INDEX t3bc ON t3(b, c)"))
            + transaction(many("\(between) z1 WHERE b BETWEEN ?2 AND ?2 + 150", n / 5))
            + transaction(many("\(between) z2 WHERE a BETWEEN ?2 / 16 AND ?2 / 16 + 10", n / 5))
            + transaction(many("\(between) t3 WHERE a BETWEEN ?2 AND ?2 + 150", n / 5))
            + transaction(many("\(between) z1 WHERE c BETWEEN ?3 AND substr(?3, 1, 22) || '~' AND ?2", n / 5))
    }

    private static func changes(_ n: Int) -> [Step] {
        func many(_ sql: String, _ count: Int) -> Step {
            Step(sql: sql, count: count, multiplier: 10_009, modulus: 16 * n + 1)
        }
        return transaction(
            Step(sql: "CREATE TABLE t4(a INTEGER PRIMARY KEY, b INTEGER, c TEXT)"),
            Step(sql: "CREATE INDEX t4b ON t4(b)"), Step(sql: "CREATE INDEX t4c ON t4(c)"),
            Step(
                sql: "INSERT INTO t4 VALUES(?1, ?2, ?3)", count: n, multiplier: 7_919, modulus: 16 * n + 1))
            + transaction(Step(sql: "DELETE FROM z2"), Step(sql: "INSERT INTO z2 SELECT * FROM z1"))
            + [Step(sql: "VACUUM")]
            + [Step(sql: "ALTER TABLE z2 ADD COLUMN d INT DEFAULT 123"), Step(sql: "SELECT sum(d) FROM z2")]
            + transaction(many("UPDATE z2 SET d = b * 2 + ?1 WHERE b BETWEEN ?2 AND ?2 + 150", n / 5))
            + transaction(Step(sql: "UPDATE z2 SET d = b * 3 WHERE a = ?1", count: n))
            + [Step(sql: "UPDATE z2 SET d = b * 4"), Step(sql: "SELECT sum(d) FROM z2")]
    }

    private static func removals(_ n: Int) -> [Step] {
        func many(_ sql: String, _ count: Int) -> Step {
            Step(sql: sql, count: count, multiplier: 10_009, modulus: 16 * n + 1)
        }
        return transaction(many("DELETE FROM z2 WHERE b BETWEEN ?2 AND ?2 + 40 + ?1 * 0", n / 5))
            + transaction(Step(sql: "DELETE FROM t3 WHERE a = ?1", count: n))
            + transaction(
                Step(sql: "REPLACE INTO z2(a, b, c) SELECT a, b, c FROM z1"),
                Step(sql: "REPLACE INTO t3(a, b, c) SELECT a, b, c FROM z1"))
            + transaction(
                Step(sql: "DELETE FROM z2"),
                Step(sql: "INSERT INTO z2(a, b, c) SELECT a, b, c FROM z1 WHERE (b & 1) == (a & 1)"),
                Step(sql: "INSERT INTO z2(a, b, c) SELECT a, b, c FROM z1 WHERE (b & 1) <> (a & 1)"))
            + transaction(
                many(
                    "SELECT sum(length(z1.c)) + ?1 FROM z1, z2, t3, t4 WHERE t4.a BETWEEN ?2 / 16 AND ?2 / 16 + 10 AND t3.a = t4.a "
                        + "AND z2.a = t4.a AND z1.c = z2.c", n / 100))
            + transaction(
                Step(
                    sql:
                        "SELECT sum(a), max(c), avg((SELECT a FROM z2 WHERE z2.b = z1.b - 5) AND rowid < 3) FROM z1 WHERE rowid < \(n / 100)"
                ))
    }

    private static func keyedTables(_ n: Int) -> [Step] {
        let count = n * 7 / 5
        func many(_ sql: String) -> Step { Step(sql: sql, count: count, multiplier: 10_037, modulus: 4 * n + 1) }
        return transaction(
            Step(sql: "CREATE TABLE t5(a INTEGER PRIMARY KEY, b TEXT)"), many("REPLACE INTO t5 VALUES(?2, ?3 || ?1)"))
            + transaction(many("SELECT length(b) + ?1 FROM t5 WHERE a = ?2"))
            + transaction(
                Step(sql: "CREATE TABLE t6(a TEXT PRIMARY KEY, b INTEGER) WITHOUT ROWID"),
                many("REPLACE INTO t6 VALUES(?3, ?1 + ?2)"))
            + transaction(many("SELECT b + ?1 + ?2 FROM t6 WHERE a = ?3"))
            + [Step(sql: "SELECT count(*) FROM (SELECT DISTINCT b FROM t5)")]
    }
}
