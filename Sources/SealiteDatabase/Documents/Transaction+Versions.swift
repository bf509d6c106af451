internal import SealiteRevisions

// Changes of documents in a database of version vectors (Documentation/DocumentFormat.md §4.3).
extension Transaction {
    /// Checks the body of a new document, and returns the document's first version.
    func makeVersion(_ change: Change, in collection: Collection) throws -> RevisionID {
        try digester.check(body: change.body, byteLimit: database.configuration.maximumDocumentByteCount)
        let purged = try purgedTime(of: change.id, in: collection)
        return RevisionID(try withVersionStamp { try $0.next(after: purged) })
    }

    /// Returns the version that follows the current one, the new value of the column `tree` (nil if the row's other
    /// columns determine the tree), and whether that column is known to contain no bodies.
    func advancedVersions(
        _ head: DocumentHead, _ change: Change, in collection: Collection
    ) throws -> (revision: RevisionID, tree: [UInt8]?, isLine: Bool) {
        try digester.check(body: change.body, byteLimit: database.configuration.maximumDocumentByteCount)
        if head.tree == nil, let version = head.revision.version {
            let history = VersionHistory(VersionVector(version))
            let next = try withVersionStamp { try $0.next(after: history) }
            // The tree column of a document that one source alone has written is NULL.
            if next.source == version.source { return (RevisionID(next), nil, true) }
            return try advanced(head, next, change, in: collection)
        }
        return try advanced(head, nil, change, in: collection)
    }

    private func advanced(
        _ head: DocumentHead, _ version: SourceVersion?, _ change: Change, in collection: Collection
    ) throws -> (revision: RevisionID, tree: [UInt8]?, isLine: Bool) {
        var tree = try RevisionTree(
            stored: head.tree, current: head.revision, isDeleted: head.flags.contains(.deleted))
        let history = tree.history(at: 0)
        let version = try version ?? withVersionStamp { try $0.next(after: history) }
        tree.advance(
            to: history.changed(to: version), id: RevisionID(version), flags: change.isDeleted ? .deleted : [],
            replacedBody: tree.remotes.values.contains(0) ? try body(head, in: collection) : nil)
        return (RevisionID(version), tree.stored, false)
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
        guard let stored = try database.localValue(store: store, name: id)?.value, stored.count == 8 else { return nil }
        return HybridTime(rawValue: stored.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Removes what was recorded of a collection's purged documents, with the collection, and advances the clock past all
    /// times of its documents: it can be created again.
    func forgetPurgedVersions(in collection: Collection) throws {
        guard database.versioning == .vectors else { return }
        try withVersionStamp { $0.clock.passAheadTimes() }
        try connection.removeLocalValues(Self.purgedVersions + String(collection.number))
    }
}

extension UInt64 {
    fileprivate var bigEndianBytes: [UInt8] {
        stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}
