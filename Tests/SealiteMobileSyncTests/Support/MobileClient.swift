import SealiteDatabase
import SealiteMongo
import SealiteRevisions
import SealiteTestSupport
import SealiteValues
import Synchronization
import Testing

@testable import SealiteMobileSync

/// The events and errors that a client received.
final class Told: Sendable {
    private struct State {
        var events: [ChangeEvent<MongoDocument>] = []
        var listener: (@Sendable (ChangeEvent<MongoDocument>) async -> Void)?
        var errors: [(error: MobileSyncError, id: BSON?)] = []
        var conflicts: [(local: ChangeEvent<MongoDocument>, remote: ChangeEvent<MongoDocument>)] = []
    }

    private let state = Mutex(State())

    var events: [ChangeEvent<MongoDocument>] { state.withLock { $0.events } }
    var errors: [(error: MobileSyncError, id: BSON?)] { state.withLock { $0.errors } }
    var conflicts: [(local: ChangeEvent<MongoDocument>, remote: ChangeEvent<MongoDocument>)] {
        state.withLock { $0.conflicts }
    }

    func add(_ event: ChangeEvent<MongoDocument>) async {
        let listener = state.withLock { state in
            state.events.append(event)
            return state.listener
        }
        await listener?(event)
    }

    /// Calls a listener with each event.
    func onEvent(_ listener: @escaping @Sendable (ChangeEvent<MongoDocument>) async -> Void) {
        state.withLock { $0.listener = listener }
    }

    func add(_ error: MobileSyncError, _ id: BSON?) { state.withLock { $0.errors.append((error, id)) } }
    func add(_ local: ChangeEvent<MongoDocument>, _ remote: ChangeEvent<MongoDocument>) {
        state.withLock { $0.conflicts.append((local, remote)) }
    }

    /// The events since the last call.
    func takeEvents() -> [ChangeEvent<MongoDocument>] {
        state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
    }
}

/// A database with a collection whose documents are synced one by one.
struct MobileClient: Sendable {
    let database: Database
    let collection: MongoCollection<MongoDocument>
    let told = Told()

    init(
        _ folder: TestFolder, _ name: String = "client",
        _ configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws {
        database = try folder.database(name, configuration)
        collection = try MongoStore(database).collection("docs")
    }

    var sync: SyncedCollection<MongoDocument> { collection.sync }
    var mobile: MobileSync { MobileSync.of(database) }
    var documents: SyncedDocuments { SyncedDocuments(collection.collection) }

    typealias Handler =
        @Sendable (ChangeEvent<MongoDocument>, ChangeEvent<MongoDocument>) async throws -> MongoDocument?

    func configure(_ handler: @escaping Handler) async throws {
        let told = told
        try await sync.configure { _, local, remote in
            told.add(local, remote)
            return try await handler(local, remote)
        } changeEventDelegate: { _, event in
            await told.add(event)
        } errorListener: { error, id in
            told.add(error, id)
        }
    }

    /// Waits until all that is stored was told.
    func settle() async throws {
        await mobile.settle()
    }

    func close() async throws {
        await mobile.stop()
        try await database.close()
    }

    /// The documents by their ids.
    func all() async throws -> [String: MongoDocument] {
        var found: [String: MongoDocument] = [:]
        for document in try await sync.find().toArray() {
            let id: BSON = document["_id"] ?? .null
            found["\(id)"] = document
        }
        return found
    }

    /// The revision that deleted a document in this database and that the remote must have; nil while a later deletion waits.
    func sentTombstone(of id: BSON) async throws -> RevisionID? {
        let key = try DocumentKey.text(of: id)
        return try await database.read {
            guard try documents.record(key)?.pending == nil,
                let revision = try collection.collection.revisions(id: key).first, revision.isDeleted
            else { return nil }
            return revision.id
        }
    }

    /// Returns the contradictions among documents, records and events.
    func contradictions() async throws -> [String] {
        var found: [String] = []
        // All of one state of the database, which goes on changing.
        let (there, records, events, space) = try await database.read {
            var there: Set<String> = []
            try collection.collection.forEachDocument { there.insert($0.id) }
            return (there, try documents.records(), try documents.events(limit: .max), try documents.space())
        }
        for id in there.subtracting(records.map(\.id)) { found.append("\(id) is here and not synced") }
        for (id, record) in records {
            let isThere = there.contains(id)
            switch record.pending {
            case .delete: if isThere { found.append("\(id) is deleted, and here") }
            case .insert, .update, .replace: if !isThere { found.append("\(id) is to be sent, and not here") }
            case nil: break
            }
        }
        if let first = events.first, let space, first.number < space.firstEvent { found.append("an event was told") }
        if let last = events.last, let space, last.number >= space.nextEvent { found.append("an event has no number") }
        return found
    }
}
