import Testing

/// A schema with rows, of the constructs that SQLite's language has and of programs whose files people move.
struct CorpusSchema: CustomTestStringConvertible, Sendable {
    let name: String
    /// The pragmas that come before everything.
    var settings = ""
    /// A Boolean value that says whether the file has the format that SQLite made before version 3.3, in which all indexes
    /// ascend. https://sqlite.org/fileformat2.html#schemaformat
    var isOfSQLite30 = false
    let sql: String

    var testDescription: String { name }

    static let all: [CorpusSchema] = constructs + files + programs

    static let constructs = [
        ("JSON in a generated column", "CREATE TABLE t(d, x AS (json_extract(d, '$.a'))); \(documents)"),
        ("JSON in a stored column", "CREATE TABLE t(d, x AS (d ->> 'a') STORED); \(documents)"),
        ("JSON in a CHECK", "CREATE TABLE t(d CHECK (json_valid(d)), CHECK (json_type(d) = 'object')); \(documents)"),
        ("JSON in an index", "CREATE TABLE t(d); CREATE INDEX i ON t(json_extract(d, '$.a'), d -> 'b'); \(documents)"),
        (
            "JSON in a partial index",
            "CREATE TABLE t(d); CREATE INDEX i ON t(d) WHERE json_type(d, '$.a') IS NOT NULL; \(documents)"
        ),
        (
            "JSON everywhere",
            """
            CREATE TABLE t(d, x AS (json_extract(d, '$.a')), y AS (json_extract(d, '$.b')) STORED, CHECK (json_valid(d)));
            CREATE UNIQUE INDEX i ON t(x); CREATE INDEX j ON t(json_array_length(d, '$.b')) WHERE x > 1; \(documents)
            """
        ),
        (
            "JSON in a view and a trigger",
            """
            CREATE TABLE t(d); CREATE TABLE log(x); CREATE VIEW v AS SELECT json_extract(d, '$.a') FROM t;
            CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES (json_array(NEW.d)); END; \(documents)
            """
        ),
        ("generated and CHECK", "CREATE TABLE t(a, b AS (a + 1), CHECK (a > 0)); INSERT INTO t VALUES (1), (2)"),
        ("stored and CHECK", "CREATE TABLE t(a, b AS (a + 1) STORED CHECK (b > 0), c); INSERT INTO t VALUES (1, 2)"),
        (
            "generated key",
            "CREATE TABLE t(a, b AS (a || 'k') STORED UNIQUE, CHECK (b <> '')) ; INSERT INTO t VALUES (1)"
        ),
        (
            "generated and CHECK, WITHOUT ROWID",
            """
            CREATE TABLE t(k TEXT PRIMARY KEY, b AS (length(k)), CHECK (b > 0)) WITHOUT ROWID; INSERT INTO t VALUES ('x')
            """
        ),
        (
            "generated and CHECK, large rows",
            """
            CREATE TABLE t(a, b AS (length(a)) STORED, CHECK (b >= 0)); CREATE INDEX i ON t(b);
            WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 90) INSERT INTO t SELECT zeroblob(x * 99) FROM n
            """
        ),
        (
            "STRICT",
            "CREATE TABLE t(a INT, b TEXT, c ANY, d BLOB, e REAL) STRICT; INSERT INTO t VALUES (1, 'x', 2, x'00', 1)"
        ),
        (
            "STRICT, WITHOUT ROWID",
            "CREATE TABLE t(a ANY, b INT, PRIMARY KEY(a, b)) STRICT, WITHOUT ROWID; INSERT INTO t VALUES ('1', 1)"
        ),
        (
            "descending keys",
            "CREATE TABLE t(a, b, PRIMARY KEY(a DESC, b)) WITHOUT ROWID; CREATE INDEX i ON t(b DESC); INSERT INTO t VALUES (1, 2), (2, 1)"
        ),
        (
            "INTEGER PRIMARY KEY DESC",
            "CREATE TABLE t(a INTEGER PRIMARY KEY DESC, b); INSERT INTO t VALUES (1, 2), (2, 1)"
        ),
        (
            "AUTOINCREMENT",
            "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, b); INSERT INTO t VALUES (70, 1); DELETE FROM t"
        ),
        (
            "foreign keys",
            "CREATE TABLE p(a PRIMARY KEY); CREATE TABLE c(a REFERENCES p ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED); INSERT INTO c VALUES (9)"
        ),
        (
            "collations",
            "CREATE TABLE t(a TEXT COLLATE NOCASE UNIQUE, b COLLATE RTRIM); CREATE INDEX i ON t(b COLLATE BINARY); INSERT INTO t VALUES ('x', 'y ')"
        ),
        (
            "conflict clauses",
            "CREATE TABLE t(a UNIQUE ON CONFLICT REPLACE, b NOT NULL ON CONFLICT IGNORE DEFAULT 7, CHECK (b > 0) ON CONFLICT FAIL); INSERT INTO t(a) VALUES (1)"
        ),
        (
            "defaults by expressions",
            "CREATE TABLE t(a, b DEFAULT (json('{}')), c DEFAULT CURRENT_TIMESTAMP, d DEFAULT (abs(-3))); INSERT INTO t(a) VALUES (1)"
        ),
        (
            "expressions in indexes",
            "CREATE TABLE t(a, b); CREATE UNIQUE INDEX i ON t(a + b, lower(b)) WHERE a IS NOT NULL AND b LIKE 'x%'; INSERT INTO t VALUES (1, 'X')"
        ),
        (
            "odd names",
            "CREATE TABLE \"select \"\" from\"([order] , `group`, \"\"); CREATE INDEX \"a b\" ON \"select \"\" from\"([order]); INSERT INTO \"select \"\" from\" VALUES (1, 2, 3)"
        ),
        (
            "renamed and dropped columns",
            "CREATE TABLE t(a, b, c); INSERT INTO t VALUES (1, 2, 3); ALTER TABLE t RENAME COLUMN a TO z; ALTER TABLE t DROP COLUMN b; ALTER TABLE t ADD COLUMN n DEFAULT 5; ALTER TABLE t RENAME TO u"
        ),
        (
            "a column added with a CHECK",
            "CREATE TABLE t(a); INSERT INTO t VALUES (1); ALTER TABLE t ADD COLUMN b CHECK (b IS NULL OR b > 0); ALTER TABLE t ADD COLUMN g AS (a * 2)"
        ),
        (
            "triggers of every kind",
            """
            CREATE TABLE t(a); CREATE TABLE l(x); CREATE VIEW v AS SELECT a FROM t;
            CREATE TRIGGER g1 BEFORE UPDATE OF a ON t WHEN NEW.a > 3 BEGIN SELECT RAISE(ABORT, 'no'); END;
            CREATE TRIGGER g2 INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES (NEW.a); END;
            CREATE TRIGGER g3 AFTER DELETE ON t BEGIN INSERT INTO l VALUES (OLD.a); END; INSERT INTO v VALUES (1)
            """
        ),
        (
            "views",
            "CREATE TABLE t(a); CREATE VIEW v(x, y) AS WITH w AS (SELECT a FROM t) SELECT a, row_number() OVER (ORDER BY a) FROM w; INSERT INTO t VALUES (1)"
        ),
        (
            "FTS5",
            "CREATE VIRTUAL TABLE f USING fts5(a, b UNINDEXED, prefix='2 3', tokenize='unicode61 remove_diacritics 2'); INSERT INTO f VALUES ('grüne Bäume', 1)"
        ),
        (
            "FTS5 with content elsewhere",
            """
            CREATE TABLE t(i INTEGER PRIMARY KEY, a); CREATE VIRTUAL TABLE f USING fts5(a, content='t', content_rowid='i');
            CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO f(rowid, a) VALUES (NEW.i, NEW.a); END; INSERT INTO t VALUES (1, 'word')
            """
        ),
        ("FTS4", "CREATE VIRTUAL TABLE f USING fts4(a, tokenize=porter); INSERT INTO f VALUES ('running')"),
        ("R-tree", "CREATE VIRTUAL TABLE r USING rtree_i32(i, x0, x1, +extra); INSERT INTO r VALUES (1, 2, 3, 'e')"),
        ("statistics", "CREATE TABLE t(a); CREATE INDEX i ON t(a); INSERT INTO t VALUES (1), (2); ANALYZE"),
        ("nothing", "PRAGMA user_version = 3"),
        (
            "numbers at their limits",
            "CREATE TABLE t(a); INSERT INTO t VALUES (9223372036854775807), (-9223372036854775808), (1e308), (9e999), (-9e999), (-0.0), (4.9e-324)"
        ),
        (
            "invalid text",
            "CREATE TABLE t(a TEXT); INSERT INTO t VALUES (CAST(x'ff41d8' AS TEXT)), (char(0) || 'x'), ('')"
        ),
    ].map { CorpusSchema(name: $0.0, sql: $0.1) }

    private static let documents =
        "INSERT INTO t(d) VALUES ('{\"a\": 1, \"b\": [1, 2]}'), ('{\"a\": 2}'), ('{\"b\": null}')"
}
