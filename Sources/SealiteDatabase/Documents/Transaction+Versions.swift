internal import SealiteRevisions

// Changes of documents in a database of version vectors (Documentation/DocumentFormat.md §4.3).
extension Transaction {
    /// Checks the body of a new document, and returns the document's first version.
    func makeVersion(_ change: Change, in collection: Collection) throws -> RevisionID {
        try digester.check(body: change.body, byteLimit: database.configuration.maximumDocumentByteCount)
        let purged = try purgedTime(of: change.id, in: collection)
        return RevisionID(try withVersionStamp { try $0.next(after: purged) })
    }

    /// Creates the version that follows the current one. `tree` is the column `tree` without bases.
    func advancedVersions(
        _ head: DocumentHead, _ tree: [UInt8]?, _ change: Change, in collection: Collection
    ) throws -> AdvancedTree {
        try digester.check(body: change.body, byteLimit: database.configuration.maximumDocumentByteCount)
        if tree == nil, let version = head.revision.version {
            let history = VersionHistory(VersionVector(version))
            let next = try withVersionStamp { try $0.next(after: history) }
            // The tree column of a document that one source alone has written is NULL.
            if next.source == version.source { return AdvancedTree(revision: RevisionID(next)) }
            return try advanced(head, tree, next, change)
        }
        return try advanced(head, tree, nil, change)
    }

    private func advanced(
        _ head: DocumentHead, _ tree: [UInt8]?, _ version: SourceVersion?, _ change: Change
    ) throws -> AdvancedTree {
        var tree = try RevisionTree(
            stored: tree, current: head.revision, isDeleted: head.flags.contains(.deleted))
        let history = tree.history(at: 0)
        let version = try version ?? withVersionStamp { try $0.next(after: history) }
        tree.advance(
            to: history.changed(to: version), id: RevisionID(version), flags: change.isDeleted ? .deleted : [])
        return AdvancedTree(tree)
    }

    // MARK: - Purged documents whose versions are ahead of the clock (`HybridClock`)

    // If such a document is created again, its first version must be later: a peer would take an earlier one for a
    // version that it has already.

    private static let purgedVersions = "purgedVersions/"

    /// Records the latest time that this database has given a document, which is about to be purged, if the database has
    /// given times ahead of its clock. Records that the clock has passed are removed.
    func noteVersions(ofPurged id: String, _ head: DocumentHead, in collection: Collection) throws {
        guard database.versioning == .vectors else { return }
        let (source, clock) = try withVersionStamp { ($0.source, $0.clock) }
        guard clock.hasAheadTimes else { return }
        let tree = try RevisionTree(
            stored: head.tree, current: head.revision, isDeleted: head.flags.contains(.deleted))
        let times = tree.nodes.indices.compactMap { tree.history(at: $0).vector?.time(of: source)?.rawValue }
        guard let time = times.max(), time > clock.last else { return }
        let store = Self.purgedVersions + String(collection.number)
        try connection.run(
            "DELETE FROM local_values WHERE store = ?1 AND value <= ?2", store, clock.last.bigEndianBytes)
        try database.setLocalValue(store: store, name: id, value: time.bigEndianBytes)
    }

    /// Returns the time that `noteVersions` recorded for a purged document; nil if there is none or the clock has passed
    /// all such times.
    private func purgedTime(of id: String, in collection: Collection) throws -> HybridTime? {
        guard try withVersionStamp({ $0.clock.hasAheadTimes }) else { return nil }
        let store = Self.purgedVersions + String(collection.number)
        let stored = try database.localValue(store: store, name: id)?.value
        return stored.flatMap { UInt64(bigEndianBytes: $0) }.flatMap { HybridTime(rawValue: $0) }
    }

    /// Removes what was recorded of a collection's purged documents, with the collection, and advances the clock past all
    /// times of its documents: it can be created again.
    func forgetPurgedVersions(in collection: Collection) throws {
        guard database.versioning == .vectors else { return }
        try withVersionStamp { $0.clock.passAheadTimes() }
        try connection.removeLocalValues(Self.purgedVersions + String(collection.number))
    }
}
