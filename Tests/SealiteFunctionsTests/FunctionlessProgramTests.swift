import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("a program that uses GRDB on a sealed file, and not the document database")
struct FunctionlessProgramTests {
    private let stage: Stage
    private let program = ChildProcess.buildFolder + "/SealiteGRDBTestChild"

    init() throws {
        stage = try Stage()
        try stage.connection.execute(
            """
            CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT, body BLOB);
            CREATE INDEX ages ON people (body_key('queries', body, 'age'));
            CREATE TABLE lists(body BLOB);
            CREATE TRIGGER listed AFTER INSERT ON lists BEGIN
                INSERT INTO people(name) SELECT value FROM query_each(new.body);
            END;
            CREATE VIRTUAL TABLE words USING fts5(text, tokenize='sealite language english');
            CREATE TABLE plain(text TEXT);
            INSERT INTO people VALUES (1, 'Ada', \(jsonb(#"{"age":36}"#)));
            """)
    }

    private func run(_ statement: String) throws -> (status: Int32, output: String) {
        try ChildProcess.run(program, [stage.database.path, statement])
    }

    @Test("it links neither PCRE2 nor the stemmer, and has none of the functions")
    func links() throws {
        // A library that a program links is named in its table of dynamic libraries, and each type's module in its symbols.
        let brought = ["libpcre2", "libstemmer", "SealiteFunctions"]
        func names(_ path: String) throws -> [String] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
            return ["libsqlite3", "SealiteFile"].filter { bytes.range(of: Data($0.utf8)) == nil }
                + brought.filter { bytes.range(of: Data($0.utf8)) != nil }
        }
        #expect(try names(program) == [])
        // This test's program links all of them.
        #expect(try names("/proc/self/exe") == brought)
    }

    @Test("it reads a table with an index on a function, and writes other tables")
    func reads() throws {
        let read = try run("SELECT name FROM people")
        #expect(read.status == 0 && read.output.contains("Ada"))
        #expect(try run("INSERT INTO plain VALUES ('written')").status == 0)
        #expect(try stage.connection.text("SELECT text FROM plain") == "written")
    }

    @Test(
        "it can't write or check what needs a function, and the error says what to link",
        arguments: [
            ("INSERT INTO people(body) VALUES (x'0C')", "body_key"), ("UPDATE people SET body = x'0C'", "body_key"),
            ("DELETE FROM people WHERE id = 1", "body_key"), ("REINDEX ages", "body_key"),
            ("SELECT query_upper('a')", "query_upper"),
            ("INSERT INTO lists VALUES (x'0B')", "query_each"), ("INSERT INTO words VALUES ('a')", "sealite"),
        ])
    func refused(statement: String, missing: String) throws {
        let refused = try run(statement)
        #expect(refused.status == 1)
        #expect(refused.output.contains("needs \(missing), one of the SQL functions of documents"), "\(refused.output)")
        #expect(refused.output.contains("link SealiteDatabase"))
        #expect(try stage.connection.text("PRAGMA integrity_check") == "ok")
        #expect(try stage.connection.integer("SELECT count(*) FROM people WHERE name = 'Ada'") == 1)
    }

    @Test("its check names the tokenizer where SQLite checks full-text indexes too, and otherwise a function")
    func checked() throws {
        let names = try stage.checksFullText() ? ["sealite", "body_key"] : ["body_key", "body_key"]
        for (name, next) in zip(names, ["DROP TABLE words", "SELECT 1"]) {
            let refused = try run("PRAGMA integrity_check")
            #expect(refused.status == 1)
            let text = refused.output
            #expect(
                text.contains("needs \(name), one of the SQL functions of documents")
                    && text.contains("link SealiteDatabase"), "\(text)")
            #expect(try stage.connection.text("PRAGMA integrity_check") == "ok")
            try stage.connection.execute(next)
        }
    }

    @Test("its other errors are SQLite's")
    func others() throws {
        for statement in ["SELECT bodies(1)", "SELECT * FROM queries", "SELECT"] {
            let failed = try run(statement)
            #expect(failed.status == 1)
            #expect(failed.output.contains("SQLite error 1"), "\(failed.output)")
        }
    }

    @Test(
        "the name that is missing is read from each of SQLite's messages",
        arguments: [
            ("no such function: body_key", "body_key"), ("unknown function: query_lower()", "query_lower"),
            ("no such table: main.query_each", "query_each"), ("no such function: mongo_entries", "mongo_entries"),
            ("no such function: mongo_cells", "mongo_cells"),
            ("no such tokenizer: sealite", "sealite"), ("no such table: query_rows", nil),
            ("no such function: upper_query_", nil), ("no such tokenizer: porter", nil), ("", nil),
        ])
    func messages(message: String, name: String?) {
        #expect(SealedFileError.missingName(message) == name)
        // This test's program has the functions.
        #expect(SealedDatabase.failure(reportedAs: message) == nil)
    }
}

extension Stage {
    /// Returns whether `PRAGMA integrity_check` checks full-text indexes too, which it does from SQLite 3.44 on.
    fileprivate func checksFullText() throws -> Bool {
        try connection.execute("CREATE VIRTUAL TABLE probe USING fts5(text); INSERT INTO probe VALUES ('a')")
        try connection.execute("DELETE FROM probe_content")
        defer { try? connection.execute("DROP TABLE probe") }
        return try connection.text("PRAGMA integrity_check") != "ok"
    }
}
