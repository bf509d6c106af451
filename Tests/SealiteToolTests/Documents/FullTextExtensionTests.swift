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
            """)
        #expect(
            written.out == "dog\nfox a b\nzebras n\n<zebra>\nunsafe use of virtual table \"text_1\"\n", "\(written.err)"
        )
        #expect(try run("verify", "a.db").status == 0)
        let found = try run("query", "a.db", "SELECT RAW META().id FROM _ WHERE MATCH(words, 'zebra OR fox')", "--csv")
        #expect(found.out.split(separator: "\n").dropFirst().sorted() == ["a", "b", "n"], "\(found.err)")
    }
}
