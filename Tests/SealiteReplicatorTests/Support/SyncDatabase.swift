import SealiteTransportTestSupport
import SealiteTransport
import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteTestSupport
import Logging
import Synchronization
import SealiteTestSupport
import Testing

@testable import SealiteReplicator

typealias Database = SealiteDatabase.Database
typealias Collection = SealiteDatabase.Collection

/// A database on a sealed file in a folder of its own, which goes with it.
final class SyncDatabase: Sendable {
    let path: String
    let database: Database
    let collection: Collection
    /// The one whose folder this is; nil for a folder of its own.
    private let original: SyncDatabase?

    /// An empty one, or a copy of another.
    init(
        copying original: SyncDatabase? = nil, versioning: DocumentVersioning = .trees, time: ManualTime? = nil,
        change: (inout DatabaseConfiguration) -> Void = { _ in }
    ) throws {
        self.original = nil
        path = NSTemporaryDirectory() + "sealite-sync-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        if let original {
            try original.database.copy(to: path + "/test.db", slot: .rawKey(Self.key))
            database = try Database.open(path + "/test.db", key: .rawKey(Self.key))
        } else {
            var configuration = DatabaseConfiguration()
            configuration.versioning = versioning
            if let time { configuration.time = time }
            change(&configuration)
            database = try Database.create(path + "/test.db", slot: .rawKey(Self.key), configuration: configuration)
        }
        collection = try database.defaultCollection()
    }

    /// A database of revision trees, upgraded to version vectors. The other one is closed.
    init(upgrading original: SyncDatabase) throws {
        self.original = original
        path = original.path
        try original.database.upgradeToVersionVectors()
        database = try Database.open(path + "/test.db", key: .rawKey(Self.key))
        collection = try database.defaultCollection()
    }

    deinit { if original == nil { try? FileManager.default.removeItem(atPath: path) } }

    static var key: SecretBytes {
        let bytes = [UInt8](repeating: 7, count: 32)
        return unsafe SecretBytes(copying: bytes.span.bytes)
    }

    func close() throws { try database.close() }

    @discardableResult
    func save(_ id: String, _ json: String, in other: Collection? = nil) throws -> Document {
        try (other ?? collection).save(document: MutableDocument(id: id, json: json))
    }

    /// The text of a property, nil without document or property.
    func text(_ id: String, _ key: String, in other: Collection? = nil) throws -> String? {
        try (other ?? collection).document(id: id)?.string(forKey: key)
    }

    /// Gives the property "t" of a document another text.
    func change(_ id: String, to text: String) throws {
        guard let document = try collection.document(id: id)?.toMutable() else { return }
        document.setString(text, forKey: "t")
        try collection.save(document: document)
    }

    func delete(_ id: String) throws {
        guard let document = try collection.document(id: id) else { return }
        try collection.delete(document: document)
    }

    @discardableResult
    func save(_ id: String, attachment: [UInt8]) throws -> Document {
        let document = MutableDocument(id: id)
        document.setBlob(Blob(contentType: "text/plain", bytes: attachment), forKey: "blob")
        return try collection.save(document: document)
    }

    func json(_ id: String) throws -> String? { try collection.document(id: id)?.toJSON() }

    func attachment(_ id: String) throws -> [UInt8]? {
        try collection.document(id: id)?.value(forKey: "blob")?.blob.map { [UInt8](try $0.content) }
    }

    /// The current revision of every document, tombstones too, to compare two databases.
    var revisions: [String: String] {
        get throws {
            var found: [String: String] = [:]
            for change in try collection.changes(since: 0, limit: .max) { found[change.id] = change.revisionID }
            return found
        }
    }

    var findings: [String] { get throws { try database.integrityFindings().map { "\($0)" } } }
}

/// Opens connections to a service of this process, and can cut and refuse them.
final class LoopDialer: Sendable {
    private struct State {
        var pipes: [MessagePipe] = []
        var refusals: [TransportError] = []
        var dialCount = 0
        var requests: [UpgradeRequest] = []
    }

    private let state = Mutex(State())
    private let serve: @Sendable (MessagePipe) async -> Void

    init(_ service: ReplicationService) { serve = { pipe in try? await service.serve(pipe) } }

    init(serve: @escaping @Sendable (MessagePipe) async -> Void) { self.serve = serve }

    var dialCount: Int { state.withLock { $0.dialCount } }

    /// Refuses the next connections.
    func refuse(_ errors: [TransportError]) { state.withLock { $0.refusals = errors } }

    func cut() {
        let pipes = state.withLock { state in
            defer { state.pipes = [] }
            return state.pipes
        }
        for pipe in pipes { pipe.cut() }
    }

    func dial(_ request: UpgradeRequest) async throws(TransportError) -> any MessageConnection {
        let refusal = state.withLock { state in
            state.dialCount += 1
            return state.refusals.isEmpty ? nil : state.refusals.removeFirst()
        }
        if let refusal { throw refusal }
        let (ours, theirs) = MessagePipe.pair(info: ConnectionInfo(subprotocol: request.subprotocols[0]))
        state.withLock { $0.pipes.append(ours) }
        Task { await self.serve(theirs) }
        return ours
    }
}

/// A client and a server database with a service between them.
struct SyncPair: Sendable {
    let client: SyncDatabase
    let server: SyncDatabase
    let dialer: LoopDialer
    let service: ReplicationService

    init(readOnly: Bool = false, time: ManualTime? = nil) throws {
        try self.init(client: SyncDatabase(time: time), server: SyncDatabase(), readOnly: readOnly)
    }

    init(client: SyncDatabase, server: SyncDatabase, readOnly: Bool = false, deltas: Bool = true) throws {
        (self.client, self.server) = (client, server)
        var configuration = ServiceConfiguration(collections: [server.collection])
        configuration.readOnly = readOnly
        configuration.enableDeltaSync = deltas
        service = try ReplicationService(configuration)
        dialer = LoopDialer(service)
    }

    static func target(_ name: String = "db") throws -> EndpointURL { try EndpointURL("ws://127.0.0.1:4984/\(name)") }

    func replicator(_ change: (inout ReplicatorConfiguration) -> Void = { _ in }) throws -> Replicator {
        var configuration = ReplicatorConfiguration(collections: [client.collection], target: try Self.target())
        configuration.maxAttemptWaitTime = .milliseconds(5)
        configuration.logger = .silent
        change(&configuration)
        return try Replicator(configuration, dialing: dialer.dial)
    }
}

extension ReplicationListener {
    /// Starts at a port that a listener of this process has just left. A process that another test is starting at that moment
    /// has the old socket too, until its own program runs.
    func startWhereOneWas() async throws {
        let started = try await eventually {
            do {
                try await start()
                return true
            } catch let error as ReplicatorError where error.code == .connection(.addressUnavailable) {
                return false
            }
        }
        try #require(started)
    }
}

extension Replicator {
    /// Waits until nobody listens any more at the target, whose listener has stopped and whose port is held. A process that
    /// another test is starting at that moment has the old socket too, until its own program runs.
    func waitUntilRefused() async throws {
        var configuration = configuration
        configuration.continuous = false
        configuration.maxAttempts = 1
        configuration.logger = .silent
        let attempt = try Replicator(configuration)
        await eventually("a refused connection") {
            _ = try? await attempt.run()
            return attempt.status.error?.code == .connection(.connectionRefused)
        }
    }
}

/// A list of events that listeners append to.
final class Notes<Element: Sendable>: Sendable {
    private let state = Mutex<[Element]>([])
    var all: [Element] { state.withLock { $0 } }
    func add(_ element: Element) { state.withLock { $0.append(element) } }
}
