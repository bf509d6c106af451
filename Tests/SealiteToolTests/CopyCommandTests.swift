import Foundation
import Glibc
import SealiteFile
import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@Suite("sealite encrypt and decrypt")
struct CopyCommandTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private func makePlain(_ name: String = "plain.db", _ sql: String = "CREATE TABLE t(a); INSERT INTO t VALUES ('x')")
        throws
    {
        let uri = VFSChoice(name: "unix", base: "unix").uri(place.file(name))
        // SQLITE_OPEN_READWRITE and SQLITE_OPEN_CREATE.
        try RawConnection(uri: uri, path: name, flags: 0x6).execute(sql)
    }

    @Test("a plain database comes back as it was")
    func roundTrip() throws {
        try makePlain(
            "plain.db", "PRAGMA page_size=512; CREATE TABLE t(a); INSERT INTO t VALUES ('x'); PRAGMA user_version=9")
        let before = try place.read("plain.db")
        let sealed = try place.sealite("encrypt", "plain.db", "a.db", "--key-file", "key")
        #expect(sealed.status == 0)
        #expect(sealed.out.contains("1 table and 1 row compared"))
        #expect(sealed.out.contains("the page size is 1024 bytes; the source has 512"))
        #expect(try place.read("plain.db") == before)
        #expect(try place.mode("a.db") == 0o600)
        let back = try place.sealite("decrypt", "a.db", "back.db", "--key-file", "key", "--yes", "--json")
        #expect(back.status == 0)
        let last = try #require(back.out.split(separator: "\n").last)
        #expect(Outcome.object(String(last))?["rows"] as? Int == 1)
        #expect(try place.mode("back.db") == 0o600)
        #expect(place.names == ["a.db", "back.db", "plain.db"])
    }

    @Test("an extension supplies a collation of the database's program, and without it the refusal names both")
    func extensions() throws {
        let library = try TestExtension()
        let plain = try RawConnection(
            uri: VFSChoice(name: "unix", base: "unix").uri(place.file("plain.db")), path: "plain.db", flags: 0x6)
        try plain.load(extensions: [library.path])
        try plain.execute("CREATE TABLE t(a TEXT COLLATE LOCALIZED UNIQUE); INSERT INTO t VALUES ('x'), ('Y')")
        func run(_ arguments: String...) throws -> Outcome { try place.run([Tool.path] + arguments) }
        let refused = try run("encrypt", "plain.db", "a.db", "--key-file", "key")
        #expect(refused.status == 64)
        #expect(refused.err.contains("collation LOCALIZED (table \"t\")") && refused.err.contains("--load-extension"))
        let load = ["--load-extension", library.path, "--key-file", "key"]
        for arguments in [
            ["encrypt", "plain.db", "a.db"], ["decrypt", "a.db", "b.db", "--yes"], ["backup", "a.db", "c.db"],
            ["salvage", "a.db", "d.db"], ["verify", "a.db"], ["compact", "a.db", "--vacuum", "always"],
        ] {
            let made = try place.run([Tool.path] + arguments + load)
            #expect(made.status == 0, "\(made)")
        }
        let rows = try place.run([Tool.path, "sql", "d.db", "SELECT a FROM t ORDER BY a", "--csv"] + load)
        #expect(rows.out == "a\nx\nY\n", "\(rows)")
        let unchecked = try run("verify", "a.db", "--key-file", "key")
        #expect(unchecked.status == 64 && unchecked.err.contains("--load-extension"), "\(unchecked)")
        let lost = try run("salvage", "a.db", "e.db", "--key-file", "key")
        #expect(lost.status == 65 && lost.err.contains("--load-extension"), "\(lost)")
        let unusable = try run("encrypt", "plain.db", "f.db", "--key-file", "key", "--load-extension", "key")
        #expect(unusable.status == 64 && unusable.err.contains("\"key\" can't be loaded: "), "\(unusable)")
    }

    @Test("with --json the result is JSON, and so is each line of progress on standard error that -v asks for")
    func progressLines() throws {
        try makePlain()
        let made = try place.sealite("encrypt", "plain.db", "a.db", "--key-file", "key", "--json", "-v")
        let lines = made.err.split(separator: "\n").compactMap { Outcome.object(String($0)) }
        #expect(lines.contains { $0["progress"] != nil }, "\(made)")
        #expect(Outcome.object(made.out)?["path"] as? String == "a.db")
    }

    @Test("a database of SQLCipher is sealed with its old secret, and each mistake ends with the code of its class")
    func ofSQLCipher() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/Foreign")
        for name in ["sqlcipher-settings", "sqlcipher-no-hmac"] {
            try FileManager.default.copyItem(
                atPath: folder.appending(path: "\(name).db").path, toPath: place.file("\(name).db"))
        }
        try place.write("correct horse é\n", to: "old.txt")
        func run(_ arguments: [String]) throws -> Outcome { try place.run([Tool.path] + arguments) }
        let settings = [
            "cipher_page_size=1024", "kdf_iter=1000", "cipher_hmac_algorithm=HMAC_SHA256",
            "cipher_kdf_algorithm=PBKDF2_HMAC_SHA1",
        ].flatMap { ["--old-setting", $0] }
        let from = ["--from", "sqlcipher", "--old-passphrase-file", "old.txt", "--key-file", "key"]
        let sealed = try run(["encrypt", "sqlcipher-settings.db", "new.db", "--json"] + from + settings)
        #expect(sealed.status == 0 && Outcome.object(sealed.out)?["pages"] as? Int == 5, "\(sealed)")
        let rows = try place.sealite("sql", "new.db", "--key-file", "key", "SELECT sum(a) FROM t", "--json")
        #expect(rows.out.contains("820"), "\(rows)")
        let refused = try run(
            ["encrypt", "sqlcipher-no-hmac.db", "no.db", "--old-setting", "cipher_use_hmac=OFF"] + from)
        #expect(refused.status == 64 && refused.err.contains("--accept-unauthenticated"), "\(refused)")
        try place.write("wrong", to: "old.txt")
        let wrong = try run(["encrypt", "sqlcipher-settings.db", "no.db"] + from + settings)
        #expect(wrong.status == 77 && wrong.err.contains("--old-setting kdf_iter=64000"), "\(wrong)")
        for arguments in [
            ["--old-passphrase-file", "old.txt", "--key-file", "key"], from + ["--old-setting", "kdf_iter"],
            from + ["--old-setting", "kdf_iter=-1"], ["--from", "xor", "--key-file", "key"],
        ] {
            let unusable = try run(["encrypt", "sqlcipher-settings.db", "no.db"] + arguments)
            #expect(unusable.status == 64, "\(unusable)")
        }
        let unread = try run(["encrypt", "sqlcipher-settings.db", "no.db", "--from", "aegis", "--key-file", "key"])
        #expect(unread.status == 64 && unread.err.contains("PRAGMA cipher='chacha20'"), "\(unread)")
        let unasked = try place.sealite(
            "encrypt", "sqlcipher-settings.db", "no.db", "--from", "sqlcipher", "--key-file", "key")
        #expect(unasked.status == 64 && unasked.err.contains("--old-passphrase-file"), "\(unasked)")
        var bytes = try place.read("sqlcipher-settings.db")
        bytes[bytes.count - 500] ^= 1
        try place.write(bytes, to: "sqlcipher-settings.db")
        try place.write("correct horse é", to: "old.txt")
        let damaged = try run(["encrypt", "sqlcipher-settings.db", "no.db"] + from + settings)
        #expect(damaged.status == 65 && damaged.err.contains("--skip-damaged"), "\(damaged)")
        #expect(!place.names.contains("no.db"))
        let rest = try run(
            ["encrypt", "sqlcipher-settings.db", "rest.db", "--skip-damaged"] + from + settings)
        #expect(rest.status == 65 && rest.out.contains("lost pages") && place.names.contains("rest.db"), "\(rest)")
    }

    @Test("decrypt isn't done unasked")
    func unconfirmed() throws {
        try place.makeDatabase()
        let refused = try place.sealite("decrypt", "a.db", "plain.db", "--key-file", "key")
        #expect(refused.status == 64 && refused.err.contains("--yes"))
        #expect(place.names == ["a.db"])
    }

    @Test("wrong sources end with the code of their class")
    func wrongSources() throws {
        try place.makeDatabase()
        try makePlain()
        try place.write(Array(repeating: 65, count: 9000), to: "noise.db")
        try place.write("", to: "empty.db")
        try place.write("x", to: "tiny.db")
        func encrypt(_ name: String) throws -> CInt {
            try place.sealite("encrypt", name, "out.db", "--key-file", "key").status
        }
        func check(_ name: String) throws -> Outcome {
            try place.sealite("sql", name, "SELECT 1", "--key-file", "key", "--json")
        }
        #expect(try encrypt("noise.db") == 80)
        #expect(try encrypt("absent.db") == 66)
        #expect(try encrypt("a.db") == 64)
        #expect(place.names.contains("out.db") == false)
        #expect(try place.sealite("encrypt", "plain.db", "a.db", "--key-file", "key").status == 73)
        #expect(try check("plain.db").json?["code"] as? String == "plain-database")
        for name in ["noise.db", "empty.db", "tiny.db", "plain.db"] { #expect(try check(name).status == 80, "\(name)") }
        #expect(try check("absent.db").status == 66)
        #expect(try check(".").status == 66)
    }

    @Test(
        "a plain database in WAL mode in a folder that can't be written is a matter of permission, not of waiting",
        arguments: [false, true])
    func shutFolder(withLog: Bool) throws {
        try FileManager.default.createDirectory(atPath: place.file("shut"), withIntermediateDirectories: false)
        try makePlain("shut/plain.db", "PRAGMA journal_mode = WAL; CREATE TABLE t(a)")
        if withLog { try place.write([], to: "shut/plain.db-wal") }
        _ = unsafe chmod(place.file("shut"), 0o500)
        defer { _ = unsafe chmod(place.file("shut"), 0o700) }
        // Root may write everywhere, unless it gives that up.
        let asOwner = geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []
        let ran = try place.run(
            asOwner + [Tool.path, "encrypt", "shut/plain.db", "a.db", "--key-file", "key", "--json"])
        #expect(ran.status == 78 && ran.json?["code"] as? String == "permission", "\(ran)")
        #expect((ran.json?["hint"] as? String)?.contains("a folder that can be written") == true, "\(ran)")
        #expect(!place.exists("a.db"))
    }

    @Test("a signal in the middle leaves no file behind", arguments: [SIGTERM, SIGINT])
    func signalled(signal: CInt) throws {
        try makePlain(
            "plain.db",
            "CREATE TABLE t(a); WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 20000) INSERT INTO t SELECT"
                + " randomblob(3000) FROM n")
        var status: CInt = 0
        // A machine that is busy elsewhere may let a copy end before the signal: then there is another.
        for _ in 0..<10 where status == 0 {
            for name in ["a.db", "recovery"] { try? place.remove(name) }
            let child = try ChildProcess(
                [Tool.path, "encrypt", "plain.db", "a.db", "--key-file", "key", "--recovery-key-file", "recovery"],
                folder: place.path, files: [(2, place.file("stderr"), O_WRONLY | O_CREAT)])
            eventuallyBlocking("the copy") {
                child.hasUnnamedFile(in: place.path) || place.names.contains { $0.hasPrefix(".a.db") } || child.hasEnded
            }
            letTimePass(.milliseconds(20), because: "the process is to be in the middle of its work")
            child.send(signal)
            status = child.wait()
        }
        #expect(status == 128 + signal)
        #expect(place.names == ["plain.db"], "the recovery key of a database that isn't there is gone too")
    }

    @Test("what a killed run left is removed by the next run")
    func leftovers() throws {
        try makePlain()
        try place.write("half", to: ".a.db.sealite-tmp-0123456789abcdef")
        #expect(try place.sealite("encrypt", "plain.db", "a.db", "--key-file", "key").status == 0)
        #expect(place.names == ["a.db", "plain.db"])
    }
}
