import Foundation
import SealiteCrypto
import Testing

@testable import SealiteFile

/// Everything that can be wrong with a file, by the command line: each thing has its own code and the exit code of its class,
/// and nothing is written to the file.
@Suite("bad input on the command line")
struct BadInputCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase("a.db", "CREATE TABLE t(x); INSERT INTO t VALUES ('kept'); CREATE TABLE u(y)")
        try place.makeDatabase("b.db", "CREATE TABLE t(x); INSERT INTO t VALUES ('other'); CREATE TABLE u(y)")
    }

    /// One way to spoil `a.db`.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let code: String
        let status: CInt
        var page: Int?
        /// Changes the file's bytes; gets those of another database with the same key too.
        let spoil: @Sendable (inout [UInt8], [UInt8]) throws -> Void

        init(
            _ name: String, _ code: String, _ status: CInt, page: Int? = nil,
            _ spoil: @escaping @Sendable (inout [UInt8], [UInt8]) throws -> Void
        ) {
            (testDescription, self.code, self.status, self.page, self.spoil) = (name, code, status, page, spoil)
        }
    }

    private static let pageSize = 4096

    private static func range(ofPage page: Int) -> Range<Int> {
        HeaderLayout.regionByteCount + (page - 1) * pageSize..<HeaderLayout.regionByteCount + page * pageSize
    }

    /// A field of both header copies changed, the checksum, which anyone can make, made to fit.
    private static func forge(_ bytes: inout [UInt8], _ change: (inout [UInt8]) -> Void) throws {
        for start in [0, HeaderLayout.copyByteCount] {
            var copy = bytes.slice(start, HeaderLayout.copyByteCount)
            change(&copy)
            let checksum = try SHA256.digest(of: copy.slice(0, HeaderLayout.checksum))
            copy.write(Array(checksum[0..<HeaderLayout.checksumByteCount]), at: HeaderLayout.checksum)
            bytes.write(copy, at: start)
        }
    }

    private static let cases: [Case] = [
        Case("an empty file", "not-sealed", 80) { bytes, _ in bytes = [] },
        Case("a file of one byte", "not-sealed", 80) { bytes, _ in bytes = [0x53] },
        Case("a plain SQLite file", "plain-database", 80) { bytes, _ in
            bytes = PageOneImage.emptyDatabase(pageSize: 4096, autoVacuum: .none)
        },
        Case("another product's encrypted file", "not-sealed", 80) { bytes, _ in
            bytes = try SecureRandom.bytes(5 * 4096)
        },
        Case("a header cut short", "damaged-header", 65) { bytes, _ in bytes = Array(bytes.prefix(3000)) },
        Case("a header of noise behind its magic", "damaged-header", 65) { bytes, _ in
            for start in [0, 4096] { bytes.write(try SecureRandom.bytes(4088), at: start + 8) }
        },
        Case("a header with a label of 4 GiB", "damaged-header", 65) { bytes, _ in
            try forge(&bytes) { $0.write(UInt32.max, at: HeaderLayout.slots + 36) }
        },
        Case("a header of a future version", "unsupported-version", 80) { bytes, _ in
            try forge(&bytes) { $0.write(UInt32(2), at: HeaderLayout.version) }
        },
        Case("a page size that lies", "tampered-header", 65) { bytes, _ in
            try forge(&bytes) { $0.write(UInt32(8192), at: HeaderLayout.pageSize) }
        },
        Case("the highest generation in a header of someone without the key", "tampered-header", 65) { bytes, _ in
            try forge(&bytes) { $0.write(UInt64.max, at: HeaderLayout.generation) }
        },
        Case("a last page cut short", "damaged-page", 65, page: 3) { bytes, _ in bytes.removeLast(100) },
        Case("a page swapped with another", "damaged-page", 65, page: 2) { bytes, _ in
            let (second, third) = (Array(bytes[range(ofPage: 2)]), Array(bytes[range(ofPage: 3)]))
            bytes.write(third, at: range(ofPage: 2).lowerBound)
            bytes.write(second, at: range(ofPage: 3).lowerBound)
        },
        Case("a page of another database with the same key", "damaged-page", 65, page: 2) { bytes, other in
            bytes.write(Array(other[range(ofPage: 2)]), at: range(ofPage: 2).lowerBound)
        },
    ]

    @Test("each has its code, its exit code, a message and a hint, and the file stays as it is", arguments: cases)
    func spoiled(bad: Case) throws {
        var bytes = try place.read("a.db")
        try bad.spoil(&bytes, try place.read("b.db"))
        try place.write(bytes, to: "a.db")
        for sql in ["SELECT x, y FROM t, u", "INSERT INTO u SELECT x FROM t"] {
            let ran = try place.sealite("sql", "a.db", sql, "--key-file", "key", "--json")
            if sql.hasPrefix("SELECT"), bad.page == 3, ran.status == 0 { continue }  // u is empty and t is whole
            #expect(ran.status == bad.status, "\(sql): \(ran.err)")
            #expect(ran.json?["code"] as? String == bad.code)
            #expect((ran.json?["message"] as? String)?.contains("a.db") == true)
            if let page = bad.page { #expect(ran.json?["page"] as? Int == page) }
            #expect(try place.read("a.db") == bytes)
        }
        let verified = try place.sealite("verify", "a.db", "--key-file", "key", "--json")
        #expect(verified.status == bad.status, "\(verified.err)")
        #expect(try place.read("a.db") == bytes)
        #expect(place.names == ["a.db", "b.db"])
    }

    @Test("a cost that would stop the machine is refused, and nothing of it is allocated")
    func hostileCost() throws {
        let cost = Scrypt.Cost(logN: 1, r: 1, p: 1)
        _ = try SealedDatabase.create(
            place.file("p.db"),
            slot: .passphrase(
                NewPassphrase(unsafe SecretBytes(copying: Array("open sesame".utf8).span.bytes), cost: cost)))
        var bytes = try place.read("p.db")
        try Self.forge(&bytes) { $0.write(UInt32(62), at: HeaderLayout.slots + 24) }
        try place.write(bytes, to: "p.db")
        let ran = try place.sealite("sql", "p.db", "SELECT 1", "--passphrase-file", "passphrase", "--json")
        #expect(ran.status == 65 && ran.json?["code"] as? String == "cost-refused")
        #expect((ran.json?["hint"] as? String)?.contains("--max-kdf-memory") == true)
    }

    @Test("a wrong key, no key, a key of another kind")
    func keys() throws {
        try place.write([UInt8](repeating: 1, count: 32), to: "wrong")
        let wrong = try place.sealite("sql", "a.db", "SELECT 1", "--key-file", "wrong", "--json")
        #expect(wrong.status == 77 && wrong.json?["code"] as? String == "wrong-key")
        let kind = try place.sealite("sql", "a.db", "SELECT 1", "--passphrase-file", "passphrase", "--json")
        #expect(kind.status == 77 && kind.json?["code"] as? String == "wrong-key")
        let none = try place.sealite("sql", "a.db", "SELECT 1", "--no-input", "--json")
        #expect(none.status == 64 && (none.json?["hint"] as? String)?.contains("--key-file") == true)
    }

    // MARK: What lies beside the file

    /// A database in the midst of a transaction, copied as a crash would leave it.
    private func crash(mode: String, to name: String, word: String) throws {
        let sealed = try SealedDatabase.create(place.file("live.db"), slot: .rawKey(Workplace.secret))
        let connection = try sealed.connect()
        _ = try connection.text("PRAGMA journal_mode=\(mode)")
        try connection.execute(
            """
            PRAGMA wal_autocheckpoint=0; CREATE TABLE t(x);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
            INSERT INTO t SELECT '\(word) ' || i || hex(zeroblob(200)) FROM n;
            """)
        if mode != "WAL" { try connection.execute("PRAGMA cache_size=2; BEGIN; UPDATE t SET x = 'half done ' || x") }
        for suffix in ["", "-wal", "-journal"] where place.exists("live.db" + suffix) {
            try place.write(try place.read("live.db" + suffix), to: name + suffix)
        }
        if mode != "WAL" { try connection.execute("ROLLBACK") }
        try connection.execute("PRAGMA journal_mode=DELETE")
        for name in ["live.db", "live.db-wal", "live.db-shm"] {
            try? FileManager.default.removeItem(atPath: place.file(name))
        }
    }

    private func word(_ name: String) throws -> Outcome {
        try place.sealite("sql", name, "SELECT DISTINCT substr(x, 1, 5) AS w FROM t", "--key-file", "key", "--csv")
    }

    @Test("the log of another database is ignored, and never played into this one")
    func foreignLog() throws {
        try crash(mode: "WAL", to: "c.db", word: "first")
        #expect(try place.sealite("sql", "c.db", "PRAGMA wal_checkpoint(TRUNCATE)", "--key-file", "key").status == 0)
        try crash(mode: "WAL", to: "d.db", word: "later")
        let bytes = try place.read("c.db")
        try place.write(try place.read("d.db-wal"), to: "c.db-wal")
        #expect(try word("c.db").out == "w\nfirst\n")
        #expect(try place.read("c.db") == bytes)
    }

    @Test("a tampered journal is refused with its own code, and nothing is played back")
    func tamperedJournal() throws {
        try crash(mode: "DELETE", to: "c.db", word: "first")
        let sound = try place.read("c.db-journal")
        var journal = sound
        journal[4096 + 2000] ^= 1
        try place.write(journal, to: "c.db-journal")
        let bytes = try place.read("c.db")
        for command in [
            ["sql", "c.db", "SELECT count(*) FROM t"], ["sql", "c.db", "DELETE FROM t"], ["verify", "c.db"],
        ] {
            let ran = try place.run([Tool.path] + command + ["--key-file", "key", "--json"])
            #expect(ran.status == 65 && ran.json?["code"] as? String == "damaged-journal", "\(ran.err)")
            #expect(try place.read("c.db") == bytes && place.read("c.db-journal") == journal)
        }
        try place.write(sound, to: "c.db-journal")
        #expect(try word("c.db").out == "w\nfirst\n")
    }

    @Test("an old journal put back is refused as of another time")
    func oldJournal() throws {
        try crash(mode: "DELETE", to: "c.db", word: "first")
        let journal = try place.read("c.db-journal")
        for _ in 0..<3 {
            #expect(try place.sealite("sql", "c.db", "INSERT INTO t VALUES ('first')", "--key-file", "key").status == 0)
        }
        let bytes = try place.read("c.db")
        try place.write(journal, to: "c.db-journal")
        let ran = try place.sealite("sql", "c.db", "SELECT count(*) FROM t", "--key-file", "key", "--json")
        #expect(ran.status == 65 && ran.json?["code"] as? String == "foreign-journal", "\(ran.err)")
        #expect(try place.read("c.db") == bytes && place.read("c.db-journal") == journal)
    }

    // MARK: The place

    /// Ways to put another database in the place of one that is open.
    enum Replacement: String, CaseIterable, CustomTestStringConvertible {
        case overwriting = "cat b.db > a.db"
        case renaming = "cp b.db c.db; mv c.db a.db"
        var testDescription: String { rawValue }
    }

    @Test(
        "a file that is replaced while it is open is told apart, and not written to",
        arguments: Replacement.allCases, ["DELETE", "WAL"])
    func replaced(how: Replacement, mode: String) throws {
        #expect(try place.sealite("sql", "a.db", "PRAGMA journal_mode=\(mode)", "--key-file", "key").status == 0)
        // A statement's rows are written when it ends: the line in the pipe says that the database is open. A commit to the log
        // believes for 50 ms that the file has its name still.
        let script = """
            mkfifo typed shown
            "$0" sql a.db --key-file key --json < typed > shown &
            exec 3> typed 4< shown
            echo "SELECT x FROM t;" >&3
            read -r line <&4
            [ "$line" = '[{"x":"kept"}]' ] || echo "read '$line'" >&2
            sleep 0.2
            \(how.rawValue)
            echo "INSERT INTO t VALUES ('lost');" >&3
            exec 3>&-
            wait $!
            """
        let ran = try place.run(["sh", "-c", script, Tool.path])
        #expect(ran.status == 74 && ran.json?["code"] as? String == "file-replaced", "\(ran.err)")
        #expect(try place.read("a.db") == place.read("b.db"))
    }

    @Test("a disk that takes no more ends with 74, and the file is as it was")
    func fullDisk() throws {
        let script = "trap '' XFSZ; ulimit -f 20; exec \"$0\" \"$@\""
        let statement =
            "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999) SELECT hex(zeroblob(99)) FROM n"
        let ran = try place.run(
            ["sh", "-c", script, Tool.path, "sql", "a.db", statement, "--key-file", "key", "--json"])
        #expect(ran.status == 74, "\(ran.err)")
        #expect(
            try place.sealite("sql", "a.db", "SELECT count(*) AS n FROM t", "--key-file", "key", "--csv").out
                == "n\n1\n")
        #expect(try place.sealite("verify", "a.db", "--key-file", "key").status == 0)
    }

    @Test("a folder that can't be read is a matter of permission")
    func unreadableFolder() throws {
        try FileManager.default.createDirectory(atPath: place.file("shut"), withIntermediateDirectories: false)
        try place.write(try place.read("a.db"), to: "shut/a.db")
        _ = unsafe chmod(place.file("shut"), 0)
        defer { _ = unsafe chmod(place.file("shut"), 0o700) }
        // Root reads everything, unless it gives that up.
        let asOwner = geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []
        let ran = try place.run(asOwner + [Tool.path, "sql", "shut/a.db", "SELECT 1", "--key-file", "key", "--json"])
        #expect(ran.status == 78 && ran.json?["code"] as? String == "permission", "\(ran.err)")
    }

    @Test(
        "a database in WAL mode in a folder that can't be written says so, with its log or without, and isn't called damaged",
        arguments: [false, true])
    func shutFolderOfWAL(withLog: Bool) throws {
        let statement = "PRAGMA journal_mode = WAL"
        #expect(try place.sealite("sql", "a.db", statement, "--key-file", "key").status == 0)
        try FileManager.default.createDirectory(atPath: place.file("shut"), withIntermediateDirectories: false)
        try place.write(try place.read("a.db"), to: "shut/a.db")
        if withLog { try place.write([], to: "shut/a.db-wal") }
        _ = unsafe chmod(place.file("shut"), 0o500)
        defer { _ = unsafe chmod(place.file("shut"), 0o700) }
        let asOwner = geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []
        for words in [
            ["sql", "shut/a.db", "SELECT * FROM sqlite_schema"], ["info", "shut/a.db"], ["doc", "list", "shut/a.db"],
            ["decrypt", "shut/a.db", "plain.db", "--yes"],
        ] {
            let ran = try place.run(asOwner + [Tool.path] + words + ["--key-file", "key", "--json"])
            #expect(ran.status == 78, "\(words): \(ran.err)")
            #expect(
                (ran.json?["hint"] as? String)?.contains("a folder that can be written") == true, "\(words): \(ran.err)"
            )
        }
        let verified = try place.run(asOwner + [Tool.path, "verify", "shut/a.db", "--key-file", "key"])
        #expect(
            verified.status == 78 && !verified.out.contains("is sound"),
            "\(verified.out)\(verified.err)")
    }

    @Test("audit ends with 78 where others may read or write the files")
    func looseModes() throws {
        _ = unsafe chmod(place.file("a.db"), 0o640)
        let ran = try place.sealite("audit", "a.db", "--key-file", "key", "--json")
        #expect(ran.status == 78 && ran.json?["code"] as? String == "permission", "\(ran.err)")
        #expect((ran.json?["hint"] as? String)?.contains("chmod 600") == true)
    }

    @Test("a build whose cryptography is wrong ends with 70")
    func wrongCryptography() throws {
        // The vectors are compiled in: a copy of the tool with one digit of RFC 4231's first test case changed. Another
        // process writes it: were it this one, a child that another test starts meanwhile would hold the file open for
        // writing, and the system doesn't run such a file.
        let script = "LC_ALL=C sed s/$1/c${1#b}/ \"$0\" > tool && ! cmp -s \"$0\" tool && chmod 700 tool"
        let digest = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        #expect(try place.run(["sh", "-c", script, Tool.path, digest]).status == 0)
        let ran = try place.run([place.file("tool"), "audit", "--json"])
        #expect(ran.status == 70 && ran.json?["code"] as? String == "known-answer-failed", "\(ran.err)")
        #expect((ran.json?["message"] as? String)?.contains("HMAC-SHA-256") == true)
        let both = try place.run([place.file("tool"), "audit", "gone.db", "--key-file", "key"])
        #expect(both.status == 70 && both.err.contains("gone.db"), "\(both.err)")
    }
}
