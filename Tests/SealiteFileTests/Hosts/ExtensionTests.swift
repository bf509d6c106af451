import Glibc
import SealiteCrypto
import SealiteFileTestSupport
import SealiteMaintenance
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("the loadable extension in Debian's own programs")
struct ExtensionTests {
    private let folder: Folder
    private let library = ChildProcess.buildFolder + "/libsealitevfs.so"

    init() throws {
        folder = try Folder()
        try RawFile.write([UInt8](repeating: 7, count: 32), to: folder.file("right.key"))
        try RawFile.write(Array("08".utf8) + [UInt8](repeating: 0x30, count: 62), to: folder.file("wrong.key"))
        try RawFile.write(Array("open sesame\n".utf8), to: folder.file("passphrase"))
    }

    private func shell(_ lines: String...) throws -> (status: Int32, output: String) {
        try ChildProcess.run(
            "/usr/bin/sqlite3", ["-batch", ":memory:"],
            input: (".load \(library)\n" + lines.joined(separator: "\n")) + "\n",
            environment: [:])
    }

    private func python(_ script: String) throws -> (status: Int32, output: String) {
        let head = """
            import os, sqlite3
            host = sqlite3.connect(":memory:", isolation_level=None)
            host.enable_load_extension(True)
            library = "\(library)"
            host.load_extension(library)
            os.chdir("\(folder.path)")
            def ask(sql, *values):
                try: return host.execute(sql, values).fetchone()[0]
                except sqlite3.Error as error: return str(error)

            """
        return try ChildProcess.run("/usr/bin/python3", ["-"], input: head + script, environment: [:])
    }

    @Test("the sqlite3 shell opens a sealed file by key file, reads and writes it", arguments: ["DELETE", "WAL"])
    func shellReadsAndWrites(mode: String) throws {
        do { try folder.create(mode: mode) }
        let path = folder.file("a.db")
        let result = try shell(
            "SELECT sealite_unlock_key_file('\(path)', '\(folder.file("right.key"))');",
            ".open file:\(path)?vfs=sealite",
            "SELECT count(*) FROM notes;", "INSERT INTO notes(body) VALUES ('by the shell');",
            "PRAGMA integrity_check;",
            "SELECT sealite_failure() IS NULL;")
        let lines = result.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("file:\(path)?vfs=sealite") == true)
        #expect(lines.dropFirst() == ["100", "ok", "1"])
        #expect(result.status == 0)
        #expect(try folder.open().connect().integer("SELECT count(*) FROM notes WHERE body = 'by the shell'") == 1)
    }

    @Test("loading the library again does nothing, as a statement too and on a connection that has its functions")
    func loadedTwice() throws {
        let result = try python(
            """
            print(ask(f"SELECT load_extension('{library}')"))
            host.load_extension(library)
            later = sqlite3.connect(":memory:")
            later.enable_load_extension(True)
            later.execute(f"SELECT load_extension('{library}')")
            print(later.execute("SELECT sealite_version() LIKE 'Sealite %'").fetchone()[0])
            """)
        #expect(result.output == "None\n1\n")
    }

    @Test("VACUUM INTO makes a file for its owner alone, whatever the umask is")
    func ownersAlone() throws {
        do { try folder.create() }
        let result = try python(
            """
            os.umask(0)
            uri = ask("SELECT sealite_unlock_key_file('a.db', 'right.key')")
            sqlite3.connect(uri, uri=True).execute("VACUUM INTO 'file:copy.db?vfs=sealite'")
            print(oct(os.stat("copy.db").st_mode & 0o777))
            """)
        #expect(result.output == "0o600\n")
    }

    @Test("the dump of a sealed file by the sqlite3 shell is that of the plain twin, byte by byte")
    func dump() throws {
        let database = try folder.create(rows: 300)
        try database.connect().execute("VACUUM INTO 'file:\(folder.file("plain.db"))?vfs=unix'")
        let plain = try ChildProcess.run("/usr/bin/sqlite3", [folder.file("plain.db"), ".dump"])
        let sealed = try shell(
            "SELECT sealite_unlock_key_file('\(folder.file("a.db"))', '\(folder.file("right.key"))');",
            ".open file:\(folder.file("a.db"))?vfs=sealite", ".dump")
        #expect(sealed.output.drop { $0 != "\n" }.dropFirst() == plain.output[...])
        #expect(plain.output.utf8.count > 50_000)
    }

    @Test("python3 unlocks by key file, passphrase file and descriptor")
    func pythonUnlocks() throws {
        let cost = Scrypt.Cost(logN: 10, r: 8, p: 1)
        do {
            let database = try folder.create()
            try database.addSlot(.passphrase(NewPassphrase(SecretBytes(Array("open sesame".utf8)), cost: cost)))
        }
        let result = try python(
            """
            reader, writer = os.pipe(); os.write(writer, b"open sesame\\n"); os.close(writer)
            for unlock in (("key_file", "right.key"), ("passphrase_file", "passphrase"), ("fd", reader)):
                uri = ask(f"SELECT sealite_unlock_{unlock[0]}(?, ?)", "a.db", unlock[1])
                notes = sqlite3.connect(uri, uri=True)
                print(uri.split("&")[0], notes.execute("SELECT count(*) FROM notes").fetchone()[0])
                notes.close()
                print(ask("SELECT sealite_lock('a.db')"))
            """)
        #expect(result.output == String(repeating: "file:a.db?vfs=sealite 100\nlocked\n", count: 3))
    }

    @Test("a wrong key, a loose mode, a file that isn't there: each says why, and no secret")
    func refusals() throws {
        do { try folder.create() }
        try RawFile.write([UInt8](repeating: 7, count: 32), to: folder.file("loose.key"), mode: 0o644)
        let result = try python(
            """
            for key in ("wrong.key", "loose.key", "no.key", "passphrase"):
                print(ask("SELECT sealite_unlock_key_file('a.db', ?)", key).split(":")[0])
            print(ask("SELECT sealite_unlock_key_file('none.db', 'right.key')").split(":")[0])
            print(ask("SELECT sealite_unlock_key_file('right.key', 'right.key')").split(":")[0])
            print(ask("SELECT sealite_unlock_key_file('file:a.db', 'right.key')").split(":")[0])
            print(ask("SELECT sealite_unlock_key_file(NULL, 'right.key')").split(":")[0])
            print(ask("SELECT sealite_unlock_fd('a.db', 'x')").split(":")[0])
            print(ask("SELECT sealite_lock('a.db')").split(":")[0])
            """)
        #expect(
            result.output.split(separator: "\n") == [
                "wrong-key", "permission", "no-such-file", "invalid-argument", "no-such-file", "not-sealed",
                "invalid-argument", "invalid-argument", "invalid-argument", "not-unlocked",
            ])
        #expect(!result.output.contains("open sesame"))
    }

    @Test("sealite_failure() tells what SQLite only calls an I/O error")
    func failure() throws {
        do { try folder.create(rows: 200) }
        try RawFile.flip(folder.file("a.db"), at: 8192 + 30 * 1024 + 77)
        let result = try python(
            """
            print(ask("SELECT sealite_failure()"))
            try: sqlite3.connect("file:a.db?vfs=sealite", uri=True).execute("SELECT * FROM notes").fetchall()
            except sqlite3.Error:
                print(ask("SELECT sealite_failure()").split(":")[0])
                print(ask("SELECT sealite_failure()").split("; ")[1])
            uri = ask("SELECT sealite_unlock_key_file('a.db', 'right.key')")
            notes = sqlite3.connect(uri, uri=True)
            try: notes.execute("SELECT * FROM notes").fetchall()
            except sqlite3.Error: print(notes.execute("SELECT sealite_failure()").fetchone()[0].split(" failed")[0])
            """)
        let remedy = "SELECT sealite_unlock_key_file('DATABASE', 'KEY FILE') unlocks it"
        #expect(result.output == "None\nnot-unlocked\n\(remedy)\ndamaged-page: page 31\n")
    }

    @Test("sealite_lock() takes the keys from open connections")
    func lock() throws {
        do { try folder.create() }
        let result = try python(
            """
            notes = sqlite3.connect(ask("SELECT sealite_unlock_key_file('a.db', 'right.key')"), uri=True)
            notes.execute("PRAGMA cache_size = 0")
            print(notes.execute("SELECT count(*) FROM notes").fetchone()[0], ask("SELECT sealite_lock('a.db')"))
            try: notes.execute("SELECT * FROM notes").fetchall()
            except sqlite3.Error: print(notes.execute("SELECT sealite_failure()").fetchone()[0].split(":")[0])
            """)
        #expect(result.output == "100 locked\nlocked\n")
    }

    @Test("sealite_lock() takes the keys of every unlocking, under whichever path")
    func lockEvery() throws {
        do { try folder.create() }
        let result = try python(
            """
            open_notes = lambda path: sqlite3.connect(ask("SELECT sealite_unlock_key_file(?, 'right.key')", path), uri=True)
            connections = [open_notes(path) for path in ("a.db", "a.db", "./a.db", os.path.abspath("a.db"))]
            for notes in connections:
                notes.execute("PRAGMA cache_size = 0")
                print(notes.execute("SELECT count(*) FROM notes").fetchone()[0])
            print(ask("SELECT sealite_lock('a.db')"))
            for notes in connections:
                try: notes.execute("SELECT * FROM notes").fetchall()
                except sqlite3.Error: print(notes.execute("SELECT sealite_failure()").fetchone()[0].split(":")[0])
            print(ask("SELECT sealite_lock('./a.db')").split(":")[0], open_notes("a.db").execute("SELECT count(*) FROM notes").fetchone()[0])
            """)
        #expect(
            result.output.split(separator: "\n")
                == ["100", "100", "100", "100", "locked", "locked", "locked", "locked", "locked", "not-unlocked 100"])
    }

    @Test("a view or trigger of an opened file can't call the functions")
    func directOnly() throws {
        do {
            try folder.create().connect().execute(
                "CREATE VIEW trap AS SELECT sealite_lock('\(folder.file("a.db"))') AS x")
        }
        let result = try shell(
            "SELECT sealite_unlock_key_file('\(folder.file("a.db"))', '\(folder.file("right.key"))');",
            ".open file:\(folder.file("a.db"))?vfs=sealite", "SELECT x FROM trap;")
        #expect(result.output.contains("unsafe use of sealite_lock()"))
    }

    @Test("the functions over bodies serve the connection that loads it and later ones")
    func bodyFunctions() throws {
        let question = "SELECT body_type(x'0C', 'a') || hex(body_key('queries', x'1331'));"
        #expect(try shell(question, ".open :memory:", question).output == "missing50C014\nmissing50C014\n")
    }

    @Test("the shell and python3 keep indexes on them in a sealed file, for each other and for Sealite")
    func bodyIndexes() throws {
        do {
            try folder.create().connect().execute(
                """
                CREATE TABLE t(body BLOB); CREATE INDEX keys ON t (body_key('queries', body, 'a'));
                INSERT INTO t VALUES (x'4C17611331')
                """)
        }
        let shown = try shell(
            "SELECT sealite_unlock_key_file('\(folder.file("a.db"))', '\(folder.file("right.key"))') IS NULL;",
            ".open file:\(folder.file("a.db"))?vfs=sealite", "PRAGMA trusted_schema = OFF;",
            "INSERT INTO t VALUES (x'4C17611332');", "REINDEX;", "PRAGMA integrity_check;")
        #expect(shown.output == "0\nok\n")
        let script = """
            notes = sqlite3.connect(ask("SELECT sealite_unlock_key_file('a.db', 'right.key')"), uri=True)
            notes.execute("PRAGMA trusted_schema = OFF")
            notes.execute("INSERT INTO t VALUES (x'0C')"); notes.execute("UPDATE t SET body = x'4C17611333' WHERE rowid = 1")
            notes.execute("REINDEX"); notes.commit()
            order = "body_key('queries', body, 'a')"
            print([row[0] for row in notes.execute(f"SELECT rowid FROM t INDEXED BY keys WHERE {order} >= x'10' ORDER BY {order}")])
            print(notes.execute("PRAGMA integrity_check").fetchone()[0])
            """
        #expect(try python(script).output == "[3, 2, 1]\nok\n")
        #expect(try folder.open().verify().isSound)
    }

    @Test("hosts that load it twice, or under another file name, are served")
    func loading() throws {
        let copy = folder.file("renamed.so")
        try RawFile.write(try RawFile.read(library), to: copy, mode: 0o700)
        let twice = try shell(
            ".load \(library)", "SELECT count(*) > 0 FROM pragma_function_list WHERE name = 'sealite_lock';")
        #expect(twice.output == "1\n")
        let renamed = try ChildProcess.run(
            "/usr/bin/sqlite3", ["-batch", ":memory:"],
            input: ".load \(copy)\nSELECT substr(sealite_version(), 1, 8);\n")
        #expect(renamed.output == "Sealite \n")
    }
}
