internal import SealiteProtocol
internal import SealiteFile
internal import SealiteDatabase

/// Resolves the conflicts of a replicator's documents, one at a time, while sessions continue.
actor ConflictWorker {
    private let collections: [CollectionConfiguration]
    private let work = Offload("replicator.conflicts")
    private let report: @Sendable (DocumentEvent, ReplicatorError?, ResolvedConflict?) -> Void
    private var queue: [Item] = []
    private var queued: Set<Item> = []
    private var running: Task<Void, Never>?
    /// The number of conflicts that were resolved since the replicator was created.
    private(set) var resolvedCount = 0

    private struct Item: Hashable {
        let collection: Int
        let documentID: String
    }

    /// The outcome of an attempt to resolve a conflict.
    private enum Attempt {
        case resolved(isDeleted: Bool, ResolvedConflict)
        /// The document changed during the attempt.
        case changed
        /// The conflict has ended without being resolved: the remote accepted the local revision, or the document was
        /// purged.
        case ended
    }

    /// The number of attempts after which the conflict of a document that keeps changing is left to the next connection
    /// or start.
    private static let attemptLimit = 20

    init(
        _ collections: [CollectionConfiguration],
        report: @escaping @Sendable (DocumentEvent, ReplicatorError?, ResolvedConflict?) -> Void
    ) {
        self.collections = collections
        self.report = report
    }

    /// Queues all conflicts in the collections that wait for resolution.
    func addExisting() async throws {
        for (index, configuration) in collections.enumerated() {
            let collection = configuration.collection
            try await work.run { try collection.noteConflicts() }
            var last: UInt64 = 0
            while true {
                let start = last
                let page = try await work.run { try collection.conflictedDocuments(after: start, limit: 1_000) }
                for item in page { add(index, item.id) }
                guard let end = page.last?.sequence else { break }
                last = end
            }
        }
    }

    /// Queues the conflict of a document, unless it is queued already.
    func add(_ collection: Int, _ documentID: String) {
        assert(collections.indices.contains(collection))
        let item = Item(collection: collection, documentID: documentID)
        guard queued.insert(item).inserted else { return }
        queue.append(item)
        if running == nil { running = Task { await self.run() } }
    }

    /// Waits until all queued conflicts are processed.
    func drain() async {
        while let running { await running.value }
    }

    private func run() async {
        assert(running != nil)
        while !queue.isEmpty {
            let items = queue
            queue = []
            for item in items {
                queued.remove(item)
                await resolve(item)
            }
        }
        assert(queued.isEmpty, "each conflict is queued once")
        running = nil
    }

    private func resolve(_ item: Item) async {
        let configuration = collections[item.collection]
        var event = DocumentEvent(collection: item.collection, documentID: item.documentID, isPush: false)
        do {
            for _ in 0..<Self.attemptLimit {
                switch try await attempt(item.documentID, configuration) {
                case .resolved(let isDeleted, let conflict):
                    event.isDeleted = isDeleted
                    resolvedCount += 1
                    return report(event, nil, conflict)
                case .changed: continue
                case .ended: return
                }
            }
            let reason =
                "the conflict isn't resolved: the document changed during each of \(Self.attemptLimit) attempts"
            report(event, ReplicatorError(.conflict, reason), nil)
        } catch {
            report(event, ReplicatorError(resolving: error), nil)
        }
    }

    /// Tries once to resolve the conflict of a document.
    ///
    /// - Throws: the errors of the resolver and of the database.
    private func attempt(_ id: String, _ configuration: CollectionConfiguration) async throws -> Attempt {
        let collection = configuration.collection
        let sides = try await work.run { try collection.conflict(id: id) }
        guard let (local, remote) = sides else { return .ended }
        var resolution = Resolution.remote
        if !local.isDeleted || !remote.isDeleted {
            resolution = try await configuration.conflictResolver.resolve(
                Conflict(
                    documentID: id, localDocument: local.isDeleted ? nil : local,
                    remoteDocument: remote.isDeleted ? nil : remote))
        }
        if case .merged(let document) = resolution, document.id != id {
            throw DatabaseError(
                .invalidParameter, "the conflict resolver returned a document with another id than \"\(id)\"")
        }
        // If the resolver deletes the document and the remote's revision is a tombstone, that tombstone becomes
        // current, and no new one is created.
        if case .deleted = resolution, remote.isDeleted { resolution = .remote }
        let chosen = resolution
        let winner: ResolvedConflict.Winner =
            switch chosen {
            case .local: .local
            case .remote: .remote
            case .merged: .merged
            case .deleted: .deleted
            }
        let (ours, theirs) = (local.currentRevisionID, remote.currentRevisionID)
        do {
            let isDeleted = try await work.run {
                try collection.resolveConflict(
                    id: id, revision: theirs, expecting: ours, resolution: chosen
                ).isDeleted
            }
            let resolved = ResolvedConflict(
                winner: winner, localRevisionID: local.revisionID, remoteRevisionID: remote.revisionID)
            return .resolved(isDeleted: isDeleted, resolved)
        } catch let error as DatabaseError where error.code == .conflict {
            return .changed
        } catch let error as DatabaseError where error.code == .notFound {
            // Either this conflict has ended, or a blob of the merged document has no content.
            let current = try await work.run { try collection.conflict(id: id)?.remote.currentRevisionID }
            guard current != theirs else { throw error }
            return .changed
        }
    }
}
