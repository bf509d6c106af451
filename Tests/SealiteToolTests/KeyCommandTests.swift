import SealiteFile
import Testing

@Suite("sealite key")
struct KeyCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase("a.db", "CREATE TABLE t(a); INSERT INTO t VALUES ('kept')")
    }

    @Test("slots are added, listed, changed, checked and removed")
    func life() throws {
        let added = try place.sealite(
            "key", "add", "a.db", "--key-file", "key", "--new-passphrase-file", "passphrase", "--kdf-log-n", "5",
            "--label", "ana")
        #expect(added.status == 0 && added.out == "added key slot 2\n")
        #expect(
            try place.sealite("key", "list", "a.db").out
                == "slot 1: raw-key\nslot 2: passphrase, scrypt N=2^5 r=8 p=1, \"ana\"\n")
        try place.write("another", to: "new")
        let changed = try place.sealite(
            "key", "change", "a.db", "--passphrase-file", "passphrase", "--new-passphrase-file", "new", "--kdf-log-n",
            "6")
        #expect(changed.status == 0 && changed.out.hasPrefix("changed key slot 2 (passphrase); copies of the file"))
        #expect(try place.sealite("key", "check", "a.db", "--passphrase-file", "passphrase").status == 77)
        #expect(try place.sealite("key", "check", "a.db", "--passphrase-file", "new").out.contains("\"ana\""))
        #expect(try place.sealite("key", "remove", "a.db", "--slot", "1", "--passphrase-file", "new").status == 0)
        #expect(try place.sealite("key", "check", "a.db", "--key-file", "key").status == 77)
        let rows = try place.sealite("sql", "a.db", "SELECT a FROM t", "--passphrase-file", "new", "--csv")
        #expect(rows.out == "a\nkept\n")
    }

    @Test("the last slot can't be removed, and a slot that isn't there can't either")
    func lastSlot() throws {
        let refused = try place.sealite("key", "remove", "a.db", "--slot", "1", "--key-file", "key", "--json")
        #expect(refused.status == 64 && refused.json?["code"] as? String == "refused")
        #expect(try place.sealite("key", "remove", "a.db", "--slot", "7", "--key-file", "key").status == 64)
    }

    @Test("a recovery key replaces a lost secret")
    func recovery() throws {
        let added = try place.sealite("key", "add", "a.db", "--key-file", "key", "--new-recovery-key-file", "paper")
        #expect(added.status == 0)
        let changed = try place.sealite(
            "key", "change", "a.db", "--slot", "1", "--recovery-key-file", "paper", "--new-passphrase-file",
            "passphrase",
            "--kdf-log-n", "5")
        #expect(changed.status == 0)
        #expect(try place.sealite("key", "check", "a.db", "--passphrase-file", "passphrase").status == 0)
        #expect(try place.mode("paper") == 0o600)
    }

    @Test("a recovery key isn't replaced by a passphrase unless its slot is named")
    func anotherKind() throws {
        #expect(
            try place.sealite("key", "add", "a.db", "--key-file", "key", "--new-recovery-key-file", "paper").status == 0
        )
        let before = try place.read("a.db")
        let change = ["key", "change", "a.db", "--recovery-key-file", "paper", "--new-key-file", "key"]
        let refused = try place.run([Tool.path] + change)
        #expect(refused.status == 64 && refused.err.contains("the given recovery key opens slot 2"), "\(refused)")
        #expect(refused.err.contains("hint: --slot 1 changes the raw key; give --slot 2 if that is meant"))
        #expect(try place.read("a.db") == before)
        try place.write(Workplace.key.reversed(), to: "new")
        let named = try place.run([Tool.path] + change.dropLast() + ["new", "--slot", "1"])
        #expect(named.status == 0 && named.out.hasPrefix("changed key slot 1 (raw key); copies"), "\(named)")
        #expect(try place.sealite("key", "check", "a.db", "--recovery-key-file", "paper").status == 0)
        let taken = try place.sealite("key", "add", "a.db", "-k", "paper", "--new-key-file", "key")
        #expect(taken.status == 64 && taken.err.contains("--recovery-key-file"), "\(taken)")
    }

    @Test("a recovery key is kept where the change failed and its slot is in force, and otherwise removed")
    func recoveryKeyOfFailedChange() throws {
        // No byte can be written behind the first 4096 (8 blocks), the header's first copy.
        let script = "ulimit -f 8; exec \"$0\" key change a.db --key-file key --slot 1 --new-recovery-key-file paper"
        let failed = try place.run(["sh", "-c", script, Tool.path])
        #expect(failed.status != 0 && failed.err.contains("the new recovery key may open \"a.db\""), "\(failed)")
        let checked = try place.sealite("key", "check", "a.db", "--recovery-key-file", "paper")
        #expect(checked.status == 0 && checked.out.hasPrefix("opens slot 1: recovery"), "\(checked)")
        let refused = try place.sealite(
            "key", "add", "a.db", "--recovery-key-file", "paper", "--new-recovery-key-file", "other", "--label",
            String(repeating: "x", count: 33))
        #expect(refused.status == 64 && !place.exists("other"), "\(refused)")
    }

    @Test("a recovery key for the terminal, where there is none, changes nothing")
    func recoveryWithoutTerminal() throws {
        // A session of its own without a terminal.
        let refused = try place.run(
            ["setsid", "-w", Tool.path, "key", "add", "a.db", "--key-file", "key", "--new-recovery-key"])
        #expect(refused.status == 64)
        #expect(try place.sealite("key", "list", "a.db").out == "slot 1: raw-key\n")
    }

    @Test("a label that is taken or too long is refused")
    func labels() throws {
        func add(_ label: String) throws -> Outcome {
            try place.sealite(
                "key", "add", "a.db", "--key-file", "key", "--new-key-file", "key", "--label", label, "--json")
        }
        #expect(try add("ana").status == 0)
        #expect(try add("ana").status == 64)
        #expect(try add(String(repeating: "x", count: 33)).status == 64)
    }

    @Test("key list needs no key and gives JSON")
    func listJSON() throws {
        let listed = try place.sealite("key", "list", "a.db", "--json")
        #expect(listed.status == 0)
        #expect(listed.out.contains("\"kind\":\"raw-key\"") && listed.out.hasPrefix("["))
    }
}
