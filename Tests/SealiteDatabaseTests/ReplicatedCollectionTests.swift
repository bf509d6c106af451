import GRDB
import Synchronization
import Testing

@testable import SealiteDatabase

@Suite("a collection as a remote sees it")
struct ReplicatedCollectionTests {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection
    let view: ReplicatedCollection

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
        view = ReplicatedCollection(collection: collection, remote: try test.database.remoteNumber("ws://127.0.0.1/db"))
    }

    private func id(_ text: String) throws -> RevisionID { try #require(RevisionID(text)) }

    private func revision(
        _ revision: String, _ history: [String] = [], _ json: String = "{}", document: String = "a",
        deleted: Bool = false, allowConflict: Bool = true
    ) throws -> TreeRevision {
        let incoming = IncomingRevision(
            documentID: document, version: Version(revision), history: history.map { Version($0) }, isDeleted: deleted,
            isConflictRefused: !allowConflict, body: Array(json.utf8))
        return try TreeRevision(incoming)
    }

    private func insert(_ revisions: TreeRevision...) throws -> [RevisionOutcome?] {
        try view.insert(revisions).map { try? $0.get() }
    }

    /// The verdict on an announced revision of the document "a", or of another one.
    private func compare(_ version: Version, of document: String = "a") throws -> AnnouncementDecision? {
        try view.compare([(documentID: document, version: version)]).first
    }

    private func markSynced(_ version: Version) throws -> [String] {
        try view.markSynced([SyncedRevision(documentID: "a", version: version)])
    }

    /// The verdict on a change of the document "a" that was proposed with an ancestor and refused.
    private func reconsider(
        in view: ReplicatedCollection? = nil, refused ancestor: String? = nil, server: String?,
        isReoffered: Bool = false
    ) throws -> RefusedChangeDecision {
        var change = LocalChange(
            sequence: 1, documentID: "a", version: Version("9-ff"), isDeleted: false,
            remoteVersion: ancestor.map { Version($0) }, bodyByteCount: 0)
        change.isReoffered = isReoffered
        return try (view ?? self.view).reconsider(change, serverVersion: server.map { Version($0) })
    }

    @Test("a history that is cut ends with the revision that the remote has, though the remote isn't asked")
    func cutHistory() throws {
        func history() throws -> [Version] {
            let version = Version(try #require(try collection.document(id: "a")?.currentRevisionID))
            let query = RevisionQuery(
                documentID: "a", version: version, maxHistory: 50, listsAttachments: false, allowsReplacement: false)
            guard case .found(let revision) = try view.revision(query) else { return [] }
            return revision.history
        }
        _ = try insert(revision("3-cc", ["2-bb", "1-aa"]))
        for number in 0..<5 { try collection.save(document: MutableDocument(id: "a").setInt(number, forKey: "n")) }
        // One that fits is whole.
        #expect(try history().count == 7 && history().last == Version("1-aa"))
        for number in 0..<60 { try collection.save(document: MutableDocument(id: "a").setInt(number, forKey: "n")) }
        #expect(try history().count == 50 && history().last == Version("3-cc"))
    }

    @Test("one bad revision of a batch takes none of the others with it")
    func batch() throws {
        let outcomes = try view.insert([
            revision("1-aa"), revision("1-aa", document: "_bad"), revision("2-bb", ["2-bb"], document: "b"),
            revision("1-cc", document: "c"),
        ])
        #expect(outcomes.map { try? $0.get() } == [.inserted, nil, nil, .inserted])
        #expect(try collection.count == 2)
    }

    @Test("the pages of changes tell what the remote has, and leave nothing out")
    func changes() throws {
        #expect(try insert(revision("1-aa"), revision("1-bb", document: "b")) == [.inserted, .inserted])
        try collection.save(document: MutableDocument(id: "b").setInt(1, forKey: "x"))
        let changes = try view.changes(after: 0, limit: 10)
        #expect(changes.map(\.documentID) == ["a", "b"])
        #expect(changes.map { $0.remoteVersion == $0.version } == [true, false])
        #expect(changes[1].remoteVersion == Version("1-bb"))
        #expect(try view.changes(after: changes[0].sequence, limit: 1).map(\.documentID) == ["b"])
        #expect(
            try ReplicatedCollection(collection: collection, remote: nil).changes(after: 0, limit: 1)[0].remoteVersion
                == nil)
    }

    @Test("without unsent changes the database goes over to the branch that the remote went over to")
    func followsRemote() throws {
        #expect(try insert(revision("1-aa"), revision("2-bb", ["1-aa"], "{\"x\":1}")) == [.inserted, .inserted])
        #expect(try insert(revision("2-cc", ["1-aa"], "{\"x\":2}")) == [.inserted])
        #expect(try collection.document(id: "a")?.revisionID == "2-cc")
        #expect(try collection.document(id: "a")?.int(forKey: "x") == 2)
        #expect(try collection.conflictedDocumentIDs().isEmpty)
        // Whoever serves peers lets none of them do that.
        #expect(try insert(revision("2-dd", ["1-aa"], allowConflict: false)) == [.conflictRefused])
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("with unsent changes another branch of the remote is a conflict, which ends when the remote comes back")
    func conflictEnds() throws {
        #expect(try insert(revision("1-aa")) == [.inserted])
        let mine = try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        #expect(try insert(revision("2-00", ["1-aa"], "{\"x\":2}")) == [.conflict])
        #expect(try compare(Version("2-00")) == .conflict)
        #expect(try view.changes(after: 0, limit: 9).map(\.hasConflict) == [true])
        // The remote took our revision after all.
        #expect(try compare(Version(mine.revision)) == .known)
        #expect(try collection.conflictedDocumentIDs().isEmpty)
        #expect(try collection.remoteRevision(id: "a", remote: #require(view.remote)) == mine.revision)
        #expect(try collection.document(id: "a")?.int(forKey: "x") == 1)
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a pushed revision that lost meanwhile to a stored branch is a conflict, or followed back")
    func pushedMeanwhile() throws {
        #expect(try insert(revision("1-aa")) == [.inserted])
        let mine = try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        #expect(try insert(revision("2-00", ["1-aa"], "{\"x\":2}")) == [.conflict])
        try collection.resolveConflict(id: "a", revision: id("2-00"), expecting: nil, resolution: .remote)
        #expect(try markSynced(Version("2-00")) == [])
        // An ancestor of what the remote has is old news.
        #expect(try compare(Version("1-aa")) == .known)
        #expect(try collection.remoteRevision(id: "a", remote: #require(view.remote)) == id("2-00"))
        // The local branch is gone, so its revision is wanted again.
        guard case .wanted(let ancestors) = try compare(Version(mine.revision)) else {
            Issue.record("a revision that is gone counts as known")
            return
        }
        #expect(ancestors.first == Version("1-aa"))
    }

    @Test("the remote's own revision is the first ancestor that a peer is told")
    func ancestors() throws {
        #expect(try insert(revision("3-cc", ["2-bb", "1-aa"])) == [.inserted])
        let document = try #require(try collection.document(id: "a")).toMutable()
        try collection.save(document: document.setInt(1, forKey: "x"))
        guard case .wanted(let ancestors) = try compare(Version("9-ff")) else {
            Issue.record("an unknown revision is not wanted")
            return
        }
        #expect(ancestors.first == Version("3-cc") && ancestors.count == 4)
        #expect(try compare(Version("9-ff"), of: "b") == .wanted(ancestors: []))
        #expect(try compare(Version("1@s")) == .wanted(ancestors: []))
    }

    @Test("a document made anew over a tombstone is no conflict, and the tombstone stays known")
    func resurrection() throws {
        #expect(try insert(revision("1-aa"), revision("2-bb", ["1-aa"], deleted: true)) == [.inserted, .inserted])
        #expect(try insert(revision("1-ff", [], "{\"x\":1}")) == [.resurrected])
        #expect(try collection.document(id: "a")?.int(forKey: "x") == 1)
        let other = ReplicatedCollection(collection: collection, remote: 2)
        let met = try other.insert([revision("2-bb", ["1-aa"], deleted: true)]).map { try? $0.get() }
        #expect(met == [.known])
        #expect(try collection.document(id: "a")?.hasConflict == false)
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a pushed tombstone over which the remote has made the document anew is old news")
    func pushedBeforeNewBeginning() throws {
        #expect(try insert(revision("1-aa")) == [.inserted])
        try collection.delete(document: #require(try collection.document(id: "a")))
        let tombstone = try #require(try view.changes(after: 0, limit: 1).first).version
        #expect(try insert(revision("1-ff", [], "{\"x\":1}")) == [.resurrected])
        #expect(try markSynced(tombstone) == [])
        #expect(try collection.document(id: "a")?.int(forKey: "x") == 1)
        #expect(try collection.remoteRevision(id: "a", remote: #require(view.remote)) == id("1-ff"))
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a new document that was pushed over a tombstone is what the remote has")
    func pushedNewBeginning() throws {
        try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        let mine = try #require(try view.changes(after: 0, limit: 1).first).version
        #expect(try insert(revision("2-bb", ["1-aa"], deleted: true)) == [.conflict])
        #expect(try markSynced(mine) == [])
        #expect(try collection.conflictedDocumentIDs().isEmpty)
        #expect(try collection.remoteRevision(id: "a", remote: #require(view.remote)) == mine.revisionID)
    }

    @Test("proposals are wanted, known or in conflict with what is named")
    func decisions() throws {
        let served = ReplicatedCollection(collection: collection, remote: nil)
        #expect(try insert(revision("1-aa"), revision("2-bb", ["1-aa"])) == [.inserted, .inserted])
        #expect(try served.decide(documentID: "new", Version("1-aa"), serverVersion: nil) == .wanted)
        #expect(try served.decide(documentID: "a", Version("2-bb"), serverVersion: nil) == .known)
        // One that is stored, but not current: the peer must learn that it was replaced.
        for server in [nil, Version("2-bb")] {
            #expect(
                try served.decide(documentID: "a", Version("1-aa"), serverVersion: server)
                    == .conflict(current: Version("2-bb")))
        }
        #expect(try served.decide(documentID: "a", Version("3-cc"), serverVersion: Version("2-bb")) == .wanted)
        #expect(
            try served.decide(documentID: "a", Version("2-cc"), serverVersion: Version("1-aa"))
                == .conflict(current: Version("2-bb")))
        #expect(try insert(revision("3-cc", ["2-bb"], deleted: true)) == [.inserted])
        #expect(try served.decide(documentID: "a", Version("1-00"), serverVersion: nil) == .wanted)
        #expect(
            try served.decide(documentID: "a", Version("2-bb"), serverVersion: nil)
                == .conflict(current: Version("3-cc")))
    }

    @Test("a refused proposal is made again with an ancestor that the peer has, if there is one")
    func reconsidered() throws {
        #expect(try insert(revision("1-aa")) == [.inserted])
        let mine = try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        guard case .propose(let change) = try reconsider(server: "1-aa") else {
            Issue.record("not proposed again")
            return
        }
        #expect(change.version == Version(mine.revision) && change.remoteVersion == Version("1-aa"))
        #expect(try reconsider(refused: "1-aa", server: "2-00") == .conflict)
        #expect(try reconsider(server: mine.revision.description) == .unnecessary)
        #expect(try collection.remoteRevision(id: "a", remote: #require(view.remote)) == mine.revision)
    }

    @Test(
        "a revision that is offered again is not needed where the remote has gone on from it, and conflicts where it went back"
    )
    func goneOn() throws {
        #expect(try insert(revision("1-aa"), revision("2-bb", ["1-aa"])) == [.inserted, .inserted])
        func verdict(_ server: String?, isReoffered: Bool = true) throws -> String {
            switch try reconsider(server: server, isReoffered: isReoffered) {
            case .propose(let change): return "propose \(change.remoteVersion?.text ?? "") \(change.isReoffered)"
            case .unnecessary: return "unnecessary"
            case .excluded: return "excluded"
            case .conflict: return "conflict"
            }
        }
        #expect(try verdict("3-cc") == "unnecessary" && verdict("2-bb") == "unnecessary")
        // Set back to what is known here, it gets the revision; on another branch of the same age or older it lacks it.
        #expect(
            try verdict("1-aa") == "propose 1-aa true" && verdict("2-cc") == "conflict" && verdict("1-cc") == "conflict"
        )
        #expect(try verdict(nil) == "conflict" && verdict("2-cc", isReoffered: false) == "unnecessary")
        try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        #expect(try verdict("4-cc") == "propose 2-bb true")
        let remote = ReplicatedCollection(
            collection: collection, remote: try test.database.remoteNumber("ws://127.0.0.1/other"))
        // This one never had the revision.
        #expect(try reconsider(in: remote, server: "4-cc", isReoffered: true) == .conflict)
    }

    @Test("what becomes of proposals is decided without reading bodies")
    func withoutBodies() throws {
        #expect(try insert(revision("1-aa"), revision("2-bb", ["1-aa"])) == [.inserted, .inserted])
        let statements = Mutex<[String]>([])
        try test.database.read {
            try test.database.reading { connection in
                connection.trace { event in statements.withLock { $0.append("\(event)") } }
            }
            _ = try view.decide(documentID: "a", Version("3-cc"), serverVersion: Version("1-aa"))
            _ = try reconsider(server: "1-aa", isReoffered: true)
            _ = try (view.change(id: "a"), collection.document(id: "a"))
            try test.database.reading { $0.trace(nil) }
        }
        let asked = statements.withLock { $0 }.map { $0.replacing("length(body)", with: "") }
        #expect(asked.contains { $0.contains("documents_") })
        #expect(asked.filter { $0.contains("body") }.count == 1, "only the document itself: \(asked)")
    }

    @Test("a revision to send has its body and its history down to what the peer has")
    func sending() throws {
        #expect(try insert(revision("3-cc", ["2-bb", "1-aa"], "{\"x\":1.50}")) == [.inserted])
        func load(_ text: String, _ allowsReplacement: Bool) throws -> LoadedRevision {
            try view.revision(
                RevisionQuery(
                    documentID: "a", version: Version(text), knownAncestors: [Version("2-bb")], maxHistory: 50,
                    listsAttachments: true, allowsReplacement: allowsReplacement))
        }
        let found = OutgoingRevision(
            version: Version("3-cc"), history: [Version("2-bb")], isDeleted: false, body: Array("{\"x\":1.50}".utf8))
        #expect(try load("1-aa", true) == .found(found))
        #expect(try load("1-aa", false) == .obsolete)
    }
}
