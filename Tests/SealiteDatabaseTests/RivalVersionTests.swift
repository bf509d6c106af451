import SealiteRevisions
import Testing

@testable import SealiteDatabase

@Suite("states of a document that know each other, and remotes that go back")
struct RivalVersionTests {
    private static let (alice, bob) = ("AQIDBAUGBwgJCgsMDQ4PEA", "ABEiM0RVZneImaq7zN3u/w")
    private static let now: UInt64 = 0x18E9_F04B_267A_0000
    private let test: TestDatabase
    private let collection: SealiteDatabase.Collection
    private let remote: Int
    private let view: ReplicatedCollection

    init() throws {
        var configuration = DatabaseConfiguration()
        configuration.versioning = .vectors
        configuration.versionTime = { Self.now }
        test = try TestDatabase(configuration)
        collection = try test.collection
        remote = try test.database.remoteNumber("ws://remote/db")
        view = ReplicatedCollection(collection: collection, remote: remote)
    }

    /// A version of some microseconds before now.
    private func version(_ ago: UInt64, _ source: String) -> String {
        String(Self.now - ago * 0x1_0000, radix: 16) + "@" + source
    }

    private func insert(
        _ version: String, _ history: String = "", deleted: Bool = false, refused: Bool = false,
        pulledThrough: UInt64 = 0, remote: Int?
    ) throws -> RevisionOutcome {
        var incoming = IncomingRevision(
            documentID: "a", version: Version(version), history: history.isEmpty ? [] : [Version(history)],
            isDeleted: deleted, isConflictRefused: refused, body: Array("{}".utf8))
        incoming.pulledThrough = pulledThrough
        return try collection.insert(incoming, remote: remote)
    }

    private func save() throws -> String {
        let document = try collection.document(id: "a")?.toMutable() ?? MutableDocument(id: "a")
        return try collection.save(document: document.setInt(1, forKey: "v")).revisionID
    }

    private func resolve(_ revision: String, _ resolution: Resolution) throws {
        let revision = try #require(RevisionID(revision))
        try collection.resolveConflict(id: "a", revision: revision, expecting: nil, resolution: resolution)
    }

    private var vector: String {
        get throws {
            let record = try test.database.reading { try collection.revisionRecord("a", $0) }
            return try #require(record).tree.history(at: 0).text
        }
    }

    private func compare(_ version: String) throws -> AnnouncementDecision? {
        try view.compare([(documentID: "a", version: Version(version))]).first
    }

    @Test("a version that the current one knows is asked for where the remote is known to have the current one")
    func rivals() throws {
        // The remote's tombstone was kept, while the remote took the document that was made here.
        let mine = try save()
        let tombstone = version(2, Self.alice)
        #expect(try insert(tombstone, deleted: true, remote: remote) == .conflict)
        try resolve(tombstone, .remote)
        #expect(try vector == "\(tombstone); \(mine)")
        #expect(try compare(mine) == .wanted(ancestors: [Version(tombstone)]))
        #expect(try insert(mine, tombstone, remote: remote) == .inserted)
        #expect(try vector == "\(mine); \(tombstone)" && collection.document(id: "a") != nil)
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("what a remote had, and has lost, is sent again")
    func goneBack() throws {
        let first = version(9, Self.alice)
        _ = try insert(first, remote: remote)
        let mine = try save()
        #expect(try view.markSynced([SyncedRevision(documentID: "a", version: Version(mine))]) == [])
        let before = try #require(try view.change(id: "a"))
        #expect(before.remoteVersion == before.version)
        guard case .wanted = try compare(first) else {
            Issue.record("an earlier version isn't asked for")
            return
        }
        #expect(try insert(first, remote: remote) == .known)
        let after = try #require(try view.change(id: "a"))
        #expect(after.version == before.version && after.sequence > before.sequence)
        #expect(after.remoteVersion == Version(first))
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a state that comes later than the one that followed it is no news")
    func overtaken() throws {
        _ = try save()
        let later = version(1, Self.alice)
        #expect(try insert(later, remote: remote) == .conflict)
        #expect(try insert(version(2, Self.alice), remote: remote) == .known)
        #expect(try collection.conflict(id: "a")?.remote.revisionID == later)
    }

    @Test("a tombstone gives way to a document that may be made anew by a peer that has pulled the tombstone")
    func anew() throws {
        let first = version(9, Self.alice)
        _ = try insert(first, remote: nil)
        _ = try save()
        try collection.delete(id: "a")
        let next = version(2, Self.bob)
        let last = try collection.lastSequence
        let known = version(8, Self.alice)
        #expect(try insert(next, known, refused: true, pulledThrough: last, remote: nil) == .conflictRefused)
        #expect(try insert(next, refused: true, pulledThrough: last - 1, remote: nil) == .conflictRefused)
        let served = ReplicatedCollection(collection: collection, remote: nil)
        let tombstone = Version(try #require(try collection.currentRevision(id: "a")).currentRevisionID)
        for (through, decision) in [(last - 1, ProposalDecision.conflict(current: tombstone)), (last, .wanted)] {
            #expect(
                try served.decide(documentID: "a", Version(next), serverVersion: nil, pulledThrough: through)
                    == decision)
        }
        #expect(try insert(next, refused: true, pulledThrough: last, remote: nil) == .resurrected)
        #expect(try vector.hasPrefix("\(next); "))
    }

    @Test("of two states that know each other neither is taken for sent, and a new version follows both")
    func renews() throws {
        let mine = try save()
        let theirs = version(2, Self.alice)
        _ = try insert(theirs, remote: remote)
        try resolve(theirs, .remote)
        // The peer says that its own follows this one, and so does this side.
        #expect(
            try view.decide(documentID: "a", Version(mine), serverVersion: Version(theirs))
                == .conflict(current: Version(theirs)))
        #expect(try view.decide(documentID: "a", Version(mine), serverVersion: nil) == .known)
        #expect(try insert(mine, remote: remote) == .known)
        let change = try #require(try view.change(id: "a"))
        #expect(change.version == Version(theirs) && change.remoteVersion == Version(mine))
        guard case .propose(let renewed) = try view.reconsider(change, serverVersion: Version(mine)) else {
            Issue.record("nothing is proposed")
            return
        }
        #expect(renewed.sequence > change.sequence && renewed.remoteVersion == Version(mine))
        #expect(
            try vector == "\(renewed.version.text); \(theirs), \(mine)"
                || vector == "\(renewed.version.text); \(theirs)")
    }

    @Test("the resolution of one conflict ends others that it knows")
    func twoRemotes() throws {
        let other = try test.database.remoteNumber("ws://other/db")
        _ = try save()
        let (first, second) = (version(2, Self.alice), version(1, Self.bob))
        #expect(try insert(first, remote: remote) == .conflict)
        #expect(try insert(second, first, remote: other) == .conflict)
        try resolve(second, .remote)
        #expect(try collection.conflictedDocumentIDs() == [])
        #expect(try collection.document(id: "a")?.revisionID == second)
    }

    @Test("what was chosen over another state stays chosen when the peer changes its own")
    func staysKnown() throws {
        let mine = try save()
        let (first, second) = (version(2, Self.alice), version(1, Self.alice))
        _ = try insert(first, remote: remote)
        try resolve(first, .remote)
        #expect(try insert(second, remote: remote) == .inserted)
        #expect(try vector == "\(second); \(mine)")
    }
}
