import Glibc
import SealiteFile
import Testing

@Suite("sealite create")
struct CreateCommandTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test("'create' makes a sealed database that its key opens, mode 0600, and says so")
    func creates() throws {
        let made = try place.sealite("create", "a.db", "--key-file", "key")
        #expect(made.status == 0 && made.out == "made \"a.db\"\n" && made.err.isEmpty)
        #expect(try place.mode("a.db") == 0o600)
        #expect(SealedDatabase.isSealed(place.file("a.db")))
        #expect(try place.sealite("key", "check", "a.db", "--key-file", "key").status == 0)
        #expect(place.names == ["a.db"])
    }

    @Test("'create' takes page size, auto-vacuum, label and cost")
    func options() throws {
        let made = try place.sealite(
            "create", "a.db", "--passphrase-file", "passphrase", "--kdf-log-n", "10", "--page-size", "8192",
            "--auto-vacuum", "full", "--label", "ana", "--json")
        #expect(made.status == 0)
        #expect(Outcome.object(made.out)?["pageSize"] as? Int == 8192)
        #expect(
            try place.sealite("key", "list", "a.db").out == "slot 1: passphrase, scrypt N=2^10 r=8 p=1, \"ana\"\n")
        let info = try place.sealite("info", "a.db", "--passphrase-file", "passphrase")
        #expect(info.out.contains("auto-vacuum     full\n"))
    }

    @Test("'create' refuses a name that is taken, before it asks for anything, and leaves the file alone")
    func exists() throws {
        try place.write("mine", to: "a.db")
        let refused = try place.sealite("create", "a.db", "--key-file", "absent")
        #expect(refused.status == 73)
        #expect(refused.err == "sealite: \"a.db\" exists already\nhint: choose another name or move it away\n")
        #expect(try place.read("a.db") == Array("mine".utf8))
    }

    @Test("'create' writes a recovery key to a new file of mode 0600, and the key opens the database")
    func recoveryKey() throws {
        let made = try place.sealite("create", "a.db", "--key-file", "key", "--recovery-key-file", "recovery")
        #expect(made.status == 0)
        #expect(try place.mode("recovery") == 0o600)
        let text = String(decoding: try place.read("recovery"), as: UTF8.self)
        #expect(text.split(separator: "-").count == 14 && text.utf8.count == 70)
        #expect(!made.out.contains(text.prefix(9)))
        let checked = try place.sealite("key", "check", "a.db", "--recovery-key-file", "recovery")
        #expect(checked.status == 0 && checked.out.hasPrefix("opens slot 2: recovery, \"recovery\", fingerprint "))
        try place.write(text.lowercased().replacing("-", with: " "), to: "typed")
        #expect(try place.sealite("key", "check", "a.db", "--recovery-key-file", "typed").status == 0)
        try place.write((text.hasPrefix("A") ? "B" : "A") + text.dropFirst(), to: "wrong")
        #expect(try place.sealite("key", "check", "a.db", "--recovery-key-file", "wrong").status == 64)
    }

    @Test("a recovery key whose database couldn't be made is taken away again")
    func recoveryKeyWithoutDatabase() throws {
        let failed = try place.sealite(
            "create", "a.db", "--key-file", "key", "--recovery-key-file", "recovery", "--page-size", "777")
        #expect(failed.status == 64)
        #expect(place.names.isEmpty)
        try place.write("mine", to: "recovery")
        let refused = try place.sealite("create", "a.db", "--key-file", "key", "--recovery-key-file", "recovery")
        #expect(refused.status == 73)
        #expect(place.names == ["recovery"])
    }

    @Test("a recovery key stays where the database was made and its documents' tables weren't")
    func recoveryKeyOfHalfMadeDatabase() throws {
        // An empty database has 12288 bytes, 24 blocks.
        let script =
            "ulimit -f 24; exec \"$0\" create a.db --key-file key --recovery-key-file paper --page-size 4096 --versioning trees"
        let failed = try place.run(["sh", "-c", script, Tool.path])
        #expect(failed.status != 0 && place.exists("a.db"), "\(failed)")
        #expect(failed.err.contains("the new recovery key may open \"a.db\""), "\(failed)")
        #expect(try place.sealite("key", "check", "a.db", "--recovery-key-file", "paper").status == 0)
    }

    @Test("a cost out of bounds, and one that can't be, are usage errors", arguments: ["24", "70", "x", "0"])
    func costs(logN: String) throws {
        let refused = try place.sealite(
            "create", "a.db", "--passphrase-file", "passphrase", "--kdf-log-n", logN, "--json")
        #expect(refused.status == 64)
        #expect(refused.json?["code"] as? String == "usage")
        #expect(place.names.isEmpty)
    }

    @Test("a folder that isn't there is named")
    func missingFolder() throws {
        let failed = try place.sealite("create", "no/a.db", "--key-file", "key", "--json")
        #expect(failed.status == 66)
        #expect(failed.json?["code"] as? String == "no-such-file")
    }

    @Test("a disk that takes no more leaves nothing behind")
    func noSpace() throws {
        let failed = try place.run(
            ["sh", "-c", "trap '' XFSZ; ulimit -f 4; exec \"$0\" create a.db --key-file key --json", Tool.path])
        #expect(failed.status == 74)
        #expect(place.names.isEmpty)
    }

    @Test("a folder that can't be written is a matter of permission", .enabled(if: geteuid() != 0))
    func readOnlyFolder() throws {
        try place.makeDatabase()
        _ = unsafe chmod(place.path, 0o500)
        defer { _ = unsafe chmod(place.path, 0o700) }
        #expect(try place.sealite("create", "b.db", "--key-file", "key").status == 78)
    }
}
