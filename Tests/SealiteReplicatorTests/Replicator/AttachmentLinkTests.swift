@testable import SealiteProtocol
import SealiteDatabase
import Testing

@testable import SealiteReplicator
import SealiteRevisions

@Suite("attachments that a peer's revision refers to")
struct AttachmentLinkTests {
    private let test: SyncDatabase
    private let secret: Collection
    private let content = Array("only the other collection's".utf8)
    private let digest: BlobDigest

    /// A database whose second collection has a document with an attachment.
    init() throws {
        test = try SyncDatabase()
        secret = try test.database.createCollection(name: "secret")
        let document = MutableDocument(id: "hidden")
        document.setBlob(Blob(contentType: "text/plain", bytes: content), forKey: "p")
        try secret.save(document: document)
        let stored = try secret.document(id: "hidden")?.value(forKey: "p")?.blob?.digest
        digest = try #require(stored.flatMap { BlobDigest($0) })
    }

    private func store(_ readable: [Collection]) -> CollectionStore {
        CollectionStore(collection: test.collection, role: .passive, readable: readable)
    }

    private func insert(
        _ id: String, _ body: String, given: Set<BlobDigest> = [], earlier: GivenAttachments = GivenAttachments(),
        readable: [Collection]? = nil
    ) -> RevisionOutcome? {
        var revision = IncomingRevision(
            documentID: id, version: Version("1-aa"), history: [], isDeleted: false,
            isConflictRefused: true, body: Array(body.utf8))
        revision.given = given
        let request = StoreRequest.insert([revision], given: earlier)
        guard case .inserted(let outcomes) = store(readable ?? [test.collection]).perform(request) else { return nil }
        return outcomes.first
    }

    private func needs(_ outcome: RevisionOutcome?) -> [BlobDigest] {
        guard case .needsAttachments(let needs)? = outcome else { return [] }
        return needs.map(\.digest)
    }

    private var blob: String { #"{"@type":"blob","digest":"\#(digest)","length":\#(content.count)}"# }

    @Test("the content of another collection's is asked of the peer as if it weren't here")
    func otherCollection() throws {
        #expect(needs(insert("a", #"{"p":\#(blob)}"#)) == [digest])
        #expect(needs(insert("a", #"{"_attachments":{"x":{"digest":"\#(digest)"}}}"#)) == [digest])
        #expect(insert("a", #"{"p":\#(blob)}"#, given: [digest]) == .inserted)
        try test.collection.purge(id: "a")
        var earlier = GivenAttachments()
        earlier.insert(digest)
        #expect(insert("a", #"{"p":\#(blob)}"#, earlier: earlier) == .inserted)
        // Now a document that the peer may read refers to it.
        #expect(insert("b", #"{"p":\#(blob)}"#) == .inserted)
    }

    @Test("a reference that hides in another blob's description counts too")
    func nested() {
        let outer = #"{"@type":"blob","length":1,"inner":\#(blob)}"#
        #expect(needs(insert("a", #"{"p":\#(outer)}"#)) == [digest])
        let absent = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
        let both = #"{"@type":"blob","digest":"\#(absent)","inner":\#(blob)}"#
        #expect(Set(needs(insert("a", #"{"p":[\#(both)]}"#)).map(\.description)) == [digest.description, absent])
    }

    @Test("what a document that the peer may read refers to needs not be sent again")
    func readable() {
        #expect(insert("a", #"{"p":\#(blob)}"#, readable: [test.collection, secret]) == .inserted)
        #expect(needs(insert("b", #"{"p":\#(blob)}"#, readable: [])) == [digest])
        // The document itself refers to it already.
        #expect(insert("a", #"{"p":\#(blob)}"#, readable: []) == .known)
    }

    @Test("content that the peer has given and that is gone again is asked for again")
    func goneAgain() throws {
        let gone = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
        let digest = try #require(BlobDigest(gone))
        #expect(needs(insert("a", #"{"p":{"@type":"blob","digest":"\#(gone)"}}"#, given: [digest])) == [digest])
    }

    @Test("a replicator that doesn't push every document lets the remote refer to nothing that it didn't send")
    func replicators() throws {
        func readable(_ change: (inout ReplicatorConfiguration) -> Void = { _ in }) throws -> [[Collection]] {
            var configuration = ReplicatorConfiguration(
                collections: [test.collection, secret], target: try SyncPair.target())
            change(&configuration)
            return try configuration.stores().map(\.readable)
        }
        #expect(try readable() == [[test.collection, secret], [test.collection, secret]])
        #expect(try readable { $0.replicatorType = .pull } == [[], []])
        #expect(try readable { $0.collections[1].documentIDs = ["x"] } == [[test.collection], [test.collection]])
        #expect(try readable { $0.collections[0].pushFilter = { _, _ in true } } == [[secret], [secret]])
    }

    @Test("a peer that pushes a revision with another collection's digest must send the content, and then it syncs")
    func endToEnd() async throws {
        let client = try SyncDatabase()
        try client.save("mine", attachment: content)
        let dialer = LoopDialer(try ReplicationService(ServiceConfiguration(collections: [test.collection])))
        let configuration = ReplicatorConfiguration(collections: [client.collection], target: try SyncPair.target())
        try await Replicator(configuration, dialing: dialer.dial).run()
        #expect(try test.attachment("mine") == content)
        // A client that has no content can't get it by its digest.
        let thief = try SyncDatabase()
        try thief.save("theirs", #"{"blob":{"@type":"blob","digest":"\#(digest)","length":\#(content.count)}}"#)
        try await test.collection.purge(id: "mine")
        let theft = ReplicatorConfiguration(collections: [thief.collection], target: try SyncPair.target())
        let replicator = try Replicator(theft, dialing: dialer.dial)
        let documents = try await replicator.documentsOfRun().told.flatMap(\.documents)
        #expect(documents.map(\.id) == ["theirs"] && documents.first?.error?.code == .http(404))
        #expect(try test.revisions["theirs"] == nil)
        #expect(try thief.database.scalar(sql: "SELECT count(*) FROM blobs") == 0)
    }
}
