import Foundation
import Glibc
import SealiteCrypto
import SealiteFile
import SealiteMaintenance
import SealiteTestSupport
import Testing

@Suite("sealite key rotate")
struct RotateCommandTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private func makeDatabase(rows: Int) throws {
        try place.makeDatabase(
            "a.db",
            "CREATE TABLE t(a INTEGER PRIMARY KEY, b); WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < \(rows))"
                + " INSERT INTO t SELECT i, randomblob(3000) FROM n")
    }

    private func info() throws -> [String: Any] {
        try #require(Outcome.object(try place.sealite("info", "a.db", "--json").out))
    }

    @Test("no slot is dropped silently: each is supplied, replaced or named")
    func slots() throws {
        try makeDatabase(rows: 3)
        try place.write("another", to: "other")
        let secondKey = (0..<32).map { UInt8($0 + 100) }
        try place.write(secondKey, to: "second")
        func add(_ arguments: String...) throws {
            let command = ["key", "add", "a.db", "--key-file", "key", "--kdf-log-n", "5"] + arguments
            #expect(try place.run([Tool.path] + command).status == 0)
        }
        try add("--new-passphrase-file", "passphrase")
        try add("--new-key-file", "second")
        try add("--new-recovery-key-file", "paper")
        let before = try place.read("a.db")
        let fingerprint = try #require(
            SealedDatabase.publicHeader(of: place.file("a.db")).slots.compactMap(\.fingerprint).first)
        let unnamed = try place.sealite("key", "rotate", "a.db", "--key-file", "key", "--json")
        #expect(unnamed.status == 64 && unnamed.json?["slots"] as? [Int] == [4])
        #expect((unnamed.json?["hint"] as? String)?.contains("--keep-recovery \(fingerprint)") == true, "\(unnamed)")
        let refused = try place.sealite(
            "key", "rotate", "a.db", "--key-file", "key", "--keep-recovery", fingerprint, "--json")
        #expect(refused.status == 64)
        #expect((refused.json?["message"] as? String)?.hasSuffix("slot 2, 3") == true, "\(refused)")
        #expect(
            (refused.json?["hint"] as? String)?.contains("--also-passphrase-file FILE --also-key-file FILE") == true)
        let unknown = try place.sealite(
            "key", "rotate", "a.db", "--key-file", "key", "--keep-recovery", String(repeating: "0", count: 32))
        #expect(unknown.status == 64)
        #expect(try place.read("a.db") == before)
        let rotated = try place.sealite(
            "key", "rotate", "a.db", "--key-file", "key", "--new-passphrase-file", "other", "--kdf-log-n", "5",
            "--also-passphrase-file", "passphrase", "--drop-slot", "3", "--keep-recovery", fingerprint)
        #expect(rotated.status == 0, "\(rotated)")
        func check(_ arguments: String...) throws -> CInt {
            try place.run([Tool.path, "key", "check", "a.db"] + arguments).status
        }
        #expect(try check("--key-file", "key") == 77)
        #expect(try check("--key-file", "second") == 77)
        #expect(try check("--passphrase-file", "passphrase") == 0)
        #expect(try check("--passphrase-file", "other") == 0)
        #expect(try check("--recovery-key-file", "paper") == 0)
        let verified = try place.sealite("verify", "a.db", "--passphrase-file", "other")
        #expect(verified.status == 0)
    }

    @Test(
        "--finish takes no secret of another slot: the slots are decided",
        arguments: ["--also-key-file", "--also-passphrase-file", "--also-recovery-key-file"])
    func finishWithSecret(option: String) throws {
        try makeDatabase(rows: 1)
        let refused = try place.sealite("key", "rotate", "a.db", "--finish", option, "key", "--key-file", "key")
        #expect(refused.status == 64 && refused.err.contains("--finish can't be given with"), "\(refused)")
    }

    @Test(
        "a stopped rotation is told by info, with how far it is, and the next one goes on",
        arguments: [SIGTERM, SIGINT, SIGKILL])
    func stopped(signal: CInt) throws {
        try makeDatabase(rows: 4000)
        // A machine that is busy elsewhere may let the rotation end before the signal: then there is another.
        for _ in 0..<20 where try info()["rotation"] == nil { try rotate(until: signal) }
        let told = try info()
        let rotation = try #require(told["rotation"] as? [String: Any])
        let done = try #require(rotation["pagesDone"] as? Int)
        let count = try #require(rotation["pageCount"] as? Int)
        #expect(done > 0 && done < count && count > 4000)
        #expect((told["header"] as? [String: Any])?["previousEpoch"] is Int)
        #expect(try place.sealite("info", "a.db").out.contains("pages sealed under the new key"))
        let rows = try place.sealite("sql", "a.db", "SELECT count(*) FROM t", "--csv", "--key-file", "key")
        #expect(rows.out.hasSuffix("\n4000\n"))
        let resumed = try place.sealite("key", "rotate", "a.db", "--key-file", "key")
        #expect(resumed.status == 0 && resumed.out.hasPrefix("finished an interrupted rotation"), "\(resumed)")
        #expect(try info()["rotation"] == nil)
        #expect(try place.sealite("verify", "a.db", "--key-file", "key").status == 0)
        #expect(!place.exists("a.db-rotate"))
    }

    @Test("a key that is refused while a rotation is unfinished leads to that rotation", arguments: ["key", "wrong"])
    func refusedKey(name: String) throws {
        try makeDatabase(rows: 500)
        let new = (0..<32).map { UInt8($0 + 100) }
        try place.write(new, to: "new")
        try place.write(new.reversed(), to: "wrong")
        let rotation = try KeyRotation(of: place.open())
        try rotation.replaceSlot(1, with: .rawKey(unsafe SecretBytes(copying: new.span.bytes)))
        #expect(throws: SealedFileError.self) { try rotation.run { $0.pagesDone > 0 ? .stop : .proceed } }
        for command in [["doc", "list", "a.db"], ["sql", "a.db", "SELECT 1"], ["key", "rotate", "a.db"]] {
            let refused = try place.run([Tool.path] + command + ["--key-file", name, "--json"])
            #expect(refused.status == 77 && refused.json?["code"] as? String == "wrong-key", "\(refused)")
            #expect(refused.err.contains("a key rotation of the file has begun and hasn't ended"), "\(refused)")
            let hint = try #require(refused.json?["hint"] as? String)
            #expect(hint.contains("'sealite info'") && hint.contains("'sealite key rotate --finish'"))
        }
        #expect(try place.sealite("key", "rotate", "a.db", "--finish", "--key-file", "new").status == 0)
        let after = try place.sealite("key", "check", "a.db", "--key-file", name)
        #expect(after.status == 77 && !after.err.contains("rotation"), "\(after)")
    }

    private func rotate(until signal: CInt) throws {
        try? FileManager.default.removeItem(atPath: place.file("stdout"))
        try place.write("", to: "stderr")
        let child = try ChildProcess(
            [Tool.path, "key", "rotate", "a.db", "--key-file", "key", "--json", "-v"], folder: place.path,
            files: [(1, place.file("stdout"), O_WRONLY | O_CREAT), (2, place.file("stderr"), O_WRONLY)])
        try eventuallyBlocking("a report of a page", longestPause: .milliseconds(2)) {
            String(decoding: try place.read("stderr"), as: UTF8.self).split(separator: "\n").contains { line in
                let progress = Outcome.object(String(line))?["progress"] as? [String: Any]
                return progress?["completed"] as? Int ?? 0 > 0
            }
        }
        child.send(signal)
        let status = child.wait()
        #expect(status == 128 + signal || status == 0)
    }

    @Test("with --json the progress has pages and bytes")
    func progress() throws {
        try makeDatabase(rows: 500)
        let rotated = try place.sealite("key", "rotate", "a.db", "--key-file", "key", "--json", "-v")
        let lines = rotated.err.split(separator: "\n").compactMap { Outcome.object(String($0)) }
        let first = try #require(lines.first?["progress"] as? [String: Any])
        #expect(first["phase"] as? String == "resealing")
        #expect(first["bytes"] as? Int == (first["completed"] as? Int).map { $0 * 4096 })
        #expect(Outcome.object(rotated.out)?["epoch"] as? Int == 2)
    }
}
