import ArgumentParser
import Foundation
import SealiteFile
import Testing

@testable import SealiteTool

@Suite("database keys in the credential store")
struct StoredKeyTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private var environment: [String: String] {
        [
            "HOME": place.path, "XDG_DATA_HOME": place.file("data"), "XDG_CONFIG_HOME": place.file("config"),
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(place.file("no-bus"))",
        ]
    }

    @discardableResult
    private func run(_ arguments: String...) throws -> Outcome {
        try place.run([Tool.path] + arguments, environment: environment)
    }

    private let vault = ["--vault-key-file", "key"]

    private func withVault(_ arguments: String...) throws -> Outcome {
        try place.run([Tool.path] + arguments + vault, environment: environment)
    }

    @Test("a database whose key is in the store opens without one, and so do a copy, a backup and a rotated file")
    func life() throws {
        let made = try withVault("create", "a.db", "--key-in-store", "--recovery-key-file", "paper")
        #expect(made.status == 0 && made.err.contains("the key of \"a.db\" is in the vault"), "\(made.err)")
        #expect(try withVault("sql", "a.db", "CREATE TABLE t(a); INSERT INTO t VALUES (42)").status == 0)
        #expect(try withVault("sql", "a.db", "SELECT a FROM t", "--csv").out == "a\n42\n")
        #expect(try run("sql", "a.db", "SELECT a FROM t", "--csv", "--recovery-key-file", "paper").out == "a\n42\n")
        try FileManager.default.copyItem(atPath: place.file("a.db"), toPath: place.file("copy.db"))
        #expect(try withVault("key", "check", "copy.db").status == 0)
        #expect(try withVault("backup", "a.db", "backup.db").status == 0)
        #expect(try withVault("key", "check", "backup.db").status == 0)
        let rotated = try withVault("key", "rotate", "a.db", "--also-recovery-key-file", "paper")
        #expect(rotated.status == 0, "\(rotated.err)")
        #expect(try withVault("sql", "a.db", "SELECT a FROM t", "--csv").out == "a\n42\n")
        let list = try withVault("credential", "list")
        #expect(list.out.contains("slot-key") && list.out.contains("slot:"))
    }

    @Test("without the store the error says so and names the recovery key, and no key is made")
    func away() throws {
        #expect(try withVault("create", "a.db", "--key-in-store", "--recovery-key-file", "paper").status == 0)
        let header = try place.read("a.db").prefix(8192)
        let away = try run("key", "check", "a.db", "--json")
        #expect(away.status == 69 && away.json?["code"] as? String == "no-session-bus")
        #expect((away.json?["hint"] as? String)?.contains("--recovery-key-file") == true)
        #expect(try place.read("a.db").prefix(8192) == header)
        // A store that hasn't the key is another matter.
        let other = try run("key", "check", "a.db", "--vault", place.file("other/v.db"), "--vault-key-file", "key")
        #expect(other.status == 66)
    }

    @Test("a database whose key is in a store that isn't named says so, and a store without its key is named")
    func unnamedStore() throws {
        #expect(try withVault("create", "a.db", "--key-in-store", "--no-recovery-key").status == 0)
        let silent = environment.filter { $0.key != "DBUS_SESSION_BUS_ADDRESS" }
        let check = [Tool.path, "key", "check", "a.db", "--no-input", "--json"]
        let unnamed = try place.run(check, environment: silent)
        #expect(unnamed.status == 64 && unnamed.json?["code"] as? String == "usage", "\(unnamed)")
        #expect(unnamed.err.contains("no credential store was named that may hold it"), "\(unnamed)")
        #expect((unnamed.json?["hint"] as? String)?.contains("--vault") == true, "\(unnamed)")
        // Another vault, which has another key.
        let other = ["--vault", "other.db", "--vault-key-file", "key"]
        let made = try place.run([Tool.path, "create", "b.db", "--key-in-store", "--no-recovery-key"] + other)
        #expect(made.status == 0, "\(made)")
        let wrong = try place.run(check + other, environment: silent)
        #expect(
            wrong.status == 64 && wrong.err.contains("other.db") && wrong.err.contains("has none for it"), "\(wrong)")
        // A file without a slot for a raw key has none in a store.
        try place.sealite("create", "c.db", "-p", "passphrase", "--kdf-log-n", "5")
        let passphrase = try place.run(
            [Tool.path, "key", "check", "c.db", "--no-input", "--json"], environment: silent)
        #expect(passphrase.status == 64 && !passphrase.err.contains("store"), "\(passphrase)")
    }

    @Test("encrypt keeps its key in the store too, and a recovery key has to be wanted or declined")
    func encrypt() throws {
        #expect(try place.run(["sqlite3", "plain.db", "CREATE TABLE t(a); INSERT INTO t VALUES (1)"]).status == 0)
        let silent = try place.run(
            ["setsid", "-w", Tool.path, "encrypt", "plain.db", "a.db", "--key-in-store"] + vault,
            environment: environment)
        #expect(silent.status == 64 && silent.err.contains("--no-recovery-key"))
        #expect(!place.exists("a.db") && !place.exists("data/sealite/vault.db"))
        let made = try withVault("encrypt", "plain.db", "a.db", "--key-in-store", "--no-recovery-key")
        #expect(made.status == 0, "\(made.err)")
        #expect(try withVault("sql", "a.db", "SELECT a FROM t", "--csv").out == "a\n1\n")
        // A database that can't be made leaves no key behind.
        #expect(try withVault("create", "a.db", "--key-in-store", "--no-recovery-key").status == 73)
        #expect(
            try withVault("create", "b.db", "--page-size", "100", "--key-in-store", "--no-recovery-key").status == 64)
        let items = Outcome.object(try withVault("credential", "list", "--json").out)?["items"] as? [Any]
        #expect(items?.count == 1)
    }

    @Test("after a failure a key stays in the store if the file has its slot, and is removed otherwise")
    func withdrawn() throws {
        try place.makeDatabase()
        let options = try StoreOptions.parse(["--vault", place.file("v.db"), "--vault-key-file", place.file("key")])
        func newKey() throws -> NewStoredKey {
            try NewStoredKey(for: place.file("a.db"), options, Console.Permission(noInput: true))
        }
        let (used, unused) = (try newKey(), try newKey())
        try place.open().addSlot(used.secret, label: "", id: used.slotID)
        used.withdraw()
        unused.withdraw()
        let list = try withVault("credential", "list", "--json", "--vault", "v.db")
        #expect((Outcome.object(list.out)?["items"] as? [Any])?.count == 1, "\(list)")
        #expect(try withVault("key", "check", "a.db", "--vault", "v.db").out.hasPrefix("opens slot 2"))
    }

    @Test("key store adds such a slot, key forget takes it away, the last way in only with --force")
    func storeAndForget() throws {
        try place.makeDatabase()
        let stored = try withVault("key", "store", "a.db", "--key-file", "key", "--label", "store")
        #expect(stored.status == 0 && stored.out.contains("added key slot 2"), "\(stored.err)")
        #expect(try withVault("key", "check", "a.db").out.contains("slot 2"))
        let forgotten = try withVault("key", "forget", "a.db", "--yes")
        #expect(forgotten.status == 0 && forgotten.out.contains("slot 2"), "\(forgotten.err)")
        #expect(try run("key", "list", "a.db").out == "slot 1: raw-key\n")
        #expect(try withVault("key", "forget", "a.db", "--yes").status == 66)
        #expect(try withVault("create", "b.db", "--key-in-store", "--no-recovery-key").status == 0)
        let refused = try withVault("key", "forget", "b.db", "--yes")
        #expect(refused.status == 64 && refused.err.contains("--force"))
        #expect(try withVault("key", "check", "b.db").status == 0)
        #expect(try withVault("key", "forget", "b.db", "--force", "--yes").status == 0)
        #expect(try withVault("key", "check", "b.db").status != 0)
    }
}
