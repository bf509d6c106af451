import SealiteDatabase
import SealiteProtocol
import SealiteRevisions
import Testing

@testable import SealiteReplicator

@Suite("pending documents")
struct PendingDocumentTests {
    private let pair: SyncPair
    private let replicator: Replicator

    init() throws {
        pair = try SyncPair()
        replicator = try pair.replicator()
    }

    /// Stores the local copy of the replicator's checkpoint.
    private func storeCheckpoint(_ json: String) throws {
        let session = try replicator.configuration.session(isReset: false, retriesRefused: false)
        try pair.client.database.setLocalValue(
            store: "checkpoints", name: session.collections[0].checkpointID, value: Array(json.utf8))
    }

    private var pending: Set<String> {
        get async throws { try await replicator.pendingDocumentIDs(in: pair.client.collection) }
    }

    @Test("pending documents are found without a write to the database")
    func readOnly() async throws {
        try pair.client.save("a", "{}")
        #expect(try await pending == ["a"])
        #expect(try pair.client.database.remotes().isEmpty)
        #expect(try !pair.client.collection.isReplicated())
    }

    @Test("pending documents are found without a session of the selection")
    func selection() async throws {
        let selection = Selection()
        let replicator = try pair.replicator { $0.collections[0].selection = selection }
        for id in ["a", "b"] { try pair.client.save(id, "{}") }
        #expect(try await replicator.pendingDocumentIDs(in: pair.client.collection) == ["a"])
    }

    @Test("pending documents are those after the checkpoint, or all if the checkpoint is damaged")
    func damagedCheckpoint() async throws {
        for id in ["a", "b"] { try pair.client.save(id, "{}") }
        try storeCheckpoint(#"{"local":1}"#)
        #expect(try await pending == ["b"])
        try storeCheckpoint("nonsense")
        #expect(try await pending == ["a", "b"])
    }

    @Test("of a copy are those after its original's checkpoint")
    func copy() async throws {
        for id in ["a", "b"] { try pair.client.save(id, "{}") }
        try storeCheckpoint(#"{"local":1}"#)
        let copy = try SyncDatabase(copying: pair.client)
        let replicator = try pair.replicator { $0.collections = [CollectionConfiguration(copy.collection)] }
        #expect(try await replicator.pendingDocumentIDs(in: copy.collection) == ["b"])
    }

    @Test("pending documents that can't be read because the database is closed are an error of the database")
    func closed() async throws {
        try pair.client.close()
        await #expect(throws: DatabaseError.self) { try await pending }
    }
}

/// Selects one document, and begins no session.
private struct Selection: DocumentSelection {
    struct Unexpected: Error {}

    let name = "test"
    func selects(_ ids: [String]) -> [Bool] { ids.map { $0 == "a" } }
    func beginSession() throws -> any Sendable { throw Unexpected() }
    func incoming(_ id: String, _ json: [UInt8], isDeleted: Bool) -> [UInt8]? { json }
    func outgoing(_ id: String, _ json: [UInt8], isDeleted: Bool, isDelta: Bool) -> [UInt8] { json }
    func remoteForm(_ id: String, _ json: [UInt8]) -> [UInt8] { json }
    func refused(_ refusals: [Refusal]) {}
    func lostAccess(_ id: String) -> Bool { false }
}
