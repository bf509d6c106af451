import Foundation
import Testing

@Suite("sealite sql on document databases and vaults")
struct SQLProtectionTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase("notes.db")
        try place.makeDatabase("plain.db", "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        #expect(try place.sealite("doc", "put", "notes.db", "first", "{\"a\":1}", "--key-file", "key").status == 0)
    }

    private func sql(_ database: String, _ statement: String, _ options: String...) throws -> Outcome {
        try place.run([Tool.path, "sql", database, statement, "--key-file", "key"] + options)
    }

    private func ids() throws -> String { try place.sealite("doc", "list", "notes.db", "--key-file", "key").out }

    @Test(
        "SQL doesn't write a document database unless told --raw, and says why and what to do",
        arguments: [
            "DELETE FROM documents_1", "VACUUM", "DROP TABLE blobs", "PRAGMA application_id = 7", "CREATE TABLE x(a)",
            "ATTACH 'file:notes.db?vfs=sealite' AS again; DELETE FROM again.documents_1",
            "ATTACH 'file:./notes.db?vfs=sealite&mode=rw' AS again; DELETE FROM again.documents_1",
        ])
    func refused(statement: String) throws {
        let before = try place.read("notes.db")
        for script in [false, true] {
            let refused =
                script
                ? try place.sealite("sql", "notes.db", "--key-file", "key", "--json", input: statement + ";\n")
                : try sql("notes.db", statement, "--json")
            #expect(refused.status == 1, "\(refused)")
            #expect(refused.json?["code"] as? String == "read-only", "\(refused)")
            #expect((refused.json?["message"] as? String)?.contains("\"notes.db\" is a document database") == true)
            let hint = try #require(refused.json?["hint"] as? String)
            #expect(hint.contains("sealite doc") && hint.contains("--raw"))
        }
        #expect(try place.read("notes.db") == before)
        #expect(try ids().contains("first"))
    }

    @Test("reading goes on, and leaves no log behind")
    func reading() throws {
        let read = try sql("notes.db", "SELECT id FROM documents_1; CREATE TEMP TABLE s AS SELECT 1", "--csv")
        #expect(read.status == 0 && read.out == "id\nfirst\n", "\(read)")
        #expect(try sql("notes.db", "VACUUM INTO 'copy.db'").status == 0)
        #expect(place.names == ["copy.db", "notes.db", "plain.db"])
    }

    @Test("--raw writes, --read-only wins over it, and the refusal says which of the two refused")
    func raw() throws {
        let both = try sql("notes.db", "DELETE FROM documents_1", "--raw", "--read-only", "--json")
        #expect(both.status == 1 && both.json?["code"] as? String == "read-only", "\(both)")
        #expect((both.json?["message"] as? String)?.contains("--read-only was given") == true, "\(both)")
        #expect((both.json?["message"] as? String)?.contains("document database") == false, "\(both)")
        #expect(try sql("notes.db", "DELETE FROM documents_1", "--raw").status == 0)
        #expect(try !ids().contains("first"))
    }

    @Test("what is attached is protected too, and what isn't protected stays writable")
    func attached() throws {
        for way in [
            "DELETE FROM d.documents_1", "ATTACH 'file:notes.db?vfs=sealite' AS e; DELETE FROM e.documents_1",
        ] {
            let refused = try sql("plain.db", way, "--attach", "d=notes.db", "--json")
            #expect(refused.status == 1 && refused.json?["code"] as? String == "read-only", "\(refused)")
        }
        let copied = try sql("plain.db", "INSERT INTO t SELECT id FROM d.documents_1", "--attach", "d=notes.db")
        #expect(copied.status == 0, "\(copied)")
        #expect(try sql("plain.db", "SELECT count(*) FROM t", "--csv").out == "count(*)\n2\n")
        #expect(try sql("plain.db", "DELETE FROM d.documents_1", "--attach", "d=notes.db", "--raw").status == 0)
    }

    @Test("a document database is known by its tables too, whatever its application id says")
    func disguised() throws {
        #expect(try sql("notes.db", "PRAGMA application_id = 0", "--raw").status == 0)
        let refused = try sql("notes.db", "DELETE FROM documents_1", "--json")
        #expect(refused.status == 1 && refused.json?["code"] as? String == "read-only", "\(refused)")
    }

    @Test("a vault is protected, and info says of each kind what it is")
    func kinds() throws {
        let folder = place.file("store")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let vault = "store/vault.db"
        let set = try place.sealite(
            "credential", "set", "service", "--user", "ana", "--vault", vault, "--vault-key-file", "key", input: "x")
        #expect(set.status == 0, "\(set)")
        let refused = try sql(vault, "DELETE FROM credentials", "--json")
        #expect(refused.status == 1 && refused.json?["code"] as? String == "read-only", "\(refused)")
        #expect((refused.json?["hint"] as? String)?.contains("sealite credential") == true)
        try place.makeDatabase("empty.db")
        for (name, kind, words) in [
            (vault, "vault", "a vault of credentials"), ("notes.db", "documents", "a document database"),
            ("plain.db", "sqlite", "an SQLite database"), ("empty.db", "empty", "an empty database"),
        ] {
            let json = try place.sealite("info", name, "--key-file", "key", "--json")
            #expect(Outcome.object(json.out)?["kind"] as? String == kind, "\(json)")
            #expect(try place.sealite("info", name, "--key-file", "key").out.contains(words))
            let locked = try place.sealite("info", name, "--json")
            #expect(Outcome.object(locked.out)?["kind"] == nil, "\(locked)")
        }
    }
}
