package import SealiteRevisions

/// An incoming revision whose IDs and body were read, so that a revision tree, or a version vector, can take it.
package struct TreeRevision: Sendable {
    package let incoming: IncomingRevision
    package let id: RevisionID
    /// The ancestors in a tree, newest first.
    let history: [RevisionID]
    /// The history: a vector, or the revision of a tree and its ancestors.
    let versions: VersionHistory
    /// The properties in JSONB.
    let body: [UInt8]

    /// Takes a revision with its body, which was read already.
    ///
    /// - Throws: `badRevisionID` when the revision and its ancestors are neither of a revision tree nor a version vector.
    package init(_ incoming: IncomingRevision, body: ReplicatedBody) throws(DatabaseError) {
        guard let id = incoming.version.id else {
            throw DatabaseError(.badRevisionID, "the revision id is invalid")
        }
        let history = incoming.history.compactMap(\.revisionID)
        if id.version == nil {
            guard history.count == incoming.history.count else {
                throw DatabaseError(.badRevisionID, "a revision id of the history is invalid")
            }
            self.history = history
            versions = VersionHistory(id, ancestors: history)
        } else {
            do throws(VersionError) {
                versions = try VersionHistory(
                    version: incoming.version.text, history: incoming.history.map(\.text).joined(separator: ",")
                ).bounded()
            } catch {
                throw DatabaseError(.badRevisionID, error.description)
            }
            self.history = []
        }
        (self.incoming, self.id, self.body) = (incoming, id, body.stored)
    }
}

/// The way in which a conflict ends.
package enum ConflictResolution: Sendable {
    /// The peer's revision becomes current as it is.
    case remote
    /// A new revision of the peer's branch with these properties, in JSON text, becomes current.
    case merged(json: [UInt8])
    /// As `merged`, with the properties of the local revision.
    case local
    /// A tombstone on the peer's branch becomes current.
    case deleted
}

extension Collection {
    /// Inserts a revision with its history, as the peer made it.
    ///
    /// - Parameters:
    ///   - incoming: the revision.
    ///   - remote: the remote that it comes from, which then has it as its current one; nil for none.
    /// - Returns: the outcome.
    /// - Throws: `invalidJSON` when the body isn't a JSON object, `badDocumentID`, `badRevisionID` when the history does not go
    ///   down in generations, `documentTooLarge`.
    @discardableResult
    package func insert(_ incoming: IncomingRevision, remote: Int? = nil) throws -> RevisionOutcome {
        let revision = try TreeRevision(incoming, body: ReplicatedBody(json: incoming.body))
        try check(revision)
        return try database.writer.perform(database) { try $0.insert(revision, remote: remote, in: self) }
    }

    /// Checks what the database asks of a revision before it takes it.
    ///
    /// - Throws: as `insert`.
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
                .documentTooLarge, "a revision of \(revision.body.count) bytes passes the limit of \(limit)")
        }
    }

    /// Ends a conflict in the way of revision trees: the peer's branch goes on, so that its history stays a prefix of ours,
    /// and the local branch is removed.
    ///
    /// - Parameters:
    ///   - id: the document's id.
    ///   - revision: the leaf of the branch that conflicts.
    ///   - expected: the current revision that the resolution was made for; nil for whatever it is.
    ///   - resolution: what becomes current.
    /// - Returns: the document as it is now.
    /// - Throws: `notFound` when the document has no such conflict (any more), `conflict` when the document's current
    ///   revision isn't `expected` any more.
    @discardableResult
    package func resolveConflict(
        id: String, revision: RevisionID, expecting expected: RevisionID?, resolution: ConflictResolution
    ) throws -> Document {
        try database.writer.perform(database) { transaction in
            guard var record = try self.revisionRecord(id, transaction.connection),
                let index = record.tree.index(of: revision), record.tree.nodes[index].flags.contains(.conflict)
            else { throw DatabaseError(.notFound, "the document \"\(id)\" has no conflict with revision \(revision)") }
            if let expected, record.tree.current.id != expected {
                throw DatabaseError(.conflict, "the document \"\(id)\" was changed while its conflict was resolved")
            }
            let winner = try transaction.resolve(&record, index, resolution)
            if case .merged = resolution { transaction.noteMerge(winner, id: id, in: self) }
            return try transaction.save(record, id: id, body: winner, in: self)
        }
    }
}
