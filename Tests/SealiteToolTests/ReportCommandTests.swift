import Foundation
import SealiteFile
import SealiteKnownAnswers
import Testing

@testable import SealiteTool

@Suite("sealite info, verify, audit and help")
struct ReportCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase("a.db", "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(20000))")
    }

    @Test("info shows the public part without a key, and more with one")
    func info() throws {
        let open = try place.sealite("info", "a.db")
        #expect(open.status == 0 && open.out.contains("page size    4096 bytes") && !open.out.contains("pages"))
        let keyed = try place.sealite("info", "a.db", "--key-file", "key", "--json")
        let report = try #require(Outcome.object(keyed.out))
        #expect(report["isChecked"] as? Bool == true)
        #expect((report["statistics"] as? [String: Any])?["pageCount"] as? Int == 6)
    }

    @Test("verify finds a sound database sound")
    func sound() throws {
        let verified = try place.sealite("verify", "a.db", "--key-file", "key")
        #expect(verified.status == 0)
        #expect(verified.out == "pages      6 authentic, 0 damaged\nintegrity  ok\n\"a.db\" is sound\n")
    }

    @Test("verify names every damaged page and exits with 65")
    func damaged() throws {
        var bytes = try place.read("a.db")
        for page in [4, 6] { bytes[8192 + (page - 1) * 4096 + 100] ^= 0x80 }
        try place.write(bytes, to: "a.db")
        let verified = try place.sealite("verify", "a.db", "--key-file", "key")
        #expect(verified.status == 65)
        #expect(verified.out.contains("page 4: ") && verified.out.contains("page 6: "))
        let json = try place.sealite("verify", "a.db", "--key-file", "key", "--json")
        #expect(json.status == 65 && json.json?["page"] as? Int == 4)
        #expect(json.json?["code"] as? String == "damaged-page")
        let report = try #require(Outcome.object(json.out.split(separator: "\n").last.map(String.init) ?? ""))
        #expect((report["findings"] as? [Any])?.isEmpty == false)
        #expect(try place.read("a.db") == bytes)
    }

    @Test(
        "a check that fails leaves no log and no shared memory beside the database",
        arguments: [
            (4, ["verify", "a.db"]), (1, ["verify", "a.db"]), (4, ["sql", "a.db", "SELECT a FROM t"]),
            (4, ["sql", "a.db", "--read-only", "SELECT a FROM t"]), (1, ["info", "a.db"]),
            (4, ["doc", "list", "a.db"]), (4, ["backup", "a.db", "b.db"]),
            (4, ["decrypt", "a.db", "plain.db", "--yes"]),
        ] as [(page: Int, command: [String])])
    func nothingLeft(page: Int, command: [String]) throws {
        try place.open().connect().execute("PRAGMA journal_mode = WAL")
        var bytes = try place.read("a.db")
        bytes[8192 + (page - 1) * 4096 + 100] ^= 0x80
        try place.write(bytes, to: "a.db")
        let failed = try place.run([Tool.path] + command + ["--key-file", "key"])
        #expect(failed.status != 0, "\(failed)")
        #expect(place.names == ["a.db"], "\(failed)")
    }

    @Test(
        "'verify' that passes changes nothing either, and one in the middle of another process's work leaves its log alone"
    )
    func nothingLeftOfSound() throws {
        var connection: RawConnection? = try place.open().connect()
        try connection?.execute("PRAGMA journal_mode = WAL; INSERT INTO t VALUES (1)")
        #expect(try place.sealite("verify", "a.db", "--key-file", "key").status == 0)
        #expect(try place.sealite("sql", "a.db", "--read-only", "SELECT a FROM t", "--key-file", "key").status == 0)
        #expect(place.size("a.db-wal") > 0 && place.exists("a.db-shm"))
        connection = nil
        for command in [["verify", "a.db"], ["sql", "a.db", "--read-only", "SELECT count(*) FROM t"]] {
            let passed = try place.run([Tool.path] + command + ["--key-file", "key"])
            #expect(passed.status == 0 && place.names == ["a.db"], "\(passed)")
        }
    }

    @Test("the findings of several pages are in the plural, and those of one in the singular")
    func plural() throws {
        let bytes = try place.read("a.db")
        try place.write(bytes + [UInt8](repeating: 0, count: 10 * 4096), to: "a.db")
        let several = try place.sealite("verify", "a.db", "--key-file", "key").out
        #expect(several.contains("note: pages 7 to 16: are after the database's last page, and are never read"))
        try place.write(bytes + [UInt8](repeating: 0, count: 4096), to: "a.db")
        let one = try place.sealite("verify", "a.db", "--key-file", "key").out
        #expect(one.contains("note: page 7: is after the database's last page, and is never read"), "\(one)")
        try place.write(bytes.dropLast(2 * 4096), to: "a.db")
        let missing = try place.sealite("verify", "a.db", "--key-file", "key").out
        #expect(missing.contains("damage: pages 5 to 6: are missing: the file ends before them"), "\(missing)")
        // Found one by one, and merged.
        try place.write(Array(bytes.prefix(8192 + 3 * 4096)) + [UInt8](repeating: 0, count: 3 * 4096), to: "a.db")
        let zeros = try place.sealite("verify", "a.db", "--key-file", "key").out
        #expect(
            zeros.contains("pages 4 to 6: were never written (they have only zeros), and aren't known"), "\(zeros)")
    }

    @Test("a tampered header is refused with 65, and an unknown version with 80")
    func headers() throws {
        let sound = try place.read("a.db")
        var damaged = sound
        for copy in [0, 4096] { damaged[copy + 20] ^= 1 }
        try place.write(damaged, to: "a.db")
        #expect(try place.sealite("info", "a.db").status == 65)
        var future = sound
        for copy in [0, 4096] { future[copy + 8] = 2 }
        try place.write(future, to: "a.db")
        let refused = try place.sealite("info", "a.db", "--json")
        #expect(refused.status == 80 || refused.status == 65)
        try place.write(Array(sound.prefix(3000)), to: "a.db")
        #expect(try place.sealite("info", "a.db").status == 65)
    }

    @Test("audit passes every suite from the binary alone, in an empty folder, and reports on databases")
    func audit() throws {
        let audited = try place.sealite(
            "audit", "a.db", "--key-file", "key", "--json", environment: ["SEALITE_QUICK_AUDIT": "0"])
        #expect(audited.status == 0)
        let report = try #require(Outcome.object(audited.out.split(separator: "\n").last.map(String.init) ?? ""))
        let suites = try #require(report["suites"] as? [[String: Any]])
        #expect(suites.count == KnownAnswers.suites.count + KnownAnswers.properties.count)
        for suite in suites {
            #expect(
                suite["passed"] as? Int == suite["expected"] as? Int && suite["ran"] as? Int == suite["passed"] as? Int)
        }
        let databases = try #require(report["databases"] as? [[String: Any]])
        #expect(databases.count == 1)
        let log = try #require(report["log"] as? [String: Any])
        #expect(log["sqlite"] as? String == SealiteVersion.sqlite && log["isGuarded"] as? Bool == true)
        #expect(log["hasWALResetBug"] as? Bool == WALResetGuard.isNeeded)
        let told = try place.sealite("audit")
        let verdict = WALResetGuard.isNeeded ? "has" : "doesn't have"
        #expect(told.out.contains("SQLite \(SealiteVersion.sqlite) \(verdict) the WAL-reset bug"))
        #expect(told.out.contains("against it is in force"))
    }

    /// Gives page 4 the nonce of page 3.
    private func reuseNonce() throws {
        var bytes = try place.read("a.db")
        let (third, fourth) = (8192 + 3 * 4096 - 48, 8192 + 4 * 4096 - 48)
        bytes.replaceSubrange(fourth..<fourth + 24, with: bytes[third..<third + 24])
        try place.write(bytes, to: "a.db")
    }

    @Test("each database that can't be opened is an error of the audit, and hides no finding in another")
    func auditErrors() throws {
        try reuseNonce()
        let arguments = [Tool.path, "audit", "gone.db", "a.db", "lost.db", "--key-file", "key"]
        let audited = try place.run(arguments + ["--json"])
        let codes = audited.err.split(separator: "\n").map { Outcome.object(String($0))?["code"] as? String }
        #expect(audited.status == 65 && codes == ["no-such-file", "no-such-file", "nonce-reuse"], "\(audited)")
        let told = try place.run(arguments)
        #expect(told.status == 65 && told.err.contains("gone.db") && told.err.contains("lost.db"), "\(told)")
        #expect(told.err.contains("\"a.db\" uses a nonce twice"))
    }

    @Test("a database written to in two places with one nonce fails the audit")
    func nonceReuse() throws {
        try reuseNonce()
        let audited = try place.sealite("audit", "a.db", "--key-file", "key", "--json")
        #expect(audited.status == 65 && audited.json?["code"] as? String == "nonce-reuse")
    }

    @Test("the version names SQLite's and OpenSSL's, the commit if the build was told, and the file formats")
    func version() throws {
        let shown = try place.sealite("--version")
        #expect(shown.status == 0)
        let pattern =
            /Sealite [0-9.]+ \(SQLite [0-9.]+, OpenSSL [0-9.]+[a-z]*\)\n(commit [0-9a-f]{40}(-modified)?\n)?reads and writes sealed files of format 1, document databases of format [0-9]+, vaults of format 1\n/
        #expect(shown.out.wholeMatch(of: pattern) != nil)
    }

    @Test("help exit-codes lists every exit code")
    func exitCodes() throws {
        let shown = try place.sealite("help", "exit-codes")
        #expect(shown.status == 0)
        for status in ExitStatus.allCases { #expect(shown.out.contains("\(status.rawValue)  \(status.meaning)\n")) }
        #expect(shown.out.contains("128 + n"))
    }

    @Test("every command has help with an example", arguments: SealiteCommand.leafCommands)
    func help(command: [String]) throws {
        let shown = try place.run([Tool.path, "help"] + command)
        #expect(shown.status == 0)
        #expect(shown.out.contains("Example: sealite \(command.joined(separator: " "))"))
    }

    @Test(
        "every group of commands has a page of help",
        arguments: ["key", "header", "freshness", "credential", "doc", "collection", "blob", "model"])
    func helpOfGroups(name: String) throws {
        #expect(try place.sealite(name, "--help").out.contains("Example: sealite \(name) "))
    }

    @Test("a command line that isn't understood is a usage error in both forms")
    func usage() throws {
        let plain = try place.sealite("frobnicate")
        #expect(plain.status == 64 && plain.err.hasPrefix("sealite: "))
        let json = try place.sealite("info", "--json")
        #expect(json.status == 64 && json.json?["exitCode"] as? Int == 64)
        #expect(try place.sealite().status == 0)
    }

    @Test("every error of the library has its exit code")
    func mapping() {
        let expected: [SealedFileError.Code: CInt] = [
            .notSealed: 80, .plainDatabase: 80, .unsupportedVersion: 80, .wrongKey: 77, .costRefused: 65,
            .damagedHeader: 65, .tamperedHeader: 65, .damagedPage: 65, .damagedFrame: 65, .damagedJournal: 65,
            .foreignJournal: 65, .integrity: 65, .notUnlocked: 77, .unlockAgain: 77,
            .locked: 70, .afterFork: 70,
            .fileReplaced: 74, .refused: 64, .busy: 75, .rotationUnderWay: 75, .rolledBack: 79, .cancelled: 1,
            .noSuchFile: 66, .notAFile: 66, .exists: 73, .permission: 78, .diskFull: 74, .inputOutput: 74,
            .statement: 1, .invalidStatement: 64,
            .invalidArgument: 64, .internalFailure: 70,
        ]
        for code in SealedFileError.Code.allCases { #expect(ExitStatus(code).rawValue == expected[code], "\(code)") }
    }
}
