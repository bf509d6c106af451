import Foundation
import Testing

@Suite("full-text indexes and programs that write through the extension")
struct FullTextExtensionTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
    }

    private func run(_ arguments: String...) throws -> Outcome {
        try place.run([Tool.path] + arguments + ["--key-file", "key"])
    }

    private func python(_ script: String) throws -> Outcome {
        let library = (Tool.path as NSString).deletingLastPathComponent + "/libsealitevfs.so"
        let head = """
            import sqlite3
            host = sqlite3.connect(":memory:")
            host.enable_load_extension(True)
            host.load_extension("\(library)")
            (uri,) = host.execute("SELECT sealite_unlock_key_file('a.db', 'key')").fetchone()
            notes = sqlite3.connect(uri, uri=True)

            """
        try place.write(head + script, to: "std.py")
        return try place.run(["/usr/bin/python3", "std.py"])
    }

    @Test("a Python program that writes rows keeps the index, and searches by words itself")
    func writes() throws {
        for (id, text) in [("a", "running dogs"), ("b", "the quick fox"), ("c", "a dog ran")] {
            #expect(try run("doc", "put", "a.db", id, "{\"text\":\"\(text)\"}").status == 0)
        }
        #expect(try run("index", "create", "a.db", "words", "--full-text", "text", "--language", "en").status == 0)
        // The body of "n" is {"text":"zebra"}.
        let written = try python(
            """
            body = bytes([0xBC, 0x47]) + b"text" + bytes([0x57]) + b"zebra"
            columns = "sequence, flags, revision"
            notes.execute("UPDATE documents_1 SET body = (SELECT body FROM documents_1 WHERE id = 'b') WHERE id = 'a'")
            notes.execute("DELETE FROM documents_1 WHERE id = 'c'")
            notes.execute(
                f"INSERT INTO documents_1 (number, id, {columns}, body) "
                "SELECT 9, 'n', 99, flags, revision, ? FROM documents_1 WHERE id = 'b'", [body])
            notes.commit()
            found = "SELECT id FROM documents_1 WHERE number IN (SELECT rowid FROM text_1 WHERE text_1 MATCH ?) ORDER BY id"
            for word in "dog", "fox", "zebras":
                print(word, *[row[0] for row in notes.execute(found, [word])])
            print(notes.execute("SELECT highlight(text_1, 0, '<', '>') FROM text_1('zebra')").fetchone()[0])
            notes.execute("INSERT INTO text_1 (text_1, rank) VALUES ('integrity-check', 1)")
            notes.execute("PRAGMA trusted_schema = OFF")
            try: notes.execute("DELETE FROM documents_1 WHERE id = 'b'")
            except sqlite3.Error as error: print(error)
            notes.commit()
            host.executescript(
                "CREATE VIRTUAL TABLE words USING fts5(text); CREATE TABLE rows(text); PRAGMA trusted_schema = OFF;"
                "CREATE TRIGGER kept AFTER INSERT ON rows BEGIN INSERT INTO words VALUES (new.text); END")
            try: print("innocuous", host.execute("INSERT INTO rows VALUES ('a')").rowcount)
            except sqlite3.Error as error: print(error)
            """)
        // Where SQLite doesn't mark FTS5 as innocuous, such as 3.40, triggers of an untrusted schema can't write it.
        let isInnocuous = written.out.hasSuffix("\ninnocuous 1\n")
        let last = isInnocuous ? ["innocuous 1"] : ["text_1", "words"].map { "unsafe use of virtual table \"\($0)\"" }
        #expect(
            written.out == (["dog", "fox a b", "zebras n", "<zebra>"] + last + [""]).joined(separator: "\n"),
            "\(written.err)")
        #expect(try run("verify", "a.db").status == 0)
        let found = try run("query", "a.db", "SELECT RAW META().id FROM _ WHERE MATCH(words, 'zebra OR fox')", "--csv")
        let kept = isInnocuous ? ["a", "n"] : ["a", "b", "n"]
        #expect(found.out.split(separator: "\n").dropFirst().map(String.init).sorted() == kept, "\(found.err)")
    }
}
