import Foundation
import Glibc
import SealiteFile
import SealiteTestSupport
import Testing

@Suite("sealite backup and restore")
struct BackupCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase("a.db", "CREATE TABLE t(a); INSERT INTO t VALUES ('kept')")
    }

    private func rows(_ name: String, _ key: String...) throws -> Outcome {
        let arguments = key.isEmpty ? ["--key-file", "key"] : key
        return try place.run([Tool.path, "sql", name, "SELECT a FROM t", "--csv"] + arguments)
    }

    @Test("a backup opens with the database's secrets, and comes back by restore")
    func roundTrip() throws {
        let made = try place.sealite("backup", "a.db", "b.db", "--key-file", "key")
        #expect(made.status == 0 && made.out.hasPrefix("backed up \"a.db\" to \"b.db\": 2 pages"), "\(made)")
        #expect(try place.mode("b.db") == 0o600)
        #expect(try rows("b.db").out == "a\nkept\n")
        let taken = try place.sealite("backup", "a.db", "b.db", "--key-file", "key")
        #expect(taken.status == 73)
        try place.open().connect().execute("DELETE FROM t")
        #expect(try place.sealite("restore", "b.db", "a.db", "--key-file", "key").status == 73)
        let restored = try place.sealite("restore", "b.db", "a.db", "--key-file", "key", "--replace")
        #expect(
            restored.status == 0 && restored.out.contains("what was there is kept as \"a.db.replaced-"), "\(restored)")
        #expect(try rows("a.db").out == "a\nkept\n")
        let kept = try #require(place.names.first { $0.hasPrefix("a.db.replaced-") })
        #expect(try rows(kept).out == "a\n")
        let fresh = try place.sealite("restore", "b.db", "new.db", "--key-file", "key")
        #expect(fresh.status == 0 && !fresh.out.contains("header backup"), "\(fresh)")
        #expect(try rows("new.db").out == "a\nkept\n")
    }

    @Test(
        "a damaged header copy is warned of by the command that mends it, and both destroyed aren't a new file's case")
    func damagedHeader() throws {
        let whole = try place.read("a.db")
        try place.write([UInt8](repeating: 7, count: 3000) + whole[3000...], to: "a.db")
        let mended = try place.sealite("sql", "a.db", "INSERT INTO t VALUES ('more')", "--key-file", "key")
        #expect(
            mended.status == 0 && mended.err.hasPrefix("warning: header copy 0 of \"a.db\" is damaged"), "\(mended)")
        let after = try place.sealite("sql", "a.db", "SELECT count(*) FROM t", "--key-file", "key")
        #expect(after.status == 0 && after.err.isEmpty, "\(after)")
        try place.write([UInt8](repeating: 7, count: 8192) + whole[8192...], to: "b.db")
        let destroyed = try place.sealite("verify", "b.db", "--key-file", "key")
        #expect(destroyed.status == 80 && destroyed.err.contains("both copies of its header are destroyed"))
        #expect(destroyed.err.contains("sealite header restore") && destroyed.err.contains("--replace"))
    }

    @Test("a backup with a new secret opens with that one only")
    func newSlot() throws {
        let made = try place.sealite(
            "backup", "a.db", "b.db", "--key-file", "key", "--new-passphrase-file", "passphrase", "--kdf-log-n", "5",
            "--new-label", "vault", "--json")
        #expect(made.status == 0, "\(made)")
        let report = Outcome.object(made.out)
        #expect(report?["pageCount"] as? Int == 2 && report?["integrity"] as? String == "ok")
        #expect(try rows("b.db").status == 77)
        #expect(try rows("b.db", "--passphrase-file", "passphrase").out == "a\nkept\n")
        #expect(try place.sealite("key", "list", "b.db").out.contains("\"vault\""))
    }

    @Test("a wrong key, an absent database and a label without a secret end with the code of their class")
    func wrong() throws {
        #expect(try place.sealite("backup", "a.db", "b.db", "--passphrase-file", "passphrase").status == 77)
        #expect(try place.sealite("backup", "none.db", "b.db", "--key-file", "key").status == 66)
        #expect(try place.sealite("restore", "none.db", "b.db", "--key-file", "key").status == 66)
        #expect(try place.sealite("backup", "a.db", "b.db", "--key-file", "key", "--new-label", "x").status == 64)
        #expect(place.names == ["a.db"])
    }

    @Test("a signal in the middle of a backup leaves no file behind", arguments: [SIGTERM, SIGINT])
    func interrupted(signal: CInt) throws {
        try place.open().connect().execute(
            "WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 20000) INSERT INTO t SELECT randomblob(3000) FROM n"
        )
        var status: CInt = 0
        // A machine that is busy elsewhere may let a backup end before the signal: then there is another.
        for _ in 0..<10 where status == 0 {
            try? place.remove("b.db")
            let child = try ChildProcess(
                [Tool.path, "backup", "a.db", "b.db", "--key-file", "key"], folder: place.path,
                files: [(2, place.file("stderr"), O_WRONLY | O_CREAT)])
            eventuallyBlocking("the backup") {
                child.hasUnnamedFile(in: place.path) || place.names.contains { $0.hasPrefix(".b.db") } || child.hasEnded
            }
            child.send(signal)
            status = child.wait()
        }
        #expect(status == 128 + signal)
        #expect(place.names == ["a.db"])
    }
}

@Suite("sealite salvage and header")
struct SalvageCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase(
            "a.db",
            "CREATE TABLE t(a INTEGER PRIMARY KEY, b); WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 200)"
                + " INSERT INTO t SELECT i, zeroblob(300) FROM n")
    }

    private func flip(_ offsets: [Int]) throws {
        var bytes = try place.read("a.db")
        for offset in offsets { bytes[offset] ^= 0x20 }
        try place.write(bytes, to: "a.db")
    }

    @Test("salvage of a sound database exits with 0, of a damaged one with 65 and a report of the lost rows")
    func report() throws {
        let sound = try place.sealite("salvage", "a.db", "b.db", "--key-file", "key")
        #expect(sound.status == 0 && sound.out.hasPrefix("recovered 200 rows of 1 table"), "\(sound)")
        try flip([8192 + 4 * 4096 + 50])
        let damaged = try place.sealite("salvage", "a.db", "c.db", "--key-file", "key")
        #expect(damaged.status == 65)
        #expect(
            damaged.out.contains("lost pages  5\n") && damaged.out.contains("lost page 5: rowids from "), "\(damaged)")
        let left = try place.sealite("sql", "c.db", "SELECT count(*) > 100 FROM t", "--csv", "--key-file", "key")
        #expect(left.out.hasSuffix("\n1\n"))
        let json = try place.sealite("salvage", "a.db", "d.db", "--key-file", "key", "--json")
        let last = try #require(json.out.split(separator: "\n").last)
        let object = try #require(Outcome.object(String(last)))
        #expect((object["lostPages"] as? [[Int]]) == [[5, 5]])
        #expect(json.json?["code"] as? String == "incomplete")
    }

    @Test("a header that is lost twice comes back from its backup, and salvage can do without it")
    func header() throws {
        let saved = try place.sealite("header", "backup", "a.db", "h")
        #expect(saved.status == 0 && saved.out.hasSuffix("slot 1: raw-key\n"), "\(saved)")
        #expect(try place.mode("h") == 0o600)
        #expect(try place.sealite("header", "backup", "a.db", "again", "--quiet").out.isEmpty)
        try flip([500, 4096 + 500])
        #expect(try place.sealite("verify", "a.db", "--key-file", "key").status == 65)
        let salvaged = try place.sealite("salvage", "a.db", "b.db", "--header-backup", "h", "--key-file", "key")
        #expect(salvaged.status == 0, "\(salvaged)")
        #expect(try place.sealite("header", "restore", "a.db", "h", "--passphrase-file", "passphrase").status == 77)
        #expect(try place.sealite("header", "restore", "a.db", "h", "--key-file", "key").status == 0)
        #expect(try place.sealite("verify", "a.db", "--key-file", "key").status == 0)
    }

    @Test("a damaged first page is damage to every command, and the next step is named")
    func firstPage() throws {
        try flip([8192 + 50])
        for command in [["doc", "get", "a.db", "x"], ["query", "a.db", "SELECT 1"], ["sql", "a.db", "SELECT 1"]] {
            let refused = try place.run([Tool.path] + command + ["--key-file", "key"])
            #expect(refused.status == 65 && refused.err.contains("page 1 failed authentication"), "\(refused)")
            #expect(refused.err.contains("sealite salvage"), "\(refused)")
        }
    }

    @Test("documents under lost roots come back as documents, and the report counts them by collection")
    func documents() throws {
        try place.makeDatabase("notes.db")
        for collection in ["_default", "work.done"] {
            let lines = (1...300).map {
                "{\"_id\":\"\(collection)-\($0)\",\"text\":\"\(String(repeating: "a", count: 200))\"}".replacing(
                    "\"_default", with: "\"plain")
            }
            try place.write(lines.joined(separator: "\n"), to: "notes.jsonl")
            let imported = try place.sealite(
                "import", "notes.db", "notes.jsonl", "--collection", collection, "--key-file", "key")
            #expect(imported.status == 0, "\(imported)")
        }
        let roots = try place.sealite(
            "sql", "notes.db", "SELECT rootpage FROM sqlite_schema WHERE name IN ('documents_1', 'documents_2')",
            "--csv", "--key-file", "key")
        var bytes = try place.read("notes.db")
        for root in roots.out.split(separator: "\n").compactMap({ Int($0) }) {
            bytes[8192 + (root - 1) * 4096 + 50] ^= 1
        }
        try place.write(bytes, to: "notes.db")
        let salvaged = try place.sealite("salvage", "notes.db", "new.db", "--key-file", "key", "--json")
        #expect(salvaged.status == 65)
        let report = try #require(Outcome.object(String(salvaged.out.split(separator: "\n").last ?? "")))
        let documents = try #require(report["documents"] as? [String: Any])
        let collections = try #require(documents["collections"] as? [[String: Any]])
        #expect(collections.map { $0["name"] as? String } == ["_default", "done"])
        #expect(collections.map { $0["documentCount"] as? Int } == [300, 300])
        #expect(collections.map { $0["foundApartCount"] as? Int } == [300, 300])
        for collection in ["_default", "work.done"] {
            let list = try place.sealite("doc", "list", "new.db", "--collection", collection, "--key-file", "key")
            #expect(list.out.split(separator: "\n").count == 300, "\(list.err)")
        }
        #expect(try place.sealite("verify", "new.db", "--key-file", "key").status == 0)
        let words = try place.sealite("salvage", "notes.db", "again.db", "--key-file", "key")
        #expect(
            words.out.contains(
                "collection work.done: 300 documents, 0 tombstones, 300 of them found outside the collection's b-tree\n"
            ),
            "\(words)")
    }

    @Test("a vault whose table's root is lost gives its credentials back")
    func vault() throws {
        try FileManager.default.createDirectory(
            atPath: place.file("store"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let vault = ["--vault", "store/vault.db", "--vault-key-file", "key"]
        for number in 1...40 {
            let set = try place.run(
                [Tool.path, "credential", "set", "service \(number)", "--user", "ana"] + vault,
                input: "secret \(number)")
            #expect(set.status == 0, "\(set)")
        }
        var bytes = try place.read("store/vault.db")
        // Page 1: the schema, and with it everything that SQLite knows of the table.
        bytes[8192 + 50] ^= 1
        try place.write(bytes, to: "store/vault.db")
        #expect(try place.sealite("salvage", "store/vault.db", "store/new.db", "--key-file", "key").status == 65)
        let got = try place.sealite(
            "credential", "get", "service 17", "--user", "ana", "--reveal", "--vault", "store/new.db",
            "--vault-key-file",
            "key")
        #expect(got.status == 0 && got.out.contains("secret 17"), "\(got)")
    }

    @Test("a header of before a rotation is refused")
    func oldHeader() throws {
        try place.sealite("header", "backup", "a.db", "h")
        #expect(try place.sealite("key", "rotate", "a.db", "--key-file", "key").status == 0)
        let refused = try place.sealite("header", "restore", "a.db", "h", "--key-file", "key")
        #expect(refused.status == 64 && refused.err.contains("were rotated after the chosen header"))
    }

    @Test("header accept decides for the copy that the key opens")
    func accept() throws {
        #expect(try place.sealite("header", "accept", "a.db", "--key-file", "key").status == 64)
        // A whole copy by another key: that of another database, with this one's id.
        try place.makeDatabase("other.db")
        let other = try place.read("other.db")
        let own = try place.read("a.db")
        try place.write(Array(other[..<4096]) + Array(own[4096...]), to: "a.db")
        #expect(try place.sealite("verify", "a.db", "--key-file", "key").status == 65)
        let accepted = try place.sealite("header", "accept", "a.db", "--key-file", "key", "--copy", "1")
        #expect(accepted.status == 0, "\(accepted)")
        #expect(try place.sealite("verify", "a.db", "--key-file", "key").status == 0)
    }
}
