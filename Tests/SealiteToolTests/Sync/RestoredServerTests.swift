import Foundation
import Testing

@Suite("a served database that is restored", .serialized)
struct RestoredServerTests {
    private let sync: SyncPlace

    init() throws {
        sync = try SyncPlace()
        try sync.put("server.db", "one")
    }

    private func info(_ name: String = "server.db") throws -> [String: Any] {
        try #require(Outcome.object(try sync.place.sealite("info", name, "--key-file", "key", "--json").out))
    }

    private func serveID(_ name: String = "server.db") throws -> String {
        try #require(try info(name)["serveID"] as? String)
    }

    private func databaseID() throws -> String {
        try #require((try info()["header"] as? [String: Any])?["databaseID"] as? String)
    }

    /// Serves, syncs with the password, and gives the certificate's pin.
    private func servedPin(_ password: String) throws -> String {
        let server = try sync.serve("--user", "ana")
        #expect(try sync.client("credential", "set", server.url, "--user", "ana", input: password).status == 0)
        let synced = try sync.sync(server.url, "--pin", server.pin, "--user", "ana")
        #expect(synced.status == 0, "\(synced)")
        #expect(server.end() == 0)
        return server.pin
    }

    private func restore() throws -> [String: Any] {
        #expect(try sync.place.sealite("backup", "server.db", "backup.db", "--key-file", "key").status == 0)
        let made = try sync.place.sealite(
            "restore", "backup.db", "server.db", "--key-file", "key", "--replace", "--json")
        #expect(made.status == 0, "\(made)")
        return try #require(Outcome.object(String(made.out.split(separator: "\n").last ?? "")))
    }

    @Test("passwords and certificate of serve outlast a restore, and what doesn't is listed with its command")
    func restored() throws {
        let id = try serveID()
        #expect(
            try sync.server("credential", "set", "sealite-serve:\(id)", "--user", "ana", input: "secret").status == 0)
        let pin = try servedPin("secret")
        let former = try databaseID()
        let report = try restore()
        #expect(try databaseID() != former)
        #expect(report["replacedDatabaseID"] as? String == former)
        #expect(report["serveID"] as? String == id && report["kind"] as? String == "documents")
        #expect(try serveID() == id)
        #expect(try servedPin("secret") == pin)
        let unbound = try #require(report["unbound"] as? [[String: String]])
        #expect(unbound.map { $0["what"] } == ["header-backups", "freshness-records"])
        #expect(unbound[0]["command"] == "sealite header backup server.db FILE")
        #expect(unbound[1]["command"] == "sealite freshness record server.db FILE --accept-rollback")
        try FileManager.default.removeItem(atPath: sync.place.file("backup.db"))
        #expect(try sync.place.sealite("backup", "server.db", "backup.db", "--key-file", "key").status == 0)
        let words = try sync.place.sealite("restore", "backup.db", "server.db", "--key-file", "key", "--replace")
        for item in unbound { #expect(words.out.contains(item["command"] ?? "?"), "\(words)") }
    }

    @Test("the error of a start without a password names the command that stores one")
    func missing() throws {
        let id = try serveID()
        #expect(try sync.server("credential", "set", "something else", "--user", "ana", input: "x").status == 0)
        do {
            _ = try sync.serve("--user", "ana")
            Issue.record("it started")
        } catch let error as SyncPlace.ServerFailed {
            #expect(error.description.contains("sealite credential set sealite-serve:\(id) --user ana"), "\(error)")
        }
    }

    @Test("slots that come back with a backup, and slots that go, are listed")
    func slots() throws {
        #expect(try sync.place.sealite("backup", "server.db", "backup.db", "--key-file", "key").status == 0)
        let added = try sync.place.sealite(
            "key", "add", "server.db", "--key-file", "key", "--new-passphrase-file", "passphrase", "--kdf-log-n", "5")
        #expect(added.status == 0, "\(added)")
        let made = try sync.place.sealite(
            "restore", "backup.db", "server.db", "--key-file", "key", "--replace", "--json")
        let report = try #require(Outcome.object(String(made.out.split(separator: "\n").last ?? "")))
        let what = try #require(report["unbound"] as? [[String: String]]).map { $0["what"] }
        #expect(what.contains("missing-slots") && !what.contains("returned-slots"))
        let kept = try #require((report["keptPaths"] as? [String])?.first)
        let back = try sync.place.sealite("restore", kept, "server.db", "--key-file", "key", "--replace", "--json")
        let again = try #require(Outcome.object(String(back.out.split(separator: "\n").last ?? "")))
        #expect(try #require(again["unbound"] as? [[String: String]]).contains { $0["what"] == "returned-slots" })
    }
}
