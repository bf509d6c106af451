/// A revision that a peer sends.
package struct IncomingRevision: Sendable {
    /// The document's id.
    package var id: String
    package var revision: RevisionID
    /// Its ancestors, newest first, as far as the peer told.
    package var history: [RevisionID]
    package var isDeleted: Bool
    /// Its properties in JSONB.
    var body: [UInt8]
    /// The remote it comes from, which then has it as its current one; nil for none.
    package var remote: Int?
    /// Whether it is kept when it conflicts with the current revision.
    package var isConflictAllowed: Bool

    /// - Throws: `invalidJSON` when the body isn't a JSON object.
    package init(
        id: String, revision: RevisionID, history: [RevisionID], isDeleted: Bool, json: [UInt8], remote: Int?,
        isConflictAllowed: Bool
    ) throws {
        self.id = id
        self.revision = revision
        self.history = history
        self.isDeleted = isDeleted
        body = json.isEmpty ? Document.emptyBody : try JSONParser.parse(json)
        self.remote = remote
        self.isConflictAllowed = isConflictAllowed
    }
}

/// What became of an incoming revision.
package enum IncomingOutcome: Sendable, Equatable {
    /// It is the current revision now.
    case inserted
    /// It is the current revision now, over a tombstone that it doesn't descend from.
    case resurrected
    /// It was known already.
    case existing
    /// It is kept as a branch that waits for resolution.
    case conflict
    /// It conflicts and was not kept.
    case refused
}

/// How a conflict is resolved.
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
    /// - Throws: `badDocumentID`, `badRevisionID` when the history does not go down in generations, `documentTooLarge`.
    @discardableResult
    package func insert(_ incoming: IncomingRevision) throws -> IncomingOutcome {
        try check(incoming)
        return try database.writer.perform(database) { try $0.insert(incoming, in: self) }
    }

    /// - Throws: as `insert`.
    func check(_ incoming: IncomingRevision) throws {
        try Names.checkID(incoming.id)
        let line = [incoming.revision] + incoming.history
        guard zip(line, line.dropFirst()).allSatisfy({ $0.generation > $1.generation }) else {
            throw DatabaseError(.badRevisionID, "the history of revision \(incoming.revision) is not in order")
        }
        let limit = database.configuration.maximumDocumentByteCount
        guard incoming.body.count <= limit else {
            throw DatabaseError(
                .documentTooLarge, "a revision of \(incoming.body.count) bytes passes the limit of \(limit)")
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
            let theirs = record.tree.nodes[index]
            transaction.sync.theirs = (theirs.body ?? Document.emptyBody, theirs.flags.contains(.deleted))
            defer { transaction.sync.theirs = nil }
            let winner = try transaction.resolve(&record, index, resolution)
            if case .merged = resolution { transaction.noteMerge(winner, id: id, in: self) }
            return try transaction.save(record, id: id, body: winner, in: self)
        }
    }
}
