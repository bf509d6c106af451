internal import SealiteRevisions

// Changes of documents in a database of version vectors (Documentation/DocumentFormat.md §4.3).
extension Transaction {
    /// Checks the body of a new document, and returns the document's first version.
    func makeVersion(_ change: Change) throws -> RevisionID {
        try digester.check(body: change.body, byteLimit: database.configuration.maximumDocumentByteCount)
        return RevisionID(try withVersionStamp { try $0.next() })
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
}
