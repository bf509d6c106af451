import SealiteJSON
import SealiteRevisions
import Testing

@testable import SealiteDatabase

@Suite("conflicts of version vectors")
struct VersionConflictTests {
    private static let (alice, bob) = ("AQIDBAUGBwgJCgsMDQ4PEA", "ABEiM0RVZneImaq7zN3u/w")
    private static let now: UInt64 = 0x18E9_F04B_267A_0000
    private let test: TestDatabase
    private let collection: SealiteDatabase.Collection
    private let remote: Int

    init() throws {
        var configuration = DatabaseConfiguration()
        configuration.versioning = .vectors
        configuration.versionTime = { Self.now }
        test = try TestDatabase(configuration)
        collection = try test.collection
        remote = try test.database.remoteNumber("ws://remote/db")
    }

    /// A time some microseconds before now.
    private func time(_ ago: UInt64) -> String { String(Self.now - ago * 0x1_0000, radix: 16) }

    @discardableResult
    private func insert(
        _ version: String, _ history: String = "", deleted: Bool = false, refused: Bool = false, value: Int = 1
    ) throws -> RevisionOutcome {
        let incoming = IncomingRevision(
            documentID: "a", version: Version(version),
            history: history.split(separator: ",").map { Version(String($0)) },
            isDeleted: deleted, isConflictRefused: refused, body: deleted ? [] : Array("{\"v\":\(value)}".utf8))
        return try collection.insert(incoming, remote: remote)
    }

    @discardableResult
    private func save(_ value: Int) throws -> String {
        let document = try collection.document(id: "a")?.toMutable() ?? MutableDocument(id: "a")
        return try collection.save(document: document.setInt(value, forKey: "v")).revisionID
    }

    private var current: Document? { get throws { try collection.document(id: "a") } }
    private var vector: String {
        get throws {
            let record = try test.database.reading { try collection.revisionRecord("a", $0) }
            return try #require(record).tree.history(at: 0).text
        }
    }

    @Test("a peer's version becomes current, and what follows it knows it")
    func follows() throws {
        let first = "\(time(9))@\(Self.alice)"
        #expect(try insert(first) == .inserted)
        #expect(try current?.revisionID == first)
        #expect(try insert(first) == .known)
        let mine = try save(2)
        #expect(try vector == "\(mine); \(first)")
        #expect(try collection.remoteRevision(id: "a", remote: remote)?.description == first)
        // Older, and not a source twice: news of a state that this one descends from.
        #expect(try insert("\(time(12))@\(Self.alice)") == .known)
        #expect(try insert("\(time(3))@\(Self.bob)", "\(mine),\(first)") == .inserted)
        #expect(try current?.int(forKey: "v") == 1 && !(current?.hasConflict ?? true))
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a version that neither descends conflicts, or is refused where it must not")
    func conflicts() throws {
        let mine = try save(1)
        let theirs = "\(time(2))@\(Self.alice)"
        #expect(try insert(theirs, refused: true, value: 2) == .conflictRefused)
        #expect(try insert(theirs, value: 2) == .conflict)
        #expect(try current?.hasConflict == true && current?.revisionID == mine)
        let sides = try #require(try collection.conflict(id: "a"))
        #expect(sides.remote.revisionID == theirs && sides.remote.int(forKey: "v") == 2)
        #expect(try collection.conflictedDocumentIDs() == ["a"])
        #expect(try test.database.integrityFindings().isEmpty)
        // The remote comes to know this side's version: no conflict any more.
        #expect(try insert("\(time(1))@\(Self.bob)", "\(mine),\(theirs)", value: 3) == .inserted)
        #expect(try current?.hasConflict == false && current?.int(forKey: "v") == 3)
    }

    private func resolve(_ resolution: Resolution) throws -> Document {
        let mine = try #require(try current)
        let theirs = try #require(try collection.conflict(id: "a")?.remote)
        return try collection.resolveConflict(
            id: "a", revision: theirs.revision, expecting: mine.revision, resolution: resolution)
    }

    @Test(
        "keeping the remote's keeps its version, and keeping the local one makes a new version; either knows the other")
    func keeps() throws {
        let mine = try save(1)
        let theirs = "\(time(2))@\(Self.alice)"
        try insert(theirs, value: 2)
        #expect(try resolve(.remote).revisionID == theirs)
        #expect(try current?.int(forKey: "v") == 2 && !(current?.hasConflict ?? true))
        #expect(try vector == "\(theirs); \(mine)")
        let later = try save(3)
        let next = "\(time(1))@\(Self.bob)"
        try insert(next, value: 4)
        let kept = try resolve(.local).revisionID
        #expect(try current?.int(forKey: "v") == 3 && vector == "\(kept), \(later), \(next); \(theirs)")
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("something new is a version merged from both, and a deletion is a tombstone of it")
    func merges() throws {
        let mine = try save(1)
        let theirs = "\(time(2))@\(Self.alice)"
        try insert(theirs, "\(time(7))@\(Self.bob)", value: 2)
        let merged = try resolve(.merged(MutableDocument(id: "a").setInt(9, forKey: "v")))
        #expect(merged.timestamp == Self.now + 1 && merged.int(forKey: "v") == 9)
        #expect(try vector == "\(merged.revisionID), \(mine), \(theirs); \(time(7))@\(Self.bob)")
        try insert("\(time(1))@\(Self.alice)", value: 5)
        #expect(try resolve(.deleted).isDeleted)
        #expect(try current == nil)
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a local one that the remote knows already is kept as a new version")
    func keepsKnown() throws {
        let mine = try save(1)
        let theirs = "\(time(2))@\(Self.alice)"
        try insert(theirs, value: 2)
        #expect(try resolve(.local).revisionID != mine)
        // The remote kept its own likewise.
        try insert("\(time(1))@\(Self.alice)", mine, value: 2)
        try save(4)
        let kept = try #require(try current)
        try insert("\(time(0))@\(Self.bob)", "\(kept.revisionID);", value: 6)
        #expect(try current?.int(forKey: "v") == 6)
    }

    @Test("a time that is too far ahead, or a malformed version, is refused")
    func refused() throws {
        for (version, history) in [
            ("ffffffffffffffff@\(Self.alice)", ""), (time(5) + "@\(Self.alice)", "ffffffffffffffff@\(Self.bob)"),
            ("5@\(Self.alice)", ""), (time(5) + "@\(Self.alice)", time(6) + "@\(Self.alice)"), (time(5) + "@*", ""),
            ("\(time(5))@\(Self.alice);\(time(6))@\(Self.bob)", ""),
        ] {
            #expect(code { try insert(version, history) } == .badRevisionID, "\(version) \(history)")
        }
        #expect(try current == nil)
    }

    @Test("a tombstone that was sent gives way to a document that was made again")
    func resurrects() throws {
        try save(1)
        try collection.delete(id: "a")
        let tombstone = try #require(try collection.revisions(id: "a").first?.id)
        #expect(try insert("\(time(2))@\(Self.alice)", value: 2) == .conflict)
        _ = try collection.purge(id: "a")
        try save(1)
        try collection.delete(id: "a")
        let sent = try #require(try collection.revisions(id: "a").first?.id)
        #expect(sent != tombstone)
        try collection.setRemoteRevision(id: "a", revision: sent, remote: remote)
        #expect(try insert("\(time(2))@\(Self.alice)", value: 2) == .resurrected)
        #expect(try current?.int(forKey: "v") == 2)
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a document with a revision of a tree gets a vector that proves it")
    func legacy() throws {
        #expect(try insert("2-abcd", "1-ef01") == .inserted)
        let mine = try save(2)
        #expect(try vector == "\(mine); 2-abcd, 1-ef01")
        #expect(try collection.revisions(id: "a").map(\.id.description) == [mine, "2-abcd", "1-ef01"])
        #expect(try insert("1-ef01") == .known)
        #expect(try insert("\(time(2))@\(Self.alice)", "3-cdef,2-abcd,1-ef01", value: 3) == .conflict)
        let merged = try resolve(.merged(MutableDocument(id: "a")))
        #expect(try vector == "\(merged.revisionID), \(mine), \(time(2))@\(Self.alice); 3-cdef, 2-abcd, 1-ef01")
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a change that the remote refuses is proposed again where it descends from what the remote has")
    func reconsiders() throws {
        let view = ReplicatedCollection(collection: collection, remote: remote)
        func reconsider(_ server: String, refused remote: String? = nil) throws -> RefusedChangeDecision {
            var change = try #require(try view.changes(after: 0, limit: 10).first)
            change.remoteVersion = remote.map { Version($0) }
            return try view.reconsider(change, serverVersion: Version(server))
        }
        try insert("1-ef01")
        let tree = IncomingRevision(
            documentID: "a", version: Version("2-abcd"), history: [Version("1-ef01")], body: Array("{}".utf8))
        try collection.insert(tree)
        #expect(try reconsider("\(time(2))@\(Self.alice)", refused: "1-ef01") == .conflict)
        #expect(try reconsider("2-abcd", refused: "1-ef01") == .unnecessary)
        try save(3)
        for (server, remote, proposed) in [
            ("2-abcd", "1-ef01", "2-abcd"), ("1-ef01", "2-abcd", "1-ef01"),
            ("\(time(2))@\(Self.alice)", "1-ef01", "2-abcd"),
        ] {
            guard case .propose(let change) = try reconsider(server, refused: remote) else {
                Issue.record("\(server) \(remote)")
                continue
            }
            #expect(change.remoteVersion == Version(proposed))
        }
        #expect(try reconsider("\(time(2))@\(Self.alice)", refused: "2-abcd") == .conflict)
    }

    @Test("a vector that is proven to descend from a revision of a tree takes its place")
    func legacyFollows() throws {
        try insert("2-abcd", "1-ef01")
        #expect(try insert("\(time(2))@\(Self.alice)", "2-abcd,1-ef01", value: 2) == .inserted)
        #expect(try current?.int(forKey: "v") == 2)
        #expect(try insert("3-cdef", "2-abcd,1-ef01", value: 3) == .inserted)
    }
}
