import SealiteDatabase
@testable import SealiteProtocol
@testable import SealiteProtocolTestSupport

@testable import SealiteReplicator
import SealiteRevisions

/// A collection of a sealed file.
final class SealedStore: SessionStore {
    let test: SyncDatabase
    let collection: Collection
    private let store: CollectionStore
    private let attachments: AttachmentStore
    private var observers: [() -> Void] = []

    init(_ test: SyncDatabase, _ collection: Collection, role: CollectionStore.Role, isReadable: Bool = true) {
        self.test = test
        self.collection = collection
        store = CollectionStore(collection: collection, role: role, readable: isReadable ? [collection] : [])
        attachments = AttachmentStore(database: test.database)
    }

    func perform(_ request: StoreRequest) -> StoreResult { store.perform(request) }

    func content(_ digest: BlobDigest) throws -> [UInt8]? {
        guard var reader = try attachments.reader(digest) else { return nil }
        var content: [UInt8] = []
        while case let piece = try reader.read(upTo: 65_536), !piece.isEmpty { content += piece }
        return content
    }

    func store(_ content: [UInt8], as digest: BlobDigest) throws {
        let blob = try attachments.receiver(digest, byteCount: UInt64(content.count))
        try blob.add(content)
        try blob.finish()
    }

    func observe(_ observer: @escaping () -> Void) { observers.append(observer) }

    /// Tells the session that the collection changed.
    func changed() { for observer in observers { observer() } }
}

extension SyncDatabase {
    /// Makes the collections of a recording.
    func collections(_ paths: [String]) throws -> [Collection] {
        try paths.map { path in
            let parts = path.split(separator: ".").map(String.init)
            guard path != "_default" else { return collection }
            return parts.count == 2
                ? try database.createCollection(name: parts[1], scope: parts[0])
                : try database.createCollection(name: parts[0])
        }
    }

    /// Stores a revision as a peer would have sent it.
    func seed(
        _ id: String, _ version: Version, history: [Version] = [], isDeleted: Bool = false,
        body: [UInt8] = Array("{}".utf8), remote: Int? = nil, in collection: Collection
    ) throws {
        let incoming = IncomingRevision(
            documentID: id, version: version, history: history, isDeleted: isDeleted, body: body)
        try collection.insert(incoming, remote: remote)
    }

    /// Uses up sequences, so that the next change gets this one.
    func skipSequences(to sequence: UInt64, in collection: Collection) throws {
        while try collection.lastSequence + 1 < sequence {
            try collection.save(document: MutableDocument(id: "filler"))
            try collection.purge(id: "filler")
        }
    }
}
