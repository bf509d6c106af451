internal import GRDB

/// A collection as it looks to the replication with one remote: what changed here, what the remote is known to have, and
/// what becomes of revisions that come from it.
///
/// Its methods block. Each is one transaction or reads one state of the database.
package struct PeerView: Sendable {
    package let collection: Collection
    /// The remote's number (`Database.remoteNumber`); nil where nothing is remembered of the peer, as of those that a
    /// listener serves.
    package let remote: Int?

    package init(collection: Collection, remote: Int?) {
        self.collection = collection
        self.remote = remote
    }
}

/// The current revision of a document that changed.
package struct PeerChange: Sendable, Hashable {
    package let sequence: UInt64
    package let id: String
    package let revision: RevisionID
    package let isDeleted: Bool
    /// Whether a branch of it waits for a conflict's resolution.
    package let hasConflict: Bool
    /// Whether its time to be purged has come.
    package let isExpired: Bool
    /// The revision that the remote is known to have as its current one.
    package let remoteRevision: RevisionID?
    package let bodyByteCount: Int
}

/// A revision to send, or why there is none.
package enum PeerRevision: Sendable {
    /// `references` has the digests of blobs to which it refers, each as often as it does.
    case found(
        revision: RevisionID, history: [RevisionID], isDeleted: Bool, json: [UInt8], references: [BlobDigest])
    /// There is no such document.
    case missing
    /// Another revision is current.
    case obsolete
}

extension PeerView {
    /// The changes after a sequence, in order, at most `limit`.
    package func changes(after sequence: UInt64, limit: Int, includingDeleted: Bool = true) throws -> [PeerChange] {
        try collection.database.reading { connection in
            let statement = try PreparedStatement(
                connection,
                """
                SELECT \(Self.changeColumns) FROM \(self.collection.sql.table)
                WHERE sequence > ?1 \(includingDeleted ? "" : "AND +number > 0") ORDER BY sequence LIMIT ?2
                """)
            statement.bind(Int64(clamping: sequence), at: 1)
            statement.bind(Int64(limit), at: 2)
            let now = Milliseconds.now
            var changes: [PeerChange] = []
            while try statement.step() {
                // Without a remote nobody asks for the tree.
                changes.append(try listed(statement, remote == nil ? nil : try tree(statement), at: now))
            }
            return changes
        }
    }

    /// A document as `changes` lists it, with its tree; nil when there is none. The body isn't read.
    private func changeWithTree(id: String) throws -> (change: PeerChange, tree: RevisionTree)? {
        try collection.database.reading { connection in
            let statement = try PreparedStatement(
                connection, "SELECT \(Self.changeColumns) FROM \(self.collection.sql.table) WHERE id = ?1")
            statement.bind(id, at: 1)
            guard try statement.step() else { return nil }
            let tree = try self.tree(statement)
            return (try listed(statement, tree, at: Milliseconds.now), tree)
        }
    }

    private static let changeColumns = "sequence, id, flags, revision, tree, length(body), expires"

    private func tree(_ statement: borrowing PreparedStatement) throws -> RevisionTree {
        try RevisionTree(
            stored: statement.bytes(at: 4), current: statement.revision(at: 3),
            isDeleted: RowFlags(rawValue: statement.int64(at: 2)).contains(.deleted))
    }

    /// The change in a row of `changeColumns`.
    private func listed(
        _ statement: borrowing PreparedStatement, _ tree: RevisionTree?, at now: Int64
    ) throws -> PeerChange {
        let flags = RowFlags(rawValue: statement.int64(at: 2))
        return PeerChange(
            sequence: UInt64(statement.int64(at: 0)), id: statement.text(at: 1),
            revision: try statement.revision(at: 3),
            isDeleted: flags.contains(.deleted), hasConflict: flags.contains(.conflicted),
            isExpired: statement.optionalInt64(at: 6).map { $0 <= now } ?? false,
            remoteRevision: remote.flatMap { tree?.revision(ofRemote: $0)?.id },
            bodyByteCount: Int(statement.int64(at: 5)))
    }

    /// One document as `changes` lists it; nil when there is none.
    package func change(id: String) throws -> PeerChange? { try changeWithTree(id: id)?.change }

    /// A document's revision with its body and its history as a peer wants it (see `Collection.revisionHistory`). With
    /// `allowsCurrent` the current revision may be given in place of another one, with `listsAttachments` blobs are listed in
    /// `_attachments` too.
    package func revision(
        id: String, _ revision: RevisionID?, allowsCurrent: Bool, knownToPeer known: Set<RevisionID>, limit: Int,
        listsAttachments: Bool
    ) throws -> PeerRevision {
        guard let record = try collection.database.reading({ try self.collection.revisionRecord(id, $0) }) else {
            return .missing
        }
        guard record.tree.current.id == revision || allowsCurrent else { return .obsolete }
        let body = record.body ?? Document.emptyBody
        var json = try JSONSerializer.text(of: body)
        if listsAttachments, record.flags.contains(.hasBlobs) {
            json = try ReplicatedBody.listingAttachments(body, generation: record.tree.current.id.generation) ?? json
        }
        return .found(
            revision: record.tree.current.id,
            history: record.tree.history(of: 0, knownToPeer: known, limit: limit),
            isDeleted: record.flags.contains(.deleted), json: json,
            references: record.flags.contains(.hasBlobs) ? BodyScanner.blobReferences(body) : [])
    }
}

// MARK: - Proposals

/// What becomes of a proposed revision.
package enum ProposalVerdict: Sendable, Hashable {
    case wanted
    /// It is there.
    case known
    /// It does not descend from the current revision, which is named.
    case conflict(current: RevisionID)
}

/// What to do about a revision that the peer refused because it has another one.
package enum ReproposalVerdict: Sendable {
    /// The document's current revision is to be proposed with this ancestor.
    case propose(PeerChange, ancestor: RevisionID)
    /// Nothing is to be sent any more.
    case unnecessary
    case conflict
}

extension PeerView {
    /// Whether a revision that a peer proposes fits.
    package func decide(
        id: String, _ revision: RevisionID?, serverRevision: RevisionID?
    ) throws -> ProposalVerdict {
        guard let record = try collection.database.reading({ try self.collection.treeRecord(id, $0) }) else {
            return .wanted
        }
        let current = record.tree.current.id
        if let revision, record.tree.index(of: revision) != nil { return .known }
        if let serverRevision, serverRevision == current { return .wanted }
        if serverRevision == nil, record.flags.contains(.deleted) { return .wanted }
        return .conflict(current: current)
    }

    /// Whether a change that the peer refused as a conflict can be proposed with another ancestor.
    ///
    /// - Parameters:
    ///   - id: the document's id.
    ///   - ancestor: the ancestor with which the change was proposed.
    ///   - serverRevision: the revision that the peer named as its current one.
    ///   - isReoffered: whether the change was proposed whatever the remote is known to have, since that may have lost it.
    /// - Returns: what to do.
    /// - Throws: what reading and writing throw.
    package func reconsider(
        id: String, refused ancestor: RevisionID?, serverRevision: RevisionID?, isReoffered: Bool = false
    ) throws -> ReproposalVerdict {
        guard let (change, tree) = try changeWithTree(id: id) else { return .unnecessary }
        let (known, current) = (change.remoteRevision, change.revision)
        if known == current, !isReoffered { return .unnecessary }
        if let serverRevision, serverRevision == current {
            if let remote { try collection.setRemoteRevision(id: id, revision: current, remote: remote) }
            return .unnecessary
        }
        for candidate in [serverRevision, known] {
            guard let candidate, candidate != ancestor, let index = tree.index(of: candidate),
                tree.isAncestor(index, of: 0)
            else { continue }
            return .propose(change, ancestor: candidate)
        }
        // The remote had this revision, and has gone on to one that is not here yet. Nothing is unsent.
        if known == current, let serverRevision, serverRevision.generation > current.generation,
            tree.index(of: serverRevision) == nil
        {
            return .unnecessary
        }
        return .conflict
    }
}
