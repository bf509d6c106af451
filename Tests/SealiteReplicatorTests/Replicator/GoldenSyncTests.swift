import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import Testing

@testable import SealiteReplicator

@Suite("the golden database in replication")
struct GoldenSyncTests {
    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/Documents").path

    /// A copy of the golden database, opened.
    private final class Golden: Sendable {
        private let folder: String
        let database: Database
        let collection: Collection

        init() throws {
            folder = NSTemporaryDirectory() + "sealite-golden-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: "\(fixtures)/documents-4.db", toPath: folder + "/golden.db")
            let key = unsafe SecretBytes(copying: Array(0..<32 as Range<UInt8>).span.bytes)
            database = try Database.open(folder + "/golden.db", key: .rawKey(key))
            collection = try database.defaultCollection()
        }

        var findings: [String] { get throws { try database.integrityFindings() } }

        deinit { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// The JSON text of each live document, by id.
    private func documents(_ collection: Collection) throws -> [String: String] {
        var found: [String: String] = [:]
        try collection.forEachDocument { found[$0.id] = try $0.toJSON() }
        return found
    }

    /// Syncs a golden database with a peer.
    ///
    /// - Returns: the ids of the documents that went either way.
    private func sync(_ golden: Golden, with peer: Collection) async throws -> [String] {
        let service = try ReplicationService(ServiceConfiguration(collections: [peer]))
        let configuration = ReplicatorConfiguration(
            collections: [golden.collection], target: try SyncPair.target("golden"))
        let replicator = try Replicator(configuration, dialing: LoopDialer(service).dial)
        let (status, told) = try await replicator.documentsOfRun()
        #expect(status.error == nil && status.activity == .stopped)
        return told.flatMap { $0.documents.map(\.id) }.sorted()
    }

    @Test("an empty peer gets the documents of the golden database, which goes on from its checkpoint")
    func emptyPeer() async throws {
        let golden = try Golden()
        let before = try documents(golden.collection)
        let peer = try SyncDatabase()
        #expect(try await sync(golden, with: peer.collection).count >= before.count)
        #expect(try documents(peer.collection) == before && documents(golden.collection) == before)
        #expect(try peer.findings.isEmpty && golden.findings.isEmpty)
        #expect(try await sync(golden, with: peer.collection) == [])
        try peer.change("row-20", to: "edited at the peer")
        #expect(try await sync(golden, with: peer.collection) == ["row-20"])
        #expect(try documents(golden.collection)["row-20"]?.contains("edited at the peer") == true)
    }
}
