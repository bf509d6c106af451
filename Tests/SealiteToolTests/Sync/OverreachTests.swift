import Foundation
import SealiteDatabase
import Testing

/// A server that changes more than it was asked for: `Tests/Attacks/overreach.py`.
@Suite("servers that overreach", .serialized)
struct OverreachTests {
    private func attack(_ way: String) throws -> (report: [String: Any], documents: [String: String]) {
        let sync = try SyncPlace()
        func withNotes<Result>(_ body: (SealiteDatabase.Collection) throws -> Result) throws -> Result {
            let database = try Database(file: try sync.place.open("client.db"))
            defer { try? database.close() }
            return try body(try database.createCollection(name: "notes"))
        }
        try withNotes { _ = try $0.save(document: MutableDocument(id: "mine", json: #"{"t":"mine"}"#)) }
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Attacks/overreach.py").path
        let outcome = try sync.place.run(
            ["python3", "-B", script, Tool.path, way], environment: ["HOME": sync.place.path])
        let report = try #require(Outcome.object(outcome.out), "\(outcome)")
        let documents = try withNotes { notes in
            let ids = try notes.changes(since: 0, limit: .max).map(\.id)
            return try Dictionary(
                uniqueKeysWithValues: ids.map { ($0, try notes.document(id: $0)?.string(forKey: "t") ?? "") })
        }
        return (report, documents)
    }

    @Test(
        "nothing is stored, changed or deleted that wasn't requested, whatever selects the documents",
        arguments: ["doc-id", "channel", "access"])
    func unrequested(_ way: String) throws {
        let (report, documents) = try attack(way)
        #expect(report["unasked"] as? [String] == [String](repeating: "403", count: 6), "\(report)")
        #expect(report["wanted"] as? String == "" && report["again"] as? String == "403", "\(report)")
        let summary = report["summary"] as? [String: Any]
        #expect(summary?["unrequested"] as? Int == 8 && summary?["failed"] as? Int == 0, "\(report)")
        #expect(report["status"] as? Int == 0, "\(report)")
        // With the channel, both that were announced belong to it, as far as the client can know. Access to one of them is
        // lost again, and to the one that the server never had.
        var expected = ["mine": "mine", "wanted": "good"]
        if way == "channel" { expected["known"] = "good" }
        #expect(documents == expected, "\(report)")
        #expect(summary?["removed"] as? Int == (way == "access" ? 1 : 0), "\(report)")
    }
}
