package import SealiteRevisions

extension Collection {
    /// Inserts a revision of a peer with its history.
    ///
    /// - Parameters:
    ///   - incoming: the revision.
    ///   - remote: the remote that sent the revision, which becomes the remote's recorded current revision; nil to
    ///     record none.
    /// - Returns: the outcome.
    /// - Throws: `invalidJSON` if the body isn't a JSON object, `badDocumentID`, `badRevisionID` if the generations of
    ///   the history don't descend, `documentTooLarge`.
    @discardableResult
    package func insert(_ incoming: IncomingRevision, remote: Int? = nil) throws -> RevisionOutcome {
        let revision = try TreeRevision(incoming)
        try check(revision)
        return try database.writer.perform(database) { try $0.insert(revision, remote: remote, in: self) }
    }

    /// Checks the database's requirements for a revision.
    ///
    /// - Throws: the errors of `insert`.
    func check(_ revision: TreeRevision) throws {
        try Names.checkID(revision.incoming.documentID)
        guard revision.id.version == nil || database.versioning == .vectors else {
            throw DatabaseError(.badRevisionID, "the revision id is not of a revision tree")
        }
        let line = [revision.id] + revision.history
        guard zip(line, line.dropFirst()).allSatisfy({ $0.generation > $1.generation }) else {
            throw DatabaseError(.badRevisionID, "the history of revision \(revision.id) is not in order")
        }
        let limit = database.configuration.maximumDocumentByteCount
        guard revision.body.count <= limit else {
            throw DatabaseError(
                .documentTooLarge, "a revision of \(revision.body.count) bytes exceeds the limit of \(limit)")
        }
    }

    /// Resolves a conflict in the revision tree: the peer's branch is continued, so that its history stays a prefix of
    /// the local one, and the local branch is removed.
    ///
    /// - Parameters:
    ///   - id: the document's id.
    ///   - revision: the leaf of the conflicting branch.
    ///   - expected: the local revision that the resolution takes into account; nil to accept any.
    ///   - resolution: the revision that becomes current.
    /// - Returns: the resolved document.
    /// - Throws: `notFound` if the document doesn't have such a conflict, or no longer has it, `conflict` if the
    ///   document's current revision isn't `expected`.
    @discardableResult
    package func resolveConflict(
        id: String, revision: RevisionID, expecting expected: RevisionID?, resolution: Resolution
    ) throws -> Document {
        if case .merged(let document) = resolution {
            for blob in document.editedBlobs { try database.saveBlob(blob: blob) }
        }
        return try database.writer.perform(database) { transaction in
            guard var record = try self.revisionRecord(id, transaction.connection),
                let index = record.tree.index(of: revision), record.tree.nodes[index].flags.contains(.conflict)
            else { throw DatabaseError(.notFound, "the document \"\(id)\" has no conflict with revision \(revision)") }
            if let expected, record.tree.current.id != expected {
                throw DatabaseError(.conflict, "the document \"\(id)\" was changed while its conflict was resolved")
            }
            let theirs = record.tree.nodes[index]
            transaction.sync.theirs = (theirs.body ?? Document.emptyBody, theirs.flags.contains(.deleted))
            defer { transaction.sync.theirs = nil }
            let winner = try transaction.resolve(&record, index, resolution)
            if case .merged = resolution { transaction.noteMerge(winner, id: id, in: self) }
            return try transaction.save(record, id: id, body: winner, in: self)
        }
    }
}
