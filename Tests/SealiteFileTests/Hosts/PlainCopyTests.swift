import SealiteCrypto
import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("plain and sealed copies by the programs that load the extension")
struct PlainCopyTests {
    private let folder: Folder
    private let library = ChildProcess.buildFolder + "/libsealitevfs.so"

    init() throws {
        folder = try Folder()
        try RawFile.write([UInt8](repeating: 7, count: 32), to: folder.file("right.key"))
        do { try folder.create() }
    }

    /// Runs lines in the shell, in the folder, with `a.db` open; returns what it prints after that, errors included.
    private func shell(_ lines: String...) throws -> [Substring] {
        let input = [
            ".cd \(folder.path)", ".load \(library)", "SELECT sealite_unlock_key_file('a.db', 'right.key') IS NULL;",
            ".open file:a.db?vfs=sealite",
        ]
        let result = try ChildProcess.run(
            "/bin/sh", ["-c", "exec /usr/bin/sqlite3 -batch :memory: 2>&1"],
            input: (input + lines).joined(separator: "\n") + "\n", environment: [:])
        return result.output.split(separator: "\n").dropFirst()[...].map { $0 }
    }

    private func python(_ script: String) throws -> [Substring] {
        let head = """
            import os, sqlite3
            os.chdir("\(folder.path)")
            host = sqlite3.connect(":memory:", isolation_level=None)
            host.enable_load_extension(True)
            host.load_extension("\(library)")
            def ask(sql, *values, on=host):
                try: return on.execute(sql, values).fetchone()[0]
                except sqlite3.Error as error: return str(error)
            uri = ask("SELECT sealite_unlock_key_file('a.db', 'right.key')")

            """
        return try ChildProcess.run("/usr/bin/python3", ["-"], input: head + script, environment: [:]).output
            .split(separator: "\n")
    }

    private func isPresent(_ name: String) -> Bool { FilePermissions.exists(folder.file(name)) }

    @Test(
        "the shell's commands that copy write no plain file of a sealed database, and say why",
        arguments: [".backup copy.db", ".save copy.db", ".clone copy.db", ".backup main copy.db"])
    func refused(command: String) throws {
        let said = try shell(command, "SELECT sealite_failure() LIKE 'refused: %plain, unencrypted copy%';")
        #expect(said.contains { $0.hasPrefix("sealite: refused: ") && $0.contains("sealite_allow_plain_copies(1)") })
        #expect(said.last == "1")
        #expect(FilePermissions.size(of: folder.file("copy.db")) == 0)
    }

    @Test("the shell writes a plain copy if a function has allowed it, a sealed one always, and opens a plain database")
    func allowed() throws {
        let said = try shell(
            "SELECT sealite_allow_plain_copies(1);", ".backup plain.db", "SELECT sealite_allow_plain_copies(0);",
            ".backup main file:sealed.db?vfs=sealite", "VACUUM INTO 'second.db';", ".open plain.db",
            "SELECT count(*) FROM notes;", "SELECT sealite_allow_plain_copies('x');")
        #expect(said.prefix(3) == ["allowed", "refused", "100"] && said.last?.contains("neither 0 nor 1") == true)
        #expect(SealedDatabase.isSealed(folder.file("sealed.db")) && SealedDatabase.isSealed(folder.file("second.db")))
        #expect(!SealedDatabase.isSealed(folder.file("plain.db")))
    }

    @Test("another program opens plain databases beside a sealed one")
    func otherHosts() throws {
        let said = try python(
            """
            notes = sqlite3.connect(uri, uri=True)
            plain = sqlite3.connect("plain.db")
            plain.execute("CREATE TABLE t(a)")
            print(plain.execute("SELECT count(*) FROM t").fetchone()[0])
            """)
        #expect(said == ["0"])
    }

    @Test("a copy of a plain database to a sealed file is refused with a reason, and leaves no file")
    func fromPlain() throws {
        let said = try python(
            """
            plain = sqlite3.connect("plain.db")
            plain.executescript("CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(100000))")
            def refused(action):
                try: action(); print("done")
                except sqlite3.Error as error: print(error, "|", "reserves 0 bytes" in ask("SELECT sealite_failure()", on=plain))
            refused(lambda: plain.execute("VACUUM INTO 'file:vacuumed.db?vfs=sealite'"))
            def backup():
                copy = sqlite3.connect("file:saved.db?vfs=sealite", uri=True)
                try: plain.backup(copy)
                finally: copy.close()
            refused(backup)
            plain.execute("ATTACH 'file:attached.db?vfs=sealite' AS other")
            def create():
                try: plain.execute("CREATE TABLE other.t(a)")
                finally: plain.execute("DETACH other")
            refused(create)
            print([name for name in ("vacuumed.db", "saved.db", "attached.db") if os.path.exists(name)])
            print(ask("PRAGMA integrity_check", on=plain))
            """)
        #expect(said == ["disk I/O error | True", "disk I/O error | True", "disk I/O error | True", "[]", "ok"])
    }

    @Test("the shell seals a plain database by VACUUM INTO if that reserves 48 bytes of each page")
    func reserved() throws {
        let said = try shell(
            ".open plain.db", "CREATE TABLE t(a);", "INSERT INTO t VALUES (1);", ".filectrl reserve_bytes 48",
            "VACUUM INTO 'file:new.db?vfs=sealite';", "SELECT sealite_unlock_key_file('new.db', 'right.key') IS NULL;",
            ".open file:new.db?vfs=sealite", "SELECT a FROM t;",
            "PRAGMA integrity_check;")
        #expect(said == ["48", "0", "1", "ok"])
        #expect(SealedDatabase.isSealed(folder.file("new.db")))
    }

    @Test("a file that existed before stays when a copy to it is refused")
    func existing() throws {
        let said = try python(
            """
            open("empty.db", "w").close(); os.chmod("empty.db", 0o600)
            plain = sqlite3.connect("plain.db")
            plain.executescript("CREATE TABLE t(a)")
            print(ask("VACUUM INTO 'file:empty.db?vfs=sealite'", on=plain), os.stat("empty.db").st_size)
            print(ask("VACUUM INTO 'file:a.db?vfs=sealite'", on=plain))
            print(ask("SELECT count(*) FROM notes", on=sqlite3.connect(uri, uri=True)))
            """)
        #expect(said == ["disk I/O error 0", "output file already exists", "100"])
    }

    @Test("sealite_failure() says that a sealed file was opened without the VFS")
    func withoutVFS() throws {
        let said = try python(
            """
            wrong = sqlite3.connect("a.db")
            print(ask("SELECT count(*) FROM notes", on=wrong))
            print(ask("SELECT sealite_failure()", on=wrong).split(": ")[0], "vfs=sealite" in ask("SELECT sealite_failure()"))
            print(ask("SELECT sealite_failure('a.db')").split(": ")[0], ask("SELECT sealite_failure('other.db')"))
            """)
        #expect(said == ["file is not a database", "refused True", "refused None"])
    }

    @Test("a raw key and a recovery key are read from a descriptor, and no other key is taken")
    func descriptors() throws {
        let recovery = try RecoveryKey(privateKey: SecretBytes((0..<32).map { UInt8($0) }))
        do { try folder.open().addSlot(.recovery(recovery)) }
        try RawFile.write(recovery.paperForm().exposed, to: folder.file("recovery"))
        let said = try python(
            """
            def piped(function, content):
                reader, writer = os.pipe()
                os.write(writer, content); os.close(writer)
                answer = ask(f"SELECT sealite_unlock_{function}('a.db', ?)", reader)
                os.close(reader)
                return answer.split("?")[0].split(": ")[0]
            key = bytes([7]) * 32
            print(piped("key_fd", key), piped("key_fd", key.hex().encode() + b"\\n"))
            print(piped("key_fd", bytes([8]) * 32), piped("key_fd", b"too short"), piped("recovery_key_fd", key))
            print(piped("recovery_key_fd", open("recovery", "rb").read()))
            print(ask("SELECT sealite_unlock_key_fd('a.db', 'right.key')").split(": ")[0])
            """)
        #expect(
            said == [
                "file:a.db file:a.db", "wrong-key invalid-argument invalid-argument", "file:a.db", "invalid-argument",
            ])
    }
}
