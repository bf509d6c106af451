import SealiteTestSupport
import Testing

@testable import SealiteTool

@Suite("commands of sealite sql")
struct ShellCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase(
            "a.db",
            """
            CREATE TABLE note(id INTEGER PRIMARY KEY AUTOINCREMENT, text, size REAL, data BLOB, twice AS (id * 2));
            CREATE INDEX notes ON note(text);
            CREATE TRIGGER made AFTER INSERT ON note BEGIN SELECT 1; END;
            INSERT INTO note(text, size, data) VALUES ('it''s', 0.1, x'00ff'), (NULL, 1e300, NULL), ('a' || char(0) || 'b', 2, 'é');
            """)
    }

    private func sql(_ arguments: String..., input: String = "") throws -> Outcome {
        try place.run([Tool.path, "sql", "a.db"] + arguments + ["--key-file", "key"], input: input)
    }

    @Test("a dump makes the same database again")
    func dump() throws {
        let dumped = try sql(".dump")
        #expect(
            dumped.status == 0 && dumped.out.hasPrefix("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n"), "\(dumped)")
        try place.makeDatabase("b.db")
        #expect(try place.sealite("sql", "b.db", "-k", "key", input: dumped.out).status == 0)
        #expect(try place.sealite("sql", "b.db", ".dump", "-k", "key").out == dumped.out)
        let rows = "SELECT id, hex(text), typeof(text), size, hex(data), typeof(data), twice FROM note"
        #expect(try place.sealite("sql", "b.db", rows, "-k", "key").out == (try sql(rows).out))
        #expect(try sql(".dump nothing").status == 1)
        #expect(try sql(".dump note").out.contains("INSERT INTO \"note\"") == true)
    }

    @Test("tables, the schema of one table, modes, and a command that there isn't")
    func commands() throws {
        #expect(try sql(".tables").out == "name  type\n----  -----\nnote  table\n")
        #expect(try sql("CREATE TABLE sqliteXnotes(a)").status == 0)
        #expect(try sql(".tables").out.contains("sqliteXnotes"))
        #expect(try sql(".schema note").out.contains("CREATE INDEX notes"))
        #expect(try sql(".schema nothing").status == 1)
        #expect(try sql(input: ".mode csv\nSELECT id FROM note ORDER BY id LIMIT 1;\n").out == "id\n1\n")
        let unknown = try sql(input: "SELECT 1;\n.schma\n")
        #expect(
            unknown.status == 64
                && unknown.err == "sealite: line 2: there is no command \".schma\"\nhint: did you mean .schema?\n")
    }

    @Test("rows of a file are imported, all or none")
    func importing() throws {
        try place.write("a,b\r\n1,\"x,\n\"\"y\"\"\"\n2,\n", to: "rows.csv")
        let imported = try sql(".import rows.csv made")
        #expect(imported.status == 0 && imported.err == "imported 2 rows into made\n", "\(imported)")
        #expect(try sql("SELECT quote(b) AS q FROM made", "--csv").out == "q\n\"'x,\n\"\"y\"\"'\"\n''\n")
        #expect(try sql(".import --skip 1 rows.csv made").status == 0)
        try place.write("1,2\n1,2,3\n", to: "bad.csv")
        let refused = try sql(".import bad.csv made")
        #expect(refused.status == 64 && refused.err.contains(#"line 2 of "bad.csv" has 3 values"#), "\(refused)")
        #expect(try sql("SELECT count(*) AS n FROM made", "--csv").out == "n\n4\n")
        #expect(try sql(".import a.db made").status == 64)
    }

    @Test("a value of very many lines takes time in proportion to its length", .endsIfItHangs)
    func manyLines() throws {
        let lines = String(repeating: "\n", count: 150_000)
        try place.write("\"" + lines + "\",b\nc,d\n", to: "hostile.csv")
        let rows = CSVRows(try InputFile(place.file("hostile.csv"), besides: "a.db"))
        #expect(try rows.next() == [lines, "b"] && rows.line == 1)
        #expect(try rows.next() == ["c", "d"] && rows.line == 150_002)
        #expect(try rows.next() == nil)
    }

    @Test("named parameters have values; where some are given, none may be missing")
    func parameters() throws {
        let found = try sql(
            "SELECT :a AS a, $b AS b, typeof(@c) AS c", "--param", "a=it's", "--param", "b=1.5", "--param", "c=null",
            "--csv")
        #expect(found.out == "a,b,c\nit's,1.5,null\n", "\(found)")
        let marked = try sql(
            "SELECT :a AS a, $b AS b, @c AS c", "--param", ":a=1", "--param", "$b=2", "--param", "@c=3", "--csv")
        #expect(marked.out == "a,b,c\n1,2,3\n", "\(marked)")
        let missing = try sql("SELECT :a, :b", "--param", "a=1")
        #expect(missing.status == 64 && missing.err.contains(":b has no value"))
        #expect(try sql("SELECT :a", "--param", "a=1", "--param", "a=2").status == 64)
    }
}
