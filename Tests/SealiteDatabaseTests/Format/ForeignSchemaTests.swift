import Foundation
import GRDB
import SealiteFile
import SealiteFunctions
import SealiteGRDB
import Testing

@testable import SealiteDatabase

/// What a file that somebody else made may have in its schema. Tests/Attacks/hostile_database.py does the same to the tool.
@Suite("databases that somebody else made: the schema")
struct ForeignSchemaTests {
    private let stage: IndexStage

    init() throws {
        stage = try IndexStage()
        for (id, age) in [("a", 1), ("b", 2), ("c", 3)] { try stage.save(id, age: age) }
    }

    private static let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"

    private static func view(_ name: String, _ columns: String) -> String {
        "DELETE FROM sqlite_schema WHERE tbl_name = '\(name)'; INSERT INTO sqlite_schema VALUES "
            + "('view', '\(name)', '\(name)', 0, 'CREATE VIEW \(name) AS \(endless) SELECT \(columns) FROM c')"
    }

    /// Changes the schema as text, as no statement does.
    private func rewrite(_ sql: String) throws {
        let queue = try stage.test.file.makeQueue()
        try queue.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA writable_schema = ON; \(sql); PRAGMA writable_schema = RESET")
        }
        try queue.close()
    }

    private func changeSQL(_ name: String, _ old: String, _ new: String) -> String {
        "UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)') WHERE name = '\(name)'"
    }

    @Test(
        "a table of the format that is missing, a view, or defined in another way isn't read, neither at opening nor by a check",
        arguments: [
            ForeignSchemaTests.view("properties", "''p'' || x AS name, x AS value"),
            ForeignSchemaTests.view(
                "documents_1", "x AS number, ''i'' || x AS id, x AS sequence, 0 AS flags, x''0201'' AS revision"),
            ForeignSchemaTests.view(
                "collections", "x AS number, ''s'' AS scope, ''n'' || x AS name, 1 AS sequence, 1 AS purges"),
            ForeignSchemaTests.view("refusals", "x AS remote"),
            "UPDATE sqlite_schema SET sql = replace(sql, ' STRICT', '') WHERE name = 'blobs'",
            "UPDATE sqlite_schema SET sql = replace(sql, 'UNIQUE INDEX', 'INDEX') WHERE name = 'documents_1_id'",
            "UPDATE sqlite_schema SET sql = replace(sql, '(sequence)', '(abs(sequence))') WHERE name = 'documents_1_sequence'",
            "UPDATE sqlite_schema SET sql = replace(sql, 'tree BLOB', 'tree BLOB, more TEXT AS (hex(body))') WHERE name = 'documents_1'",
            "INSERT INTO collections (number, scope, name) VALUES (7, 's', 'n')",
            "INSERT INTO collections (number, scope, name) VALUES (-7, 's', 'n')",
        ])
    func refused(edit: String) throws {
        try stage.test.database.close()
        try rewrite(edit)
        #expect(code { _ = try stage.test.reopened() } == .corruptData)
        let report = try #require(try SealiteDatabase.Database.checkDocuments(in: stage.test.file) { _ in })
        #expect(report.findings.count == 1 && !report.isRepairedByReindexing)
    }

    @Test("white space in a definition makes no difference, and so other programs' own tables don't either")
    func accepted() throws {
        try stage.test.database.close()
        try rewrite(changeSQL("documents_1", ", ", " ,\n\t"))
        try stage.foreign(
            """
            CREATE TABLE mine (x, y AS (x * 2), CHECK (x > 0)); CREATE VIEW ours AS SELECT id FROM documents_1;
            CREATE VIEW endless AS \(Self.endless) SELECT x FROM c;
            CREATE INDEX plain ON documents_1 (revision, flags);
            CREATE INDEX ages ON documents_1 (body_key('queries', body, 'age'));
            CREATE INDEX lengths ON documents_1 (length(id)) WHERE typeof(body) = 'blob';
            CREATE INDEX patterns ON mine (x) WHERE y LIKE '%a%';
            CREATE TRIGGER forever AFTER UPDATE ON documents_1 BEGIN SELECT count(*) FROM endless; END
            """)
        let again = try stage.test.reopened()
        try again.collection.save(document: MutableDocument(id: "d").setInt(4, forKey: "age"))
        #expect(try again.collection.count == 4 && again.database.integrityFindings() == [])
    }

    @Test(
        "an index of another program that calls functions of unbounded cost isn't run by a change: the database isn't opened",
        arguments: [
            "CREATE INDEX other ON documents_1 (id) WHERE id LIKE '%a%a%a%a%b'",
            "CREATE INDEX other ON documents_1 (hex(zeroblob(400000000)))",
            "CREATE INDEX other ON \"documents_1\" (printf('%500000000d', flags))",
            "CREATE UNIQUE INDEX other ON blobs (replace(hex(digest), 'A', hex(digest)))",
        ])
    func expensiveIndex(sql: String) throws {
        try stage.test.database.close()
        // Created while the tables are empty, so that the test itself is quick.
        try stage.foreign("DELETE FROM documents_1; \(sql)")
        let error = #expect(throws: SealiteDatabase.DatabaseError.self) { _ = try stage.test.reopened() }
        #expect(error?.code == .corruptData && error?.reason.contains("\"other\"") == true)
        try stage.foreign("DROP INDEX other")
        #expect(try stage.test.reopened().collection.count == 0)
    }

    @Test(
        "an index whose table, view or triggers aren't those of its definition is built anew at opening",
        arguments: [
            "UPDATE sqlite_schema SET sql = replace(sql, 'OLD.number', '0') WHERE name = 'keys_1_update'",
            "DELETE FROM sqlite_schema WHERE name = 'keys_1_insert'",
            "UPDATE sqlite_schema SET sql = replace(sql, 'BEFORE INSERT', 'BEFORE DELETE') WHERE name = 'documents_1_guard_insert'",
            "UPDATE sqlite_schema SET sql = replace(sql, ', STRICT', '') WHERE name = 'keys_2'",
            ForeignSchemaTests.view("keys_3", "x''00'' AS key1, x AS document"),
        ])
    func alteredIndex(edit: String) throws {
        try stage.makeIndexes()
        try stage.test.database.close()
        try rewrite(edit)
        let again = try stage.test.reopened()
        // A table that is only removed from the schema leaves its pages.
        func findings() throws -> [String] {
            try again.database.integrityFindings().filter { !$0.contains("never used") }
        }
        #expect(try findings() == [])
        #expect(try again.collection.indexRecords().allSatisfy(\.isCurrent))
        try again.collection.save(document: MutableDocument(id: "d").setInt(4, forKey: "age"))
        #expect(try findings() == [])
    }

    @Test("an endless view in place of a full-text index's is replaced at opening")
    func alteredTextIndex() throws {
        try stage.collection.createIndex(
            "words",
            TextDefinition(texts: [.init(name: "name", sql: "query_value(body, 'name')")], settings: WordSettings()))
        try stage.test.database.close()
        try rewrite(
            "UPDATE sqlite_schema SET sql = 'CREATE VIEW text_rows_1 AS \(Self.endless) SELECT x AS number, x AS text1 FROM c' "
                + "WHERE name = 'text_rows_1'")
        let again = try stage.test.reopened()
        #expect(try again.database.integrityFindings() == [])
    }

    @Test(
        "a stored definition whose SQL an index can't have makes its collection read-only, and is run neither at opening nor by a check",
        arguments: [
            "(\(ForeignSchemaTests.endless) SELECT CAST(max(x) AS BLOB) FROM c)",
            "CAST(hex(zeroblob(400000000)) AS BLOB)",
            "CAST(id LIKE '%a%a%a%b' AS BLOB)", "(SELECT body FROM documents_1)", "(SELECT sql FROM sqlite_schema)",
            "CAST(randomblob(9) AS BLOB)", "x''), (x''", "x'') FROM documents_1; --", "x'' /* ", "?1",
            "(SELECT value FROM json_each('[1]'))", "load_extension('x')", "x'' -- ",
        ])
    func definitions(sql: String) throws {
        try stage.makeIndexes()
        let definition = String(decoding: try JSONEncoder().encode(["keys": [["sql": sql]]]), as: UTF8.self)
        try stage.foreign(
            "UPDATE indexes SET state = 1, definition = '\(definition.replacing("'", with: "''"))' WHERE name = 'age'")
        let again = try stage.test.reopened()
        #expect(code { try again.collection.save(document: MutableDocument(id: "d")) } == .databaseTooNew)
        #expect(try again.collection.count == 3 && again.database.integrityFindings() == [])
    }

    @Test("the SQL that this program writes for indexes is allowed, and so is what Functions.md shows")
    func allowed() {
        let expressions = [
            "CAST(upper(body_value(body, 'name')) AS BLOB)", "query_key(query_lower(query_value(body, 'a b')))", "x''",
            "iif(id = 'it''s', body_key('mongo', body), NULL)", "body_value(body, 'v') % 2 = 0",
            "EXISTS (SELECT 1 FROM query_each(query_value(body, 'a')) AS u WHERE query_key(u.value) > query_key(id))",
            "CASE WHEN id >= 'a' THEN (SELECT max(value) FROM query_each(body)) ELSE ifnull(body, x'') END",
        ]
        for expression in expressions {
            let isAllowed = SQLExpressions.areAllowed([expression], over: ["id", "body"])
            #expect(isAllowed, "\(expression)")
        }
    }

    @Test("statements that take more steps than they may are ended")
    func steps() throws {
        let connection = try stage.test.file.makeQueue()
        try connection.read { connection in
            let sql = "\(Self.endless) SELECT count(*) FROM c"
            #expect(
                code { _ = try connection.limited(to: 1_000_000, "counting") { try connection.integer(sql) } }
                    == .unexpected)
            // The limit ends with the call.
            let long = try connection.integer("\(Self.endless) SELECT count(*) FROM (SELECT x FROM c LIMIT 200000)")
            #expect(long == 200_000)
            let short = try connection.limited(to: 1_000_000, "counting") { try connection.integer("SELECT 7") }
            #expect(short == 7)
        }
        try connection.close()
    }
}
