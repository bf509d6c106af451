import Foundation
@testable import SealiteDatabase
import SealiteTestSupport
import Testing

@Suite("sealite sync with documents that can't be stored", .serialized)
struct UnstoredDocumentCommandTests {
    private let sync: SyncPlace

    init() throws { sync = try SyncPlace() }

    @Test("a sync that is killed between the record of a refusal and its checkpoint loses nothing")
    func killed() throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "nested_peer.py").path
        let outcome = try sync.place.run(
            ["python3", script, Tool.path, "kill", "sync"], environment: ["HOME": sync.place.path])
        let runs = outcome.out.split(separator: "\n").compactMap { Outcome.object(String($0)) }
        try #require(runs.count == 2, "\(outcome)")
        #expect(runs[0]["status"] as? Int == -9 && (runs[0]["subscriptions"] as? [Any])?.count == 1, "\(outcome)")
        // The document is asked for by its id, and again from the beginning, because no checkpoint was saved.
        let asked = runs[1]["subscriptions"] as? [Any] ?? []
        #expect(runs[1]["status"] as? Int == 1 && asked.count == 2, "\(outcome)")
        #expect(asked.first as? [String] == ["deep"] && asked.last is NSNull, "\(outcome)")
        let status = try sync.status("--json")
        let listed = status.out.split(separator: "\n").compactMap { Outcome.object(String($0)) }
        try #require(listed.count == 1, "\(status)")
        #expect(listed[0]["id"] as? String == "deep" && listed[0]["way"] as? String == "pull", "\(status)")
        #expect(listed[0]["code"] as? Int == 400, "\(status)")
    }

    private func upgrade(_ name: String) throws {
        let outcome = try sync.place.run([Tool.path, "upgrade", name, "--versioning", "vectors", "--key-file", "key"])
        #expect(outcome.status == 0, "\(outcome)")
    }

    /// Saves a document in the server's database, whose version is dated ten years ahead.
    private func saveAhead(_ id: String) throws {
        for name in ["client.db", "server.db"] { try upgrade(name) }
        var configuration = DatabaseConfiguration()
        configuration.versionTime = { DatabaseConfiguration().versionTime() + 10 * 365 * 86_400 * 1_000_000_000 }
        let database = try Database(file: try sync.place.open("server.db"), configuration: configuration)
        try database.defaultCollection().save(document: MutableDocument(id: id))
        try database.close()
    }

    @Test("a document that is dated ahead of the clock is listed, fails each sync, and tells to set the clock")
    func ahead() throws {
        try saveAhead("a")
        let server = try sync.serve("--plain")
        for _ in 0..<2 {
            let outcome = try sync.sync(server.url, "--pull")
            #expect(outcome.status == 1 && outcome.out == "pushed 0, pulled 0, failed 1 (1 not stored)\n", "\(outcome)")
            for part in ["set this computer's clock", "sync-status"] {
                #expect(outcome.err.contains(part), "\(outcome)")
            }
        }
        let listed = try sync.status()
        #expect(listed.out.hasPrefix("\(server.url)\t_default\ta\tclock\t"), "\(listed)")
        let json = try sync.sync(server.url, "--pull", "--json")
        let counts = json.out.split(separator: "\n").compactMap { Outcome.object(String($0)) }
        #expect(counts.contains { $0["notStored"] as? Int == 1 && $0["refused"] as? Int == 0 }, "\(json)")
        // A sync that only pushes has nothing to do with it.
        #expect(try sync.sync(server.url, "--push").status == 0)
        #expect(server.end() == 0)
    }

    @Test("a kept document that can't be stored is paused, asked for again each time, and --reset goes on with all")
    func kept() throws {
        try saveAhead("a")
        try sync.put("server.db", "b")
        let held = try HeldPort()
        defer { withExtendedLifetime(held) {} }
        let server = try sync.serve("--plain", port: held.port)
        let first = try sync.sync(server.url, "--keep-ids", "--doc-id", "a", "--doc-id", "b")
        #expect(first.status == 1 && first.out == "synced 2, uncommitted 0, paused 2\n", "\(first)")
        #expect(first.err.contains("set this computer's clock") && first.err.contains("--reset"), "\(first)")
        #expect(try sync.status().out.contains("sync\t_default\ta\tpaused\tnotStoredYet\t"))
        #expect(try sync.sync(server.url, "--keep-ids").out == "synced 2, uncommitted 0, paused 2\n")
        #expect(server.end() == 0)
        // The documents are saved anew, by a right clock.
        try FileManager.default.removeItem(atPath: sync.place.file("server.db"))
        try sync.place.makeDatabase("server.db")
        try upgrade("server.db")
        for id in ["a", "b"] { try sync.put("server.db", id, #"{"n":1}"#) }
        let repaired = try sync.serve("--plain", port: held.port)
        let last = try sync.sync(repaired.url, "--keep-ids")
        #expect(last.status == 0 && last.out == "synced 2, uncommitted 0, paused 0\n", "\(last)")
        #expect(try sync.ids("client.db") == ["a", "b"])
        #expect(repaired.end() == 0)
    }

    @Test("--keep-ids --reset resumes a document that the conflict command has paused")
    func reset() throws {
        try sync.put("client.db", "a", #"{"by":"client"}"#)
        try sync.put("server.db", "a", #"{"by":"server"}"#)
        let server = try sync.serve("--plain")
        let failing = try sync.sync(server.url, "--keep-ids", "--doc-id", "a", "--conflict-command", "exit 1")
        #expect(failing.status == 1 && failing.out == "synced 1, uncommitted 1, paused 1\n", "\(failing)")
        let still = try sync.sync(server.url, "--keep-ids", "--on-conflict", "remote")
        #expect(still.status == 1 && still.out == "synced 1, uncommitted 1, paused 1\n", "\(still)")
        let resumed = try sync.sync(server.url, "--keep-ids", "--reset", "--on-conflict", "remote")
        #expect(resumed.status == 0 && resumed.out == "synced 1, uncommitted 0, paused 0\n", "\(resumed)")
        #expect(try sync.document("client.db", "a")?.contains("server") == true)
        #expect(server.end() == 0)
    }
}
