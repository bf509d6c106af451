extension CorpusSchema {
    /// Tables, virtual tables and other objects in their rarer forms, and files laid out otherwise.
    static let files: [CorpusSchema] = [
        CorpusSchema(
            name: "WITHOUT ROWID, a key of several orders and collations",
            sql: """
                CREATE TABLE t(a TEXT COLLATE NOCASE, b INT, c BLOB, d, e DEFAULT 'e', PRIMARY KEY(b DESC, a, c)) WITHOUT ROWID;
                CREATE INDEX i ON t(d, a COLLATE RTRIM DESC); CREATE UNIQUE INDEX j ON t(c) WHERE b > 1;
                WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 40)
                    INSERT INTO t(a, b, c, d) SELECT 'K' || x % 7, x % 3, CAST(x AS BLOB), zeroblob(x * 97) FROM n
                """),
        CorpusSchema(
            name: "FTS5 without content, by trigrams, and its vocabulary",
            sql: """
                CREATE VIRTUAL TABLE f USING fts5(a, b, content='', detail=none); INSERT INTO f(rowid, a, b) VALUES (3, 'one two', 'three'), (9, 'two', '');
                CREATE VIRTUAL TABLE g USING fts5(a, tokenize='trigram case_sensitive 1', columnsize=0); INSERT INTO g VALUES ('abcdef');
                CREATE VIRTUAL TABLE v USING fts5vocab(f, 'row'); INSERT INTO g(g, rank) VALUES ('automerge', 4)
                """),
        CorpusSchema(
            name: "FTS3 and FTS4 with options",
            sql: """
                CREATE VIRTUAL TABLE f USING fts3(a, b TEXT, tokenize=porter); INSERT INTO f(docid, a) VALUES (7, 'running dogs');
                CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'elsewhere');
                CREATE VIRTUAL TABLE g USING fts4(content="t", a, order=desc, prefix="2,4", matchinfo="fts3"); INSERT INTO g(g) VALUES ('rebuild');
                CREATE VIRTUAL TABLE h USING fts4(a, languageid="lid", tokenize=unicode61 "remove_diacritics=2"); INSERT INTO h(a, lid) VALUES ('Bäume', 4);
                CREATE VIRTUAL TABLE x USING fts4aux(f); DELETE FROM f WHERE docid = 7
                """),
        CorpusSchema(
            name: "R-trees of one and five dimensions",
            sql: """
                CREATE VIRTUAL TABLE r USING rtree(id, a0, a1, b0, b1, c0, c1, d0, d1, e0, e1, +name TEXT, +more);
                CREATE VIRTUAL TABLE s USING rtree_i32(id, a0, a1);
                WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 60)
                    INSERT INTO r SELECT x, x, x + 1, -x, x, 0, 1, 0.5, 0.75, x, x * 2, 'n' || x, NULL FROM n;
                INSERT INTO s VALUES (-5, -2147483648, 2147483647)
                """),
        CorpusSchema(
            name: "AUTOINCREMENT with changed sequences",
            sql: """
                CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, b); INSERT INTO t(b) VALUES (1), (2); CREATE TABLE u(a INTEGER PRIMARY KEY AUTOINCREMENT);
                INSERT INTO u VALUES (5); UPDATE sqlite_sequence SET seq = 9000000000000000000 WHERE name = 't'; UPDATE sqlite_sequence SET seq = 'text' WHERE name = 'u'
                """),
        CorpusSchema(
            name: "statistics that were changed",
            sql: """
                CREATE TABLE t(a, b, PRIMARY KEY(a, b)) WITHOUT ROWID; CREATE INDEX i ON t(b); INSERT INTO t VALUES (1, 2), (2, 2), (3, 1); ANALYZE;
                UPDATE sqlite_stat1 SET stat = '1000000 10 1 unordered' WHERE idx = 'i'; INSERT INTO sqlite_stat1 VALUES ('t', NULL, '77'), ('gone', 'gone', '1')
                """),
        CorpusSchema(
            name: "triggers that raise, recur and stand for views",
            sql: """
                CREATE TABLE t(id INTEGER PRIMARY KEY, up REFERENCES t, n); CREATE VIEW v AS SELECT id, n FROM t;
                CREATE TRIGGER a BEFORE INSERT ON t WHEN NEW.n < 0 BEGIN SELECT RAISE(IGNORE); SELECT RAISE(ROLLBACK, 'no'); END;
                CREATE TRIGGER b AFTER DELETE ON t BEGIN DELETE FROM t WHERE up = OLD.id; END;
                CREATE TRIGGER c INSTEAD OF UPDATE OF n ON v BEGIN UPDATE t SET n = NEW.n WHERE id = OLD.id; END;
                CREATE TRIGGER d INSTEAD OF DELETE ON v BEGIN SELECT CASE WHEN OLD.n THEN RAISE(FAIL, 'it''s kept') END; END;
                CREATE TRIGGER e AFTER UPDATE ON t FOR EACH ROW BEGIN INSERT INTO t(up, n) VALUES (NEW.id, -1) ON CONFLICT DO UPDATE SET n = excluded.n; END;
                INSERT INTO t VALUES (1, NULL, 1), (2, 1, 2), (3, 2, 3); UPDATE v SET n = 9 WHERE id = 3; DELETE FROM t WHERE id = 2
                """),
        CorpusSchema(
            name: "views of queries of every kind, of views, and of nothing",
            sql: """
                CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'x');
                CREATE VIEW tree AS WITH RECURSIVE n(x) AS (SELECT 1 UNION SELECT x + 1 FROM n LIMIT 5) SELECT x FROM n;
                CREATE VIEW windows AS SELECT sum(a) OVER w AS s, lag(a, 1, 0) OVER (PARTITION BY b ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES)
                    FROM t WINDOW w AS (ORDER BY a RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW);
                CREATE VIEW both(one, two) AS SELECT * FROM t NATURAL JOIN tree UNION ALL VALUES (1, 2) EXCEPT SELECT s, NULL FROM windows ORDER BY 1;
                CREATE VIEW groups AS SELECT b, group_concat(a, '; ') FILTER (WHERE a > 1) FROM t GROUP BY b HAVING count(*) > 0;
                CREATE VIEW empty AS SELECT * FROM gone WHERE missing(1)
                """),
        CorpusSchema(
            name: "foreign keys in cycles and over several columns",
            sql: """
                CREATE TABLE a(x INTEGER PRIMARY KEY, b REFERENCES b(x) DEFERRABLE INITIALLY DEFERRED, self REFERENCES a ON UPDATE CASCADE);
                CREATE TABLE b(x INTEGER PRIMARY KEY, a INT DEFAULT 1, FOREIGN KEY(a) REFERENCES a(x) ON DELETE SET DEFAULT DEFERRABLE INITIALLY DEFERRED);
                CREATE TABLE c(p, q, r, CONSTRAINT "the key" PRIMARY KEY(p, q), FOREIGN KEY(q, r) REFERENCES c(p, q) MATCH FULL ON UPDATE SET NULL) WITHOUT ROWID;
                CREATE TABLE d(gone REFERENCES missing(at_all)); INSERT INTO d VALUES (1);
                BEGIN; INSERT INTO a VALUES (1, 1, 1), (2, NULL, 1); INSERT INTO b VALUES (1, 1); COMMIT; INSERT INTO c VALUES (1, 2, 3), (2, 3, NULL)
                """),
        CorpusSchema(
            name: "names that are keywords, quoted, empty or not ASCII",
            sql: """
                CREATE TABLE [table]([select] INT, "from""where" TEXT, `x``y` BLOB, 'string' ANY, ""); INSERT INTO "table" VALUES (1, 2, 3, 4, 5);
                CREATE TABLE ""(""); INSERT INTO "" VALUES ('nothing'); CREATE INDEX "." ON ""("");
                CREATE TABLE "naïve 表 🗝"("Größe", "é", "é"); INSERT INTO "naïve 表 🗝" VALUES (1, 2, 3); CREATE INDEX "by 🗝" ON "naïve 表 🗝"("é" DESC);
                CREATE TABLE t(rowid TEXT, oid, "a
                b"); INSERT INTO t VALUES ('r', 'o', 'n'); CREATE TABLE "main"(main); INSERT INTO "main" VALUES (1);
                CREATE TRIGGER "end" AFTER INSERT ON [table] BEGIN INSERT INTO "" VALUES ('begin; end'); END;
                CREATE VIEW "a.b" AS SELECT [select] AS "c.d" FROM [table]
                """),
        CorpusSchema(
            name: "pages of 512 bytes in UTF-16, free ones among them",
            settings: "PRAGMA encoding = 'UTF-16le'; PRAGMA page_size = 512",
            sql: """
                CREATE TABLE t(a TEXT, b); CREATE INDEX i ON t(a);
                WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 80) INSERT INTO t SELECT 'größe ' || x, zeroblob(x * 20) FROM n;
                DELETE FROM t WHERE rowid % 3 = 0
                """),
        CorpusSchema(
            name: "pages of 65536 bytes in UTF-16 with big ends, auto-vacuum",
            settings: "PRAGMA encoding = 'UTF-16be'; PRAGMA page_size = 65536; PRAGMA auto_vacuum = 1",
            sql: """
                CREATE TABLE t(a TEXT PRIMARY KEY, b); INSERT INTO t VALUES ('日本', zeroblob(150000)), ('🗝', 1); CREATE TABLE u(a); DROP TABLE u
                """),
        CorpusSchema(
            name: "the file format of SQLite 3.0", isOfSQLite30: true,
            sql: """
                CREATE TABLE t(a, b INTEGER, c REAL); CREATE INDEX i ON t(b DESC, a); INSERT INTO t VALUES ('x', 0, 1.0), ('y', 1, 0), (NULL, 1, 2.5);
                ALTER TABLE t ADD COLUMN d DEFAULT 4
                """),
        CorpusSchema(
            name: "a table of many columns, some added",
            sql: """
                CREATE TABLE t(\((0..<300).map { "c\($0)" }.joined(separator: ", "))); INSERT INTO t(c0, c299) VALUES (1, 2);
                ALTER TABLE t ADD COLUMN n DEFAULT x'ff'; INSERT INTO t(n) VALUES (3)
                """),
        CorpusSchema(
            name: "virtual tables of modules that nobody has here",
            sql: """
                CREATE TABLE mail_content(docid INTEGER PRIMARY KEY, c0body); INSERT INTO mail_content VALUES (1, 'text');
                CREATE TABLE mail_segments(blockid INTEGER PRIMARY KEY, block BLOB);
                CREATE TABLE mail_segdir(level INTEGER, idx INTEGER, start_block INTEGER, leaves_end_block INTEGER, end_block INTEGER, root BLOB, PRIMARY KEY(level, idx));
                CREATE TABLE vec_chunks(chunk_id INTEGER PRIMARY KEY, validity BLOB NOT NULL); INSERT INTO vec_chunks VALUES (1, x'01');
                PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES
                    ('table', 'mail', 'mail', 0, 'CREATE VIRTUAL TABLE mail USING fts3(tokenize mozporter, body)'),
                    ('table', 'vec', 'vec', 0, 'CREATE VIRTUAL TABLE vec USING vec0(embedding float[4] distance_metric=cosine)');
                PRAGMA writable_schema = OFF
                """),
    ]
}
