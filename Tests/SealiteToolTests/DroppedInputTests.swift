import Foundation
import Glibc
import SealiteFile
import Testing

@Suite("nothing that was asked for is dropped without a word")
struct DroppedInputTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase("a.db", "CREATE TABLE t(a)")
    }

    private func count(_ database: String = "a.db") throws -> String {
        try place.sealite("sql", database, "SELECT count(*) AS n FROM t", "--key-file", "key", "--csv").out
    }

    /// Root may write everything, unless it gives that up.
    private var asOwner: [String] {
        geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []
    }

    @Test("a script with a NUL byte is refused whole")
    func nulByte() throws {
        let ran = try place.sealite(
            "sql", "a.db", "--key-file", "key", input: "INSERT INTO t VALUES (1);\0INSERT INTO t VALUES (2);\n")
        #expect(ran.status == 1 && ran.err.contains("NUL"), "\(ran.err)")
        #expect(try count() == "n\n0\n")
    }

    @Test("a script that can't be read, being a folder or closed, ends with 74", arguments: ["< /", "<&-"])
    func unreadableScript(redirection: String) throws {
        let ran = try place.run(["sh", "-c", "exec \"$0\" sql a.db --key-file key --json \(redirection)", Tool.path])
        #expect(ran.status == 74 && ran.json?["code"] as? String == "io-error", "\(ran.err)")
    }

    @Test("SQL that ends inside a transaction says that it was rolled back")
    func openTransaction() throws {
        let half = "BEGIN; INSERT INTO t VALUES (1);"
        #expect(try place.sealite("sql", "a.db", half, "--key-file", "key").status == 1)
        let script = try place.sealite("sql", "a.db", "--key-file", "key", "--json", input: half)
        #expect(script.status == 1 && (script.json?["hint"] as? String)?.contains("COMMIT") == true, "\(script.err)")
        #expect(try count() == "n\n0\n")
        #expect(try place.sealite("sql", "a.db", half + "COMMIT", "--key-file", "key").status == 0)
        #expect(try count() == "n\n1\n")
    }

    @Test("a file named as SQLite's database in memory is a file")
    func nameOfMemory() throws {
        #expect(try place.sealite("create", ":memory:", "--key-file", "key").status == 0)
        let made = try place.sealite(
            "sql", ":memory:", "CREATE TABLE t(a); INSERT INTO t VALUES (1)", "--key-file", "key")
        #expect(made.status == 0, "\(made.err)")
        #expect(try count(":memory:") == "n\n1\n")
        let opened = try place.sealite("decrypt", ":memory:", "plain.db", "--key-file", "key", "--yes")
        #expect(opened.status == 0 && opened.out.contains("1 table and 1 row"), "\(opened.out)\(opened.err)")
    }

    @Test("a plain file too short for any page isn't sealed as an empty database")
    func shortPlain() throws {
        try place.write("Z", to: "short")
        let ran = try place.sealite("encrypt", "short", "new.db", "--key-file", "key", "--json")
        #expect(ran.status == 80 && ran.err.contains("1 bytes"), "\(ran.err)")
        #expect(!place.exists("new.db"))
    }

    @Test("a key in a URI is refused", arguments: ["key", "hexkey", "textkey"])
    func keyInURI(word: String) throws {
        try place.makeDatabase("b.db")
        let ran = try place.sealite(
            "sql", "a.db", "ATTACH 'file:b.db?\(word)=aa' AS b", "--key-file", "key", "--attach", "c=b.db")
        #expect(ran.status == 1 && ran.err.contains("URI"), "\(ran.err)")
        #expect(!ran.err.contains("=aa"))
    }

    @Test("an argument that isn't UTF-8 is refused, and nothing of another name is made")
    func encoding() throws {
        let script = "exec \"$0\" create \"$(printf 'x\\377.db')\" --key-file key"
        #expect(try place.run(["sh", "-c", script, Tool.path]).status == 64)
        #expect(place.names == ["a.db"])
    }

    @Test("an option for a key given twice is a usage error")
    func twoKeys() throws {
        let ran = try place.sealite("info", "a.db", "--key-file", "other", "--key-file=key", "--json")
        #expect(ran.status == 64 && ran.err.contains("--key-file is given twice"), "\(ran.err)")
    }

    @Test(
        "an option for a credential's secret given twice is a usage error",
        arguments: [
            "--password-file", "--password-fd", "--session-file", "--identity", "--private-key",
            "--identity-passphrase-file",
        ])
    func twoSecrets(option: String) throws {
        let ran = try place.sealite(
            "credential", "set", "https://h/a", "--user", "ana", option, "1", option, "2", "--json")
        #expect(ran.status == 64 && ran.err.contains("\(option) is given twice"), "\(ran.err)")
    }

    @Test(
        "standard input isn't read for two things",
        arguments: [
            ["model", "apply", "a.db", "-", "--key-file", "-"], ["model", "diff", "a.db", "-", "--passphrase-fd", "0"],
            ["model", "migrate", "a.db", "key", "--relationships", "T=-", "--key-file", "-"],
            ["model", "generate", "-", "--relationships", "T=-"],
            ["sync", "a.db", "ws://127.0.0.1:1/a", "--doc-ids-file", "-", "--key-file", "-"],
            ["sync", "a.db", "ws://127.0.0.1:1/a", "--doc-ids-file", "-", "--vault-key-file", "-"],
            ["query", "a.db", "SELECT 1 FROM _", "--param-file", "-", "--key-file", "-"],
            ["query", "a.db", "--param-file", "-", "--key-file", "key"],
            ["mongo", "update", "a.db", "_", "--filter-file", "-", "--update-file", "-", "--key-file", "key"],
        ])
    func twoReaders(command: [String]) throws {
        let ran = try place.run([Tool.path] + command, input: "{}")
        #expect(ran.status == 64 && ran.err.contains("tandard input can"), "\(ran)")
    }

    @Test(
        "a limit of no result is a usage error",
        arguments: [
            ["changes", "a.db", "--limit", "0"], ["doc", "list", "a.db", "--limit=-1"],
            ["query", "a.db", "SELECT 1 FROM _", "--rows", "0"],
        ])
    func noResult(command: [String]) throws {
        let ran = try place.run([Tool.path] + command + ["--key-file", "key"])
        #expect(ran.status == 64 && ran.err.contains("takes a number above 0"), "\(ran)")
    }

    @Test("a credential of systemd's that leads nowhere ends the search, and is named")
    func danglingCredential() throws {
        try FileManager.default.createDirectory(atPath: place.file("credentials"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: place.file("credentials/sealite.key"), withDestinationPath: place.file("gone"))
        try place.write("open sesame\n", to: "credentials/sealite.passphrase")
        let ran = try place.sealite("info", "a.db", environment: ["CREDENTIALS_DIRECTORY": place.file("credentials")])
        #expect(ran.status == 66 && ran.err.contains("sealite.key"), "\(ran.err)")
    }

    @Test("a slot of a file that may not be written is a matter of permission")
    func readOnlySlot() throws {
        try place.write(Array(repeating: 9, count: 32), to: "second")
        _ = unsafe chmod(place.file("a.db"), 0o400)
        let ran = try place.run(
            asOwner + [Tool.path, "key", "add", "a.db", "--key-file", "key", "--new-key-file", "second", "--json"])
        #expect(ran.status == 78 && ran.json?["code"] as? String == "permission", "\(ran.err)")
    }

    @Test(
        "audit reports on every database, whatever is wrong with another, and ends with that; it lists what crashes left beside one, under whatever name"
    )
    func auditOfSeveral() throws {
        try place.makeDatabase("b.db")
        let leftOver = [".plain.db.sealite-tmp-0123456789abcdef", ".a.db.sealite-tmp-0123456789abcdef"]
        for name in leftOver { try place.write("clear text", to: name) }
        let ran = try place.sealite("audit", "a.db", "gone.db", "b.db", "--key-file", "key")
        #expect(ran.status == 66 && ran.err.contains("gone.db"), "\(ran.err)")
        #expect(
            ran.out.contains("\"a.db\"") && ran.out.contains("\"b.db\"") && ran.out.contains("known answers are right"))
        #expect(ran.out.contains("left over") && leftOver.allSatisfy { ran.out.contains($0) }, "\(ran.out)")
    }

    @Test("a limit on the size of files leaves nothing, and the error names the file there was no room for")
    func sizeLimit() throws {
        let rows =
            "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999) SELECT hex(zeroblob(99)) FROM n"
        #expect(try place.sealite("sql", "a.db", rows, "--key-file", "key").status == 0)
        #expect(try place.sealite("decrypt", "a.db", "plain.db", "--key-file", "key", "--yes").status == 0)
        let script = "ulimit -f 20; exec \"$0\" encrypt plain.db new.db --key-file key"
        let ran = try place.run(["sh", "-c", script, Tool.path])
        #expect(ran.status == 74, "\(ran.status) \(ran.err)")
        #expect(place.names == ["a.db", "plain.db"])
    }
}
