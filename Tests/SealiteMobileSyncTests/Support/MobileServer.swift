import Foundation
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteMongo
import SealiteReplicator
import SealiteRevisions
import SealiteTestSupport
import SealiteValues
import Synchronization
import Testing

@testable import SealiteMobileSync

typealias Database = SealiteDatabase.Database
typealias Collection = SealiteDatabase.Collection

/// A folder that goes with its owner.
final class TestFolder: Sendable {
    let path = NSTemporaryDirectory() + "sealite-mobile-" + UUID().uuidString

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    static var key: SecretBytes {
        let bytes = [UInt8](repeating: 7, count: 32)
        return unsafe SecretBytes(copying: bytes.span.bytes)
    }

    func database(
        _ name: String, _ configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws -> Database {
        let file = "\(path)/\(name).db"
        guard FileManager.default.fileExists(atPath: file) else {
            return try Database.create(file, slot: .rawKey(Self.key), configuration: configuration)
        }
        return try Database.open(file, key: .rawKey(Self.key), configuration: configuration)
    }
}

/// A database behind a listener on loopback, over TLS.
actor MobileServer {
    let folder: TestFolder
    private let content: Mutex<MongoCollection<MongoDocument>>
    private var listener: ReplicationListener?
    /// Holds the port while no listener does.
    private let held: HeldPort

    init() async throws {
        folder = try TestFolder()
        content = Mutex(try MongoStore(folder.database("server")).collection("docs"))
        held = try HeldPort()
        try await start()
    }

    nonisolated var documents: MongoCollection<MongoDocument> { content.withLock { $0 } }
    nonisolated var database: Database { documents.collection.database }

    /// Refuses all documents from now on, as too large, or takes them again.
    func refuseWrites(_ refuses: Bool) async throws {
        await stop()
        try await database.close()
        var configuration = DatabaseConfiguration()
        if refuses { configuration.maximumDocumentByteCount = 1 }
        let opened = try await Database.open(
            "\(folder.path)/server.db", key: .rawKey(TestFolder.key), configuration: configuration)
        let documents: MongoCollection<MongoDocument> = try MongoStore(opened).collection("docs")
        content.withLock { $0 = documents }
        try await start()
    }

    private static let identity = try? TransportIdentity.selfSigned(
        commonName: "Sealite", hosts: ["localhost", "127.0.0.1", "::1"])

    /// Listens, at the same port each time.
    func start() async throws {
        var configuration = ListenerConfiguration(collections: [documents.collection], databaseName: "db")
        configuration.access = .anyone
        configuration.identity = Self.identity
        configuration.port = held.port
        let listener = ReplicationListener(configuration)
        // The port of before may not be free yet.
        await eventually("the start of the listener") {
            do {
                try await listener.start()
                return true
            } catch {
                return false
            }
        }
        self.listener = listener
    }

    var connectionCount: Int { listener?.status.connectionCount ?? 0 }

    func stop() async {
        await listener?.stop()
        listener = nil
    }

    func remote() throws -> MobileSyncRemote {
        MobileSyncRemote(try EndpointURL("wss://127.0.0.1:\(held.port)/db")) { configuration in
            configuration.trust = .selfSigned
            configuration.maxAttemptWaitTime = .milliseconds(20)
            configuration.maxAttempts = configuration.continuous ? 0 : 2
        }
    }

    // MARK: - What it has had

    private var history: Set<String> = []
    private var historyEnd: UInt64 = 0

    /// Keeps whatever documents become here.
    nonisolated func keepHistory(of ids: [BSON]) throws {
        let documents = SyncedDocuments(documents.collection)
        try documents.add(ids.map { try DocumentKey.text(of: $0) })
        // Else an insertion and its deletion cancel each other out.
        _ = try documents.beginSession()
    }

    /// Returns whether a document was here as it is given; where none is, whether it was deleted, by a revision if one is known.
    func hasHad(_ id: BSON, _ document: MongoDocument?, tombstone: RevisionID? = nil) throws -> Bool {
        let key = try DocumentKey.text(of: id)
        if document == nil, let tombstone {
            return try documents.collection.revisions(id: key).contains { $0.id == tombstone }
        }
        let line = Self.line(id, document)
        if history.contains(line) { return true }
        for event in try SyncedDocuments(documents.collection).events(limit: .max) where event.number > historyEnd {
            guard case .change(_, _, _, let after) = event.content else { continue }
            let body = after.map { SyncedBody.document($0, id: event.documentID) }
            history.insert(Self.line(DocumentKey.value(of: event.documentID), body))
            historyEnd = event.number
        }
        if history.contains(line) { return true }
        // A tombstone of what never was here is no change of a document.
        return try document == nil && documents.collection.revisions(id: key).contains(where: \.isDeleted)
    }

    private static func line(_ id: BSON, _ document: MongoDocument?) -> String {
        "\(id) \(document.map { "\(BSON.document($0).sorted)" } ?? "deleted")"
    }

    /// The documents by their ids.
    nonisolated func all() async throws -> [String: MongoDocument] {
        var found: [String: MongoDocument] = [:]
        for document in try await documents.find().toArray() {
            let id: BSON = document["_id"] ?? .null
            found["\(id)"] = document
        }
        return found
    }
}
