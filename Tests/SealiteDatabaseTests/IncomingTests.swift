import Foundation
import Testing

@testable import SealiteDatabase

@Suite("revisions from peers")
struct IncomingTests {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection
    let remote: Int

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
        remote = try test.database.remoteNumber("ws://127.0.0.1/db")
    }

    private func id(_ text: String) throws -> RevisionID { try #require(RevisionID(text)) }

    private func insert(
        _ revision: String, _ history: [String] = [], _ json: String = "{}", deleted: Bool = false,
        allowConflict: Bool = true
    ) throws -> RevisionOutcome {
        try collection.insert(
            IncomingRevision(
                documentID: "a", version: Version(revision), history: history.map { Version($0) }, isDeleted: deleted,
                isConflictRefused: !allowConflict, body: Array(json.utf8)), remote: remote)
    }

    @Test("remotes keep their numbers")
    func remotes() throws {
        #expect(try test.database.remoteNumber("ws://127.0.0.1/db") == remote)
        #expect(try test.database.remoteNumber("other") != remote)
        #expect(try test.reopened().database.remoteNumber("ws://127.0.0.1/db") == remote)
    }

    @Test("a new document is stored with its history and known to be the peer's current one")
    func newDocument() throws {
        #expect(try insert("3-cc", ["2-bb", "1-aa"], "{\"x\":1.50}") == .inserted)
        #expect(try collection.document(id: "a")?.revisionID == "3-cc")
        #expect(try collection.document(id: "a")?.toJSON() == "{\"x\":1.50}")
        #expect(try collection.remoteRevision(id: "a", remote: remote) == id("3-cc"))
        #expect(try collection.revisions(id: "a").map(\.id.description) == ["3-cc", "2-bb", "1-aa"])
        #expect(try insert("3-cc", ["2-bb"]) == .known)
        #expect(try collection.lastSequence == 1)
    }

    @Test("a descendant becomes current, whatever part of the history is known")
    func fastForward() throws {
        #expect(try insert("1-aa", [], "{\"x\":1}") == .inserted)
        #expect(try insert("4-dd", ["3-cc", "2-bb", "1-aa"], "{\"x\":4}") == .inserted)
        #expect(try collection.document(id: "a")?.int(forKey: "x") == 4)
        #expect(try insert("5-ee", ["4-dd"], deleted: true) == .inserted)
        #expect(try collection.document(id: "a") == nil)
        #expect(try collection.changes(since: 0).map(\.revisionID) == ["5-ee"])
        #expect(try insert("6-ff", ["5-ee"], "{\"x\":6}") == .inserted)
        #expect(try collection.document(id: "a")?.int(forKey: "x") == 6)
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("without unsent changes a revision of the remote without an ancestor here becomes current")
    func unrelatedRevision() throws {
        #expect(try insert("2-bb", ["1-aa"], "{\"x\":1}") == .inserted)
        // The remote's document was deleted and made anew, and then changed more often than histories are long.
        for (revision, history, number) in [("1-ff", [], 2), ("30-aa", ["29-aa"], 3)] as [(String, [String], Int)] {
            #expect(try insert(revision, history, "{\"x\":\(number)}") == .inserted)
            #expect(try collection.document(id: "a")?.int(forKey: "x") == number)
            #expect(try collection.remoteRevision(id: "a", remote: remote) == id(revision))
        }
        #expect(try insert("31-bb", ["30-aa"], deleted: true) == .inserted)
        #expect(try insert("33-cc", ["32-cc"], "{\"x\":4}") == .inserted)
        #expect(try collection.document(id: "a")?.int(forKey: "x") == 4)
        let current = try #require(try collection.document(id: "a")).toMutable()
        try collection.save(document: current.setInt(5, forKey: "x"))
        #expect(try insert("40-dd", ["39-dd"]) == .conflict)
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a revision of the remote without an ancestor here is a conflict if it may be older than the current one")
    func unrelatedOlderRevision() throws {
        let cases: [(String, Bool, Bool, RevisionOutcome)] = [
            ("29-ff", false, false, .inserted), ("28-ff", false, false, .conflict), ("30-ff", true, false, .conflict),
            ("30-ff", false, true, .conflict),
        ]
        for (index, (version, isDeleted, isAfterLoss, outcome)) in cases.enumerated() {
            let document = "d\(index)"
            var revision = IncomingRevision(
                documentID: document, version: Version("30-aa"), history: [Version("29-aa")], body: Array("{}".utf8))
            #expect(try collection.insert(revision, remote: remote) == .inserted)
            revision = IncomingRevision(
                documentID: document, version: Version(version), isDeleted: isDeleted, body: Array("{}".utf8))
            revision.isAfterLoss = isAfterLoss
            #expect(try collection.insert(revision, remote: remote) == outcome)
            let current = outcome == .inserted ? version : "30-aa"
            #expect(try collection.document(id: document)?.revisionID == current)
        }
    }

    @Test("histories out of order and bad ids are refused")
    func badInput() throws {
        #expect(code { _ = try insert("2-bb", ["3-cc"]) } == .badRevisionID)
        #expect(code { _ = try insert("2-bb", ["2-aa"]) } == .badRevisionID)
        #expect(code { _ = try insert("1-aa", [], "[1]") } == .invalidJSON)
        #expect(try collection.count == 0)
    }

    @Test("the limit of a document's size counts bytes of JSON for a peer's revision too")
    func sizeLimit() throws {
        var configuration = DatabaseConfiguration()
        configuration.maximumDocumentByteCount = 70_000
        let small = try TestDatabase(configuration)
        func refusal(_ json: String) -> SealiteDatabase.DatabaseError.Code? {
            code {
                try small.collection.insert(
                    IncomingRevision(documentID: "a", version: Version("1-aa"), body: Array(json.utf8)))
            }
        }
        // In JSONB an item true has one byte, and a long text more bytes around it than its quotes.
        let items = Array(repeating: "true", count: 15_000).joined(separator: ",")
        #expect(refusal("{\"a\":[\(items)]}") == .documentTooLarge)
        let text = String(repeating: "x", count: 70_000 - "{'a':''}".utf8.count)
        #expect(refusal("{\"a\":\"\(text)x\"}") == .documentTooLarge)
        #expect(refusal("{\"a\":\"\(text)\"}") == nil)
    }

    /// A synced document that both sides then changed.
    private func conflict() throws {
        #expect(try insert("1-aa", [], "{\"from\":\"both\"}") == .inserted)
        let mine = try #require(try collection.document(id: "a")).toMutable().setString("me", forKey: "from")
        try collection.save(document: mine)
        #expect(try insert("2-bb", ["1-aa"], "{\"from\":\"peer\"}", allowConflict: false) == .conflictRefused)
        #expect(try insert("2-bb", ["1-aa"], "{\"from\":\"peer\"}") == .conflict)
    }

    @Test("a branch that conflicts is kept beside the current revision until it is resolved")
    func conflictIsKept() throws {
        try conflict()
        let document = try #require(try collection.document(id: "a"))
        #expect(document.hasConflict)
        #expect(document.string(forKey: "from") == "me")
        #expect(try collection.conflictedDocumentIDs() == ["a"])
        #expect(try collection.document(id: "a", revision: id("2-bb"))?.string(forKey: "from") == "peer")
        #expect(try collection.document(id: "a", revision: id("1-aa"))?.string(forKey: "from") == nil)
        #expect(try collection.remoteRevision(id: "a", remote: remote) == id("2-bb"))
        try collection.save(document: document.toMutable().setInt(1, forKey: "more"))
        #expect(try collection.document(id: "a")?.hasConflict == true)
        #expect(try insert("3-cc", ["2-bb"], "{\"from\":\"peer again\"}") == .conflict)
        #expect(try collection.revisions(id: "a").filter(\.isConflict).map(\.id.description) == ["3-cc"])
        #expect(try test.database.integrityFindings().isEmpty)
    }

    /// Takes the body of a branch's leaf away, as a database may have it in which that wasn't kept.
    private func dropBody(of revision: String) throws {
        try test.database.writer.perform(test.database) { transaction in
            var record = try #require(try collection.revisionRecord("a", transaction.connection))
            record.tree.setBody(nil, at: try #require(record.tree.index(of: id(revision))))
            try transaction.updateTree(record, of: "a", in: collection)
        }
    }

    /// The revision 2-bb as another peer sends it, with a blob.
    private func insertWithBlob(remote: String) throws -> RevisionOutcome {
        let blob = Blob(contentType: nil, bytes: Array("Hello, blob!".utf8))
        try test.database.saveBlob(blob: blob)
        let json = "{\"b\":{\"@type\":\"blob\",\"digest\":\"sha1-ArH2IhJgRp/90GRqSAdAfa750BE=\",\"length\":12}}"
        return try collection.insert(
            IncomingRevision(
                documentID: "a", version: Version("2-bb"), history: [Version("1-aa")], body: Array(json.utf8)),
            remote: test.database.remoteNumber(remote))
    }

    @Test("a leaf without a body gets it from another peer, and the blobs in it stay as long as it does")
    func leafWithoutBody() throws {
        try conflict()
        try dropBody(of: "2-bb")
        #expect(try insertWithBlob(remote: "second") == .conflict)
        #expect(try test.database.integrityFindings().isEmpty)
        #expect(try test.database.collectBlobs(touchedBefore: .max) == 0)
        let winner = try collection.resolveConflict(id: "a", revision: id("2-bb"), expecting: nil, resolution: .remote)
        #expect(try winner.blob(forKey: "b")?.content == Data("Hello, blob!".utf8))
    }

    @Test("the leaf of an ended branch needs no body, and takes none whose blobs nobody would count")
    func endedLeafWithoutBody() throws {
        try conflict()
        let mine = try #require(try collection.document(id: "a")?.revisionID)
        #expect(try insertWithBlob(remote: "second") == .conflict)
        // The first peer came over, so its branch is over; the second is still known to have it.
        let news = try test.database.writer.perform(test.database) { transaction in
            try transaction.adopt("a", id(mine), remote: remote, in: collection)
        }
        #expect(news == .known)
        try dropBody(of: "2-bb")
        #expect(try insertWithBlob(remote: "third") == .known)
        let third = try test.database.remoteNumber("third")
        #expect(try collection.remoteRevision(id: "a", remote: third) == id("2-bb"))
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("taking the peer's side makes its revision current and drops the local branch")
    func resolveRemote() throws {
        try conflict()
        let winner = try collection.resolveConflict(id: "a", revision: id("2-bb"), expecting: nil, resolution: .remote)
        #expect(winner.revisionID == "2-bb")
        #expect(try collection.document(id: "a")?.string(forKey: "from") == "peer")
        #expect(try collection.conflictedDocumentIDs().isEmpty)
        #expect(try collection.revisions(id: "a").map(\.id.description) == ["2-bb", "1-aa"])
        #expect(
            code { try collection.resolveConflict(id: "a", revision: id("2-bb"), expecting: nil, resolution: .remote) }
                == .notFound)
    }

    @Test("keeping the local side makes a child of the peer's revision, which the peer takes as an update")
    func resolveLocal() throws {
        try conflict()
        let winner = try collection.resolveConflict(id: "a", revision: id("2-bb"), expecting: nil, resolution: .local)
        #expect(winner.revisionID.hasPrefix("3-"))
        #expect(winner.string(forKey: "from") == "me")
        #expect(
            try collection.revisionHistory(id: "a", revision: id(winner.revisionID), knownToPeer: [id("2-bb")]) == [
                id("2-bb")
            ])
        #expect(try collection.remoteRevision(id: "a", remote: remote) == id("2-bb"))
        #expect(try collection.document(id: "a", revision: id("2-bb"))?.string(forKey: "from") == "peer")
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a merge and a deletion go on from the peer's branch; a resolution of what changed meanwhile is refused")
    func resolveOthers() throws {
        try conflict()
        let old = try #require(try collection.document(id: "a")).revision
        let document = try collection.save(document: MutableDocument(id: "a").setInt(9, forKey: "new"))
        #expect(
            code { try collection.resolveConflict(id: "a", revision: id("2-bb"), expecting: old, resolution: .local) }
                == .conflict)
        let merged = try collection.resolveConflict(
            id: "a", revision: id("2-bb"), expecting: document.revision,
            resolution: .merged(MutableDocument(id: "a", json: "{\"m\":1}")))
        #expect(try merged.toJSON() == "{\"m\":1}")
        #expect(try insert("4-ee", [merged.revisionID, "2-bb"], "{}") == .inserted)
        let mine = try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        #expect(mine.revisionID.hasPrefix("5-"))
        #expect(try insert("5-00", ["4-ee"], "{}", deleted: true) == .conflict)
        try collection.resolveConflict(id: "a", revision: id("5-00"), expecting: nil, resolution: .deleted)
        #expect(try collection.document(id: "a") == nil)
        #expect(try collection.changes(since: 0).map(\.revisionID.first) == ["6"])
    }

    @Test("a merge with a blob of a file that is gone isn't reported as a conflict that has ended")
    func resolveWithLostFile() throws {
        try conflict()
        let url = URL(fileURLWithPath: test.folder.path + "/content")
        try Data([1]).write(to: url)
        let merged = MutableDocument(id: "a").setBlob(try Blob(contentType: nil, fileURL: url), forKey: "b")
        try FileManager.default.removeItem(at: url)
        let failure = code {
            try collection.resolveConflict(
                id: "a", revision: id("2-bb"), expecting: nil, resolution: .merged(merged))
        }
        #expect(failure == .invalidParameter)
        #expect(try collection.conflictedDocumentIDs() == ["a"])
    }

    @Test("what a peer has is remembered across local edits, and its body is kept as a base")
    func remoteAncestor() throws {
        let text = String(repeating: "a large body ", count: 200)
        #expect(try insert("1-aa", [], "{\"x\":1,\"t\":\"\(text)\"}") == .inserted)
        let document = try #require(try collection.document(id: "a")).toMutable()
        for index in 2..<40 { try collection.save(document: document.setInt(index, forKey: "x")) }
        #expect(try collection.remoteRevision(id: "a", remote: remote) == id("1-aa"))
        #expect(try collection.document(id: "a", revision: id("1-aa"))?.int(forKey: "x") == 1)
        let current = try #require(try collection.document(id: "a"))
        #expect(
            try collection.possibleAncestors(id: "a", of: current.revision, remote: remote, limit: 2).first
                == id("1-aa"))
        #expect(try collection.setRemoteRevision(id: "a", revision: current.revision, remote: remote))
        #expect(try collection.document(id: "a", revision: id("1-aa")) == nil)
        #expect(try collection.revisions(id: "a").count == 20)
        #expect(try !collection.setRemoteRevision(id: "a", revision: id("9-99"), remote: remote))
        #expect(try !collection.setRemoteRevision(id: "none", revision: id("9-99"), remote: remote))
    }

    @Test("blobs of every kept body stay, those of dropped bodies go")
    func blobsOfBranches() throws {
        let database = test.database
        var descriptions: [String] = []
        for byte in UInt8(1)...3 {
            let blob = Blob(contentType: nil, bytes: [byte])
            try database.saveBlob(blob: blob)
            descriptions.append(try blob.toJSON())
        }
        #expect(try insert("1-aa", [], "{\"b\":\(descriptions[0])}") == .inserted)
        try collection.save(document: MutableDocument(id: "a", json: "{\"b\":\(descriptions[1])}"))
        #expect(try insert("2-bb", ["1-aa"], "{\"b\":\(descriptions[2])}") == .conflict)
        try database.performMaintenance(type: .compact)
        #expect(try database.statistics().blobCount == 2)
        try collection.resolveConflict(id: "a", revision: id("2-bb"), expecting: nil, resolution: .remote)
        try database.performMaintenance(type: .compact)
        #expect(try database.statistics().blobCount == 1)
    }

    @Test("local values are kept by store and name and never told of")
    func localValues() throws {
        let database = test.database
        #expect(try database.localValue(store: "s", name: "n") == nil)
        try database.setLocalValue(store: "s", name: "n", revision: "1-cc", value: [1])
        try database.setLocalValue(store: "s", name: "n", revision: "2-cc", value: [2])
        try database.setLocalValue(store: "t", name: "n", value: [])
        #expect(try database.localValue(store: "s", name: "n")?.value == [2])
        #expect(try database.localValue(store: "s", name: "n")?.revision == "2-cc")
        #expect(try database.localValue(store: "t", name: "n")?.revision == nil)
        try database.removeLocalValue(store: "s", name: "n")
        #expect(try database.localValue(store: "s", name: "n") == nil)
        #expect(try collection.lastSequence == 0)
    }
}
