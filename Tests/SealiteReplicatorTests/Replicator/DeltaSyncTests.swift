import SealiteDatabase
import SealiteFile
import SealiteRevisions
import SealiteTestSupport
import Testing

@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport
@testable import SealiteReplicator

@Suite("documents that travel as deltas")
struct DeltaSyncTests {
    /// A body of some kilobytes, of which `n` is the only part that edits change.
    private func body(_ number: Int) -> String {
        let text = String(repeating: "The fog comes on little cat feet. ", count: 100)
        return #"{"n":\#(number),"t":"\#(text)","l":[1,2,{"a":true}]}"#
    }

    private func pair(_ versioning: DocumentVersioning) throws -> SyncPair {
        try SyncPair(client: SyncDatabase(versioning: versioning), server: SyncDatabase(versioning: versioning))
    }

    @Test(
        "edits of documents that the remote has are pushed as deltas", arguments: [DocumentVersioning.trees, .vectors])
    func push(_ versioning: DocumentVersioning) async throws {
        let pair = try pair(versioning)
        for index in 0..<50 { try pair.client.save("d\(index)", body(index)) }
        let first = try await pair.replicator().run()
        #expect(first.progress.deltaCount == 0 && first.progress.pushedCount == 50)
        for round in 1...3 {
            for index in 0..<50 { try edit(pair.client, "d\(index)", to: 1_000 * round + index) }
            let status = try await pair.replicator().run()
            #expect(status.error == nil && status.progress.pushedCount == 50)
            #expect(status.progress.deltaCount == 50 && status.progress.deltaFallbackCount == 0)
            #expect(status.progress.deltaSavedByteCount > 50 * 3_000)
            #expect(try pair.server.json("d7") == body(1_000 * round + 7))
            #expect(try pair.client.revisions == pair.server.revisions)
        }
        #expect(try pair.client.findings.isEmpty && pair.server.findings.isEmpty)
    }

    @Test("several edits between two sessions travel as one delta", arguments: [DocumentVersioning.trees, .vectors])
    func several(_ versioning: DocumentVersioning) async throws {
        let pair = try pair(versioning)
        try pair.client.save("d", body(0))
        try await pair.replicator().run()
        for number in 1...5 { try edit(pair.client, "d", to: number) }
        let status = try await pair.replicator().run()
        #expect(status.progress.deltaCount == 1)
        #expect(try pair.server.json("d") == body(5) && pair.client.revisions == pair.server.revisions)
    }

    @Test(
        "a listener sends its edits of a document as deltas if another remote of its own has the document's earlier revision",
        arguments: [DocumentVersioning.trees, .vectors])
    func pull(_ versioning: DocumentVersioning) async throws {
        // The hub is the server of one pair and the client of another.
        let hub = try SyncDatabase(versioning: versioning)
        let upper = try SyncPair(client: hub, server: SyncDatabase(versioning: versioning))
        let lower = try SyncPair(client: SyncDatabase(versioning: versioning), server: hub)
        for index in 0..<20 { try hub.save("d\(index)", body(index)) }
        try await upper.replicator().run()
        #expect(try await lower.replicator().run().progress.deltaCount == 0)
        for index in 0..<20 { try edit(hub, "d\(index)", to: 500 + index) }
        let status = try await lower.replicator().run()
        #expect(status.error == nil && status.progress.pulledCount == 20)
        #expect(status.progress.deltaCount == 20 && status.progress.deltaFallbackCount == 0)
        #expect(status.progress.deltaSavedByteCount > 20 * 3_000)
        #expect(try lower.client.revisions == hub.revisions && lower.client.json("d3") == body(503))
        #expect(try lower.client.findings.isEmpty)
    }

    @Test(
        "a listener sends its own edits as deltas to peers that have the documents from it, also after several edits",
        arguments: [DocumentVersioning.trees, .vectors])
    func ownEdits(_ versioning: DocumentVersioning) async throws {
        let server = try SyncDatabase(versioning: versioning)
        let pairs = try (0..<3).map { _ in try SyncPair(client: SyncDatabase(versioning: versioning), server: server) }
        for index in 0..<20 { try server.save("d\(index)", body(index)) }
        for pair in pairs { #expect(try await pair.replicator().run().progress.deltaCount == 0) }
        for round in 1...3 {
            for number in 0..<round {
                for index in 0..<20 { try edit(server, "d\(index)", to: 100 * round + 30 * number + index) }
            }
            for pair in pairs {
                let status = try await pair.replicator().run()
                #expect(status.error == nil && status.progress.pulledCount == 20)
                #expect(status.progress.deltaCount == 20 && status.progress.deltaFallbackCount == 0)
                #expect(try pair.client.revisions == server.revisions && pair.client.json("d3") == server.json("d3"))
            }
        }
        #expect(try server.findings.isEmpty)
    }

    @Test(
        "a listener sends its edits of documents that a client has pushed as deltas",
        arguments: [DocumentVersioning.trees, .vectors])
    func editsOfPushed(_ versioning: DocumentVersioning) async throws {
        let pair = try pair(versioning)
        for index in 0..<20 { try pair.client.save("d\(index)", body(index)) }
        try await pair.replicator().run()
        for index in 0..<20 { try edit(pair.server, "d\(index)", to: 500 + index) }
        let status = try await pair.replicator().run()
        #expect(status.progress.pulledCount == 20 && status.progress.deltaCount == 20)
        #expect(try pair.client.revisions == pair.server.revisions && pair.client.json("d3") == body(503))
    }

    @Test("edits that another process makes while a listener isn't running travel as deltas afterwards")
    func otherProcess() async throws {
        let server = try SyncDatabase()
        let client = try SyncDatabase()
        try server.save("d", body(0))
        try await SyncPair(client: client, server: server).replicator().run()
        try editElsewhere(server, "d", to: 7)
        let status = try await SyncPair(client: client, server: server).replicator().run()
        #expect(status.progress.pulledCount == 1 && status.progress.deltaCount == 1)
        #expect(try client.json("d") == body(7))
    }

    @Test("a peer that was two edits behind another one gets a whole body, and no error")
    func behind() async throws {
        let server = try SyncDatabase()
        let (early, late) = (try SyncDatabase(), try SyncDatabase())
        try server.save("d", body(0))
        for client in [early, late] { try await SyncPair(client: client, server: server).replicator().run() }
        for number in 1...3 {
            try edit(server, "d", to: number)
            try await SyncPair(client: early, server: server).replicator().run()
        }
        let status = try await SyncPair(client: late, server: server).replicator().run()
        #expect(status.error == nil && status.progress.pulledCount == 1 && status.progress.deltaCount == 0)
        #expect(try late.revisions == server.revisions && late.json("d") == body(3))
    }

    @Test("a listener sends documents with tree ids from before an upgrade whole, and later ones as deltas")
    func upgraded() async throws {
        let (oldServer, oldClient) = (try SyncDatabase(), try SyncDatabase())
        try oldServer.save("old", body(0))
        try await SyncPair(client: oldClient, server: oldServer).replicator().run()
        let server = try SyncDatabase(upgrading: oldServer)
        let pair = try SyncPair(client: SyncDatabase(upgrading: oldClient), server: server)
        try edit(server, "old", to: 1)
        try server.save("new", body(2))
        #expect(try await pair.replicator().run().progress.deltaCount == 0)
        try edit(server, "old", to: 3)
        try edit(server, "new", to: 4)
        let status = try await pair.replicator().run()
        #expect(status.progress.pulledCount == 2 && status.progress.deltaCount == 1)
        #expect(try pair.client.revisions == server.revisions && pair.client.json("old") == body(3))
    }

    @Test("small documents, deletions and new documents travel whole")
    func whole() async throws {
        let pair = try pair(.vectors)
        try pair.client.save("small", #"{"n":1,"t":"\#(String(repeating: "x", count: 1_900))"}"#)
        try pair.client.save("deleted", body(1))
        try await pair.replicator().run()
        try pair.client.save("new", body(2))
        try pair.client.delete("deleted")
        try edit(pair.client, "small", to: 2)
        let status = try await pair.replicator().run()
        #expect(status.progress.pushedCount == 3 && status.progress.deltaCount == 0)
        #expect(try pair.client.revisions == pair.server.revisions)
    }

    @Test("deltas can be switched off on either side", arguments: [true, false])
    func off(isClient: Bool) async throws {
        let pair = try SyncPair(client: SyncDatabase(), server: SyncDatabase(), deltas: isClient)
        try pair.client.save("d", body(0))
        try await pair.replicator { $0.enableDeltaSync = !isClient }.run()
        try edit(pair.client, "d", to: 1)
        let status = try await pair.replicator { $0.enableDeltaSync = !isClient }.run()
        #expect(status.progress.pushedCount == 1 && status.progress.deltaCount == 0)
        #expect(try pair.server.json("d") == body(1))
    }

    @Test("a blob that an edit adds comes with the delta, and one that it drops goes")
    func blobs() async throws {
        let pair = try pair(.trees)
        try pair.client.save("d", body(0))
        try await pair.replicator().run()
        for content in [Array("first blob".utf8), Array("second blob".utf8)] {
            try setBlob(pair.client, "d", content)
            let status = try await pair.replicator().run()
            #expect(status.progress.deltaCount == 1 && status.progress.deltaFallbackCount == 0)
            #expect(try pair.server.attachment("d") == content)
        }
        #expect(try pair.server.findings.isEmpty)
    }

    private func setBlob(_ database: SyncDatabase, _ id: String, _ content: [UInt8]) throws {
        let document = try #require(try database.collection.document(id: id)).toMutable()
        document.setBlob(Blob(contentType: "text/plain", bytes: content), forKey: "blob")
        try database.collection.save(document: document)
    }

    /// Edits a document through another `Database` on the same file, which knows only what is stored there.
    private func editElsewhere(_ database: SyncDatabase, _ id: String, to number: Int) throws {
        let other = try Database.open(database.path + "/test.db", key: .rawKey(SyncDatabase.key))
        let document = try #require(try other.defaultCollection().document(id: id)).toMutable()
        document.setInt(number, forKey: "n")
        try other.defaultCollection().save(document: document)
        try other.close()
    }

    private func edit(_ database: SyncDatabase, _ id: String, to number: Int) throws {
        let document = try #require(try database.collection.document(id: id)).toMutable()
        document.setInt(number, forKey: "n")
        try database.collection.save(document: document)
    }
}

@Suite("hostile deltas")
struct HostileDeltaTests {
    private static let text = String(repeating: "x", count: 300)

    /// A served database with the documents "a" and "b", and a peer that says what it likes.
    private struct World {
        let test: SyncDatabase
        let node: SessionNode<PassiveSession>
        let peer: Endpoint
        private let store: SealedStore

        init(
            _ role: CollectionStore.Role = .passive, isReadable: Bool = true, largestDocument: Int = 20 << 20
        ) throws {
            test = try SyncDatabase { $0.maximumDocumentByteCount = largestDocument }
            try test.save("a", #"{"n":1,"t":"\#(HostileDeltaTests.text)"}"#)
            try test.save("b", #"{"n":2,"t":"\#(HostileDeltaTests.text)"}"#)
            store = SealedStore(test, test.collection, role: role, isReadable: isReadable)
            node = try SessionNode(PassiveSession(.init(collections: ["_default"])), [store])
            peer = try Endpoint()
        }

        /// Sends a revision of "a" after the current one, or a given one, as a delta, and returns the code of the answer; nil if it was taken.
        func send(
            _ delta: String, from source: String, id: String = "a", isDeleted: Bool = false, as revision: String? = nil
        ) throws -> Int? {
            let current = try test.revisions[id] ?? "1-aa"
            let generation = Int(current.prefix { $0 != "-" }) ?? 1
            let next = "\(generation + 1)-\(String(repeating: "ab", count: 16))"
            var properties: BLIPProperties = [
                "Profile": "rev", "id": id, "rev": revision ?? next, "history": revision == nil ? current : source,
                "deltaSrc": source,
            ]
            if isDeleted { properties["deleted"] = "1" }
            peer.send(BLIPOutgoing(properties, body: Array(delta.utf8)))
            var answer: BLIPReply?
            for _ in 0..<1_000 {
                while let frame = try peer.nextFrame() { try node.receive(frame) }
                while node.work() || node.wake() {}
                while let frame = try node.endpoint.nextFrame() {
                    for case .reply(let reply, _) in try peer.receive(frame) { answer = reply }
                }
                if answer != nil { break }
            }
            return try #require(answer).error?.code
        }
    }

    @Test("a delta from the current revision is applied")
    func applied() throws {
        let world = try World()
        let current = try #require(try world.test.revisions["a"])
        #expect(try world.send(#"{"n":7}"#, from: current) == nil)
        #expect(try world.test.json("a") == #"{"n":7,"t":"\#(Self.text)"}"#)
    }

    @Test(
        "a delta from a revision that isn't the current one, isn't stored or is another document's gets the same answer"
    )
    func otherSource() throws {
        let world = try World()
        let old = try #require(try world.test.revisions["a"])
        try world.test.save("a", #"{"n":5,"t":"\#(Self.text)"}"#)
        let before = try world.test.revisions
        let others = [old, "1-\(String(repeating: "0", count: 32))", try #require(before["b"]), "9-ff", "x", "1a@b"]
        for source in others { #expect(try world.send(#"{"n":7}"#, from: source) == 422, "\(source)") }
        #expect(try world.send(#"{"n":7}"#, from: #require(before["a"]), id: "unknown") == 422)
        #expect(try world.send("{}", from: #require(before["a"]), isDeleted: true) == 422)
        #expect(try world.test.revisions == before)
    }

    @Test("a delta to the revision that is current already is known, whatever it starts from")
    func known() throws {
        let world = try World()
        let first = try #require(try world.test.revisions["a"])
        #expect(try world.send(#"{"n":7}"#, from: first) == nil)
        let second = try #require(try world.test.revisions["a"])
        #expect(try world.send(#"{"n":9}"#, from: first, as: second) == nil)
        #expect(try world.test.json("a") == #"{"n":7,"t":"\#(Self.text)"}"#)
        let other = try World(isReadable: false)
        let before = try #require(try other.test.revisions["a"])
        let current = try other.test.save("a", #"{"n":7}"#).revisionID
        #expect(try other.send(#"{"n":9}"#, from: before, as: current) == 422)
    }

    @Test("a peer that may not read the collection can't apply deltas to what is stored there")
    func unreadable() throws {
        let world = try World(isReadable: false)
        let current = try #require(try world.test.revisions["a"])
        #expect(try world.send(#"{"n":7}"#, from: current) == 422)
        #expect(try world.test.json("a") == #"{"n":1,"t":"\#(Self.text)"}"#)
    }

    @Test(
        "a delta that doesn't fit changes nothing",
        arguments: [
            "", "7", "[1]", #"{"t":{"0":1}}"#, #"{"x":[]}"#, #"{"t":["1=",0,2]}"#, #"{"n":1,"n":2}"#, "{",
            #"{"l":{"1-":[]}}"#,
        ])
    func unfit(_ delta: String) throws {
        let world = try World()
        let before = try world.test.revisions
        let current = try #require(before["a"])
        #expect(try world.send(delta, from: current) == 422)
        #expect(try world.test.revisions == before && world.test.json("a") == #"{"n":1,"t":"\#(Self.text)"}"#)
    }

    @Test("a delta that would make a document larger than allowed changes nothing, however large it is")
    func tooLarge() throws {
        let world = try World(largestDocument: 100_000)
        let before = try world.test.revisions
        let large = String(repeating: "y", count: 10 << 20)
        #expect(try world.send(#"{"x":"\#(large)"}"#, from: #require(before["a"])) == 422)
        let many = (0..<20_000).map { #""m\#($0)":[[]]"# }.joined(separator: ",")
        #expect(try world.send("{\(many)}", from: #require(before["a"])) == 422)
        #expect(try world.test.revisions == before && world.test.json("a") == #"{"n":1,"t":"\#(Self.text)"}"#)
    }

    @Test("after ten bad deltas in a row a peer's deltas aren't looked at any more, and whole bodies are")
    func givenUp() throws {
        let world = try World()
        let current = try #require(try world.test.revisions["a"])
        for _ in 0..<DeltaTally.refusalLimit { #expect(try world.send(#"{"x":[]}"#, from: current) == 422) }
        #expect(try world.send(#"{"n":7}"#, from: current) == 422)
        #expect(world.node.session.status.outcomes.deltas.fallbacks == UInt64(DeltaTally.refusalLimit) + 1)
        #expect(world.node.session.status.outcomes.deltas.received == 0)
    }
}
