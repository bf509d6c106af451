import Foundation
import SealiteDatabase
import Testing

/// A peer that has no right to an attachment, and only knows its digest: `Tests/Attacks/foreign_blobs.py`.
@Suite("attachments that a peer has no right to", .serialized)
struct ForeignBlobTests {
    private static let content = "of the collection that is replicated"
    /// Proofs that a session gives where one reference was sent.
    private static let proofCount = 4_097

    /// A database whose collections `notes` and `secret` have a document with an attachment each; their digests.
    private func fill(_ name: String, _ place: Workplace) throws -> (foreign: String, own: String) {
        let database = try Database(file: try place.open(name))
        defer { try? database.close() }
        func save(_ content: String, in name: String) throws -> String {
            let collection = try database.createCollection(name: name)
            let document = MutableDocument(id: "a")
            document.setBlob(Blob(contentType: "text/plain", bytes: Array(content.utf8)), forKey: "p")
            try collection.save(document: document)
            return try #require(try collection.document(id: "a")?.value(forKey: "p")?.blob?.digest)
        }
        return (try save("a secret of the same length or so...", in: "secret"), try save(Self.content, in: "notes"))
    }

    private func attack(_ side: String, _ direction: String = "push") throws -> [String: Any] {
        let sync = try SyncPlace()
        let (foreign, own) = try fill(side == "client" ? "client.db" : "server.db", sync.place)
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Attacks/foreign_blobs.py").path
        let outcome = try sync.place.run(
            ["python3", "-B", script, side, Tool.path, direction, foreign, own, Self.content],
            environment: ["HOME": sync.place.path])
        return try #require(Outcome.object(outcome.out), "\(outcome)")
    }

    /// Nothing tells whether the foreign attachment is there.
    private func isSilent(_ result: [String: Any], _ keys: String...) -> Bool {
        keys.allSatisfy { result[$0] as? String == "silent" }
    }

    /// A revision that refers to it was treated as one that refers to nothing that there is.
    private func isIndistinct(_ result: [String: Any]) -> Bool {
        guard let foreign = result["pushedForeign"] as? [Any], let unknown = result["pushedUnknown"] as? [Any] else {
            return false
        }
        return foreign.first as? Bool == true && "\(foreign)" == "\(unknown)"
    }

    @Test("a listener gives none away, and takes no revision that refers to one without its content")
    func listener() throws {
        let result = try attack("listener")
        #expect(result["collections"] as? String == "[{},null]", "\(result)")
        #expect(isSilent(result, "atFirst", "afterPush", "atLast") && isIndistinct(result), "\(result)")
        #expect(result["announced"] as? [String] == ["a"] && result["namesForeign"] as? Bool == false, "\(result)")
        #expect(result["ownAtFirst"] as? Bool == false && result["own"] as? Bool == true, "\(result)")
        #expect(result["proofs"] as? Int == Self.proofCount && result["status"] as? Int == 0, "\(result)")
    }

    @Test("a client that pushes gives its server only what its revisions refer to")
    func pushingClient() throws {
        let result = try attack("client", "push")
        #expect(isSilent(result, "atFirst", "atLast") && result["namesForeign"] as? Bool == false, "\(result)")
        #expect(result["ownAtFirst"] as? Bool == false && result["own"] as? Bool == true, "\(result)")
        #expect(result["proofs"] as? Int == Self.proofCount && result["status"] as? Int == 0, "\(result)")
    }

    @Test("a client that only pulls gives its server nothing at all")
    func pullingClient() throws {
        let result = try attack("client", "pull")
        #expect(isSilent(result, "atFirst", "afterPush") && isIndistinct(result), "\(result)")
        #expect(result["ownAtFirst"] as? Bool == false && result["own"] as? Bool == false, "\(result)")
        // The two documents could not be replicated.
        #expect(result["status"] as? Int == 1, "\(result)")
    }
}
