package import SealiteRevisions

extension Collection {
    /// Inserts a revision that a peer sent, and the ancestors that its history names.
    ///
    /// - Parameters:
    ///   - incoming: the revision.
    ///   - remote: the number of the remote that sent the revision, for which the revision is recorded as the current
    ///     one; nil to record nothing.
    /// - Returns: `inserted`, `resurrected`, `known`, `conflict` or `conflictRefused`.
    /// - Throws: `invalidJSON` if the body isn't a JSON object, `badDocumentID`, `badRevisionID` if a revision id is
    ///   invalid, if a database of revision trees gets a version of a version vector, if a version's time isn't
    ///   plausible, or if the generations of the history don't descend, `documentTooLarge`.
    @discardableResult
    package func insert(_ incoming: IncomingRevision, remote: Int? = nil) throws -> RevisionOutcome {
        let revision = try TreeRevision(incoming)
        try check(revision)
        return try database.writer.perform(database) { try $0.insert(revision, remote: remote, in: self) }
    }

    /// Checks whether the database accepts a revision from a peer: its document id, the kind and the order of its
    /// revision ids, and the size of its body.
    ///
    /// - Throws: `badDocumentID`, `badRevisionID`, `documentTooLarge`.
    func check(_ revision: TreeRevision) throws {
        try Names.checkID(revision.incoming.documentID)
        guard revision.id.version == nil || database.versioning == .vectors else {
            throw DatabaseError(
                .badRevisionID,
                "the received revision \(revision.id) is a version of a version vector, but this database uses revision trees",
                hint: "upgrade this database to version vectors")
        }
        let line = [revision.id] + revision.history
        guard zip(line, line.dropFirst()).allSatisfy({ $0.generation > $1.generation }) else {
            throw DatabaseError(
                .badRevisionID,
                "the history of the received revision \(revision.id) is invalid: the generations of its ancestors don't decrease"
            )
        }
        let limit = database.configuration.maximumDocumentByteCount
        // The text of a body has at most six bytes for each byte of JSONB, as for a control character or an item false.
        guard revision.body.count > limit / 6 else { return }
        let byteCount = try JSONSerializer.text(of: revision.body).count
        guard byteCount <= limit else {
            throw DatabaseError(
                .documentTooLarge,
                "the body of the received revision \(revision.id) has \(byteCount) bytes of JSON, more than the limit of \(limit)"
            )
        }
    }

    /// Resolves a conflict between a document's current revision and a peer's revision. The peer's revision becomes the
    /// current one or its ancestor, so that the peer accepts the result, and the local branch is removed.
    ///
    /// - Parameters:
    ///   - id: the document's id.
    ///   - revision: the id of the peer's revision, the leaf of the conflicting branch.
    ///   - expected: the id of the current revision that the caller has seen; nil to accept any.
    ///   - resolution: which side wins, or the merged properties.
    /// - Returns: the resolved document.
    /// - Throws: `notFound` if the document doesn't have such a conflict, or no longer has it, `conflict` if the
    ///   document's current revision isn't `expected`, `invalidParameter` if the merged document has a blob whose
    ///   content doesn't exist, has a reserved name, or can't be written as JSON, `documentTooLarge`.
    @discardableResult
    package func resolveConflict(
        id: String, revision: RevisionID, expecting expected: RevisionID?, resolution: Resolution
    ) throws -> Document {
        if case .merged(let document) = resolution { try storeMergedBlobs(document) }
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

    private func storeMergedBlobs(_ merged: MutableDocument) throws {
        for blob in merged.editedBlobs {
            do {
                try database.saveBlob(blob: blob)
            } catch let error as DatabaseError where error.code == .notFound {
                // With `notFound`, the caller would assume that the conflict has ended.
                throw DatabaseError(
                    .invalidParameter, "a blob of the merged document can't be stored: \(error.reason)",
                    hint: error.hint, underlying: error)
            }
        }
    }
}
