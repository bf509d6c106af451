internal import GRDB
public import SealiteRevisions

extension Collection {
    /// Returns the row of a document or tombstone, with its revision tree; nil if there is none.
    func revisionRecord(_ id: String, _ connection: GRDB.Database) throws -> RevisionRecord? {
        try connection.first(sql.selectAll, id) { try RevisionRecord($0.head(), body: $0.bytes(at: 5)) }
    }

    /// Returns the stored revisions of a document, the current revision first; in a database of version vectors also
    /// the versions that the current revision descends from, the latest version of each source. Empty if there is
    /// neither such a document nor its tombstone.
    public func revisions(id: String) throws -> [RevisionInfo] {
        guard let record = try database.reading({ try self.revisionRecord(id, $0) }) else { return [] }
        let known = record.tree.nodes.enumerated().map { index, node in
            RevisionInfo(
                id: node.id, parent: node.parent.map { record.tree.nodes[$0].id }, isCurrent: index == 0,
                isDeleted: node.flags.contains(.deleted), isConflict: node.flags.contains(.conflict),
                hasBody: record.body(at: index) != nil)
        }
        guard record.tree.hasVersions else { return known }
        var ids = Set(known.map(\.id))
        return known
            + record.tree.history(at: 0).ids.filter { ids.insert($0).inserted }.map {
                RevisionInfo(
                    id: $0, parent: nil, isCurrent: false, isDeleted: false, isConflict: false, hasBody: false)
            }
    }

    /// Returns the document in the state of a stored revision; nil if the revision isn't known or its properties aren't
    /// stored.
    public func document(id: String, revision: RevisionID) throws -> Document? {
        guard let record = try database.reading({ try self.revisionRecord(id, $0) }),
            let index = record.tree.index(of: revision), let body = record.body(at: index)
        else { return nil }
        let flags: RowFlags = record.tree.nodes[index].flags.contains(.deleted) ? .deleted : []
        return Document(
            id: id, collection: self, sequence: record.sequence, flags: flags, revision: revision, body: body)
    }

    /// Returns the ids of at most `limit` documents with a conflict that waits for resolution, in the order of the
    /// documents' last changes.
    public func conflictedDocumentIDs(limit: Int = 1000) throws -> [String] {
        try database.reading {
            try $0.rows("SELECT id FROM \(self.sql.table) WHERE flags & 2 ORDER BY sequence LIMIT ?1", limit) {
                $0.text(at: 0)
            }
        }
    }

    // MARK: - What a peer has

    /// Returns the id of the revision of a document that is known to be the current one at the remote with a number;
    /// nil if none is known.
    package func remoteRevision(id: String, remote: Int) throws -> RevisionID? {
        try database.reading { try self.treeRecord(id, $0) }?.tree.revision(ofRemote: remote)?.id
    }

    /// Records that a stored revision of a document is the current one at the remote with a number.
    ///
    /// - Returns: false if the document or the revision isn't stored.
    @discardableResult
    package func setRemoteRevision(id: String, revision: RevisionID, remote: Int) throws -> Bool {
        try database.writer.perform(database) { transaction in
            guard var record = try self.treeRecord(id, transaction.connection),
                let index = record.tree.index(of: revision)
            else { return false }
            if record.tree.remotes[remote] == index { return true }
            record.tree.setRemote(remote, to: index)
            record.tree.prune(depth: self.database.configuration.maximumRevisionDepth)
            try transaction.updateTree(record, of: id, in: self)
            if index == 0 { try transaction.noteSent(id, to: remote, in: self) }
            return true
        }
    }

    /// Returns the ids of a revision's ancestors, newest first and without the revision itself, up to and including the
    /// first one in `known`, the revisions that a peer has; of all stored ancestors if none is in `known`. The result
    /// has at most `limit` ids, and the common ancestor is always the last one. A generation in between whose revision
    /// was pruned is represented by an id that no revision has. Empty for a version of a version vector, which has no
    /// line of ancestors.
    ///
    /// - Throws: `notFound` if the document doesn't exist or doesn't have the revision.
    package func revisionHistory(
        id: String, revision: RevisionID, knownToPeer known: Set<RevisionID> = [], limit: Int = 50
    ) throws -> [RevisionID] {
        guard let record = try database.reading({ try self.revisionRecord(id, $0) }),
            let index = record.tree.index(of: revision)
        else { throw DatabaseError(.notFound, "there is no document \"\(id)\" with the revision \(revision)") }
        return record.tree.history(of: index, knownToPeer: known, limit: limit)
    }

    /// Returns the ids of at most `limit` stored revisions of a document whose generations are lower than that of
    /// `revision`, a revision that a peer has announced. The peer may send a delta from one of them, or end the history
    /// that it sends at one. The revision that the remote was known to have is the first; the others follow by
    /// descending generation.
    package func possibleAncestors(id: String, of revision: RevisionID, remote: Int?, limit: Int = 10) throws
        -> [RevisionID]
    {
        let record = try database.reading { try self.treeRecord(id, $0) }
        return record?.tree.possibleAncestors(of: revision, remote: remote, limit: limit) ?? []
    }
}

extension RevisionTree {
    /// Returns the ids of the ancestors of the revision at an index of `nodes`, newest first, up to and including the
    /// first one that the peer has; see `Collection.revisionHistory`.
    func history(of index: Int, knownToPeer known: Set<RevisionID>, limit: Int) -> [RevisionID] {
        var line: [RevisionID] = []
        var generation = nodes[index].id.generation
        for ancestor in ancestors(of: index) {
            let id = nodes[ancestor].id
            while generation - 1 > id.generation {
                generation -= 1
                line.append(Self.faded(generation))
            }
            line.append(id)
            generation = id.generation
            if known.contains(id) {
                // A history is useful only with the common ancestor, which is therefore kept as its last item.
                return line.count <= limit ? line : Array(line.prefix(max(limit - 1, 0))) + [id]
            }
        }
        return Array(line.prefix(limit))
    }

    /// Returns an id that stands for a pruned revision of a generation, and that no revision has.
    private static func faded(_ generation: UInt32) -> RevisionID {
        RevisionID(generation: generation, digest: .bytes(0xFADE_D000_0000_0000, 0, 0, count: 20))
    }
}

/// Information about one revision of a document.
public struct RevisionInfo: Sendable, Hashable {
    /// The revision's id.
    public let id: RevisionID
    /// The id of the parent revision; nil if no older revision is stored, and for each revision of a document with
    /// version vectors.
    public let parent: RevisionID?
    /// A Boolean value that says whether this is the document's current revision.
    public let isCurrent: Bool
    /// A Boolean value that says whether the revision is a tombstone.
    public let isDeleted: Bool
    /// A Boolean value that says whether the revision is the leaf of a branch with a conflict that waits for
    /// resolution.
    public let isConflict: Bool
    /// A Boolean value that says whether the revision's properties are still stored.
    public let hasBody: Bool
}

/// A document's row and revision tree, which are read together to be changed.
struct RevisionRecord {
    /// The columns of the row besides the body; nil for a document that isn't stored yet.
    var head: DocumentHead?
    var flags: RowFlags
    var body: [UInt8]?
    var tree: RevisionTree

    /// The sequence of the current revision; 0 for a document that isn't stored yet.
    var sequence: Int64 { head?.sequence ?? 0 }

    /// Returns whether the document is a tombstone that a peer has pulled, if the peer has pulled all changes through a
    /// sequence.
    func isTombstone(through sequence: UInt64) -> Bool {
        flags.contains(.deleted) && UInt64(clamping: self.sequence) <= sequence
    }

    /// The JSONB body of the current revision: an empty object if the row has no body.
    var currentBody: [UInt8] { body ?? Document.emptyBody }

    /// Returns the JSONB body of the revision at an index of the tree; nil if it isn't stored. The current revision, at
    /// index 0, always has one.
    func body(at index: Int) -> [UInt8]? {
        if index == 0 { return currentBody }
        return tree.nodes[index].body ?? tree.bases.body(of: tree.nodes[index].id, current: currentBody)
    }

    /// Returns the document in the state of its current revision, also if that is a tombstone.
    func current(_ id: String, in collection: Collection) -> Document {
        Document(
            id: id, collection: collection, sequence: sequence, flags: flags, revision: tree.current.id,
            body: currentBody)
    }
}

extension RevisionRecord {
    /// Creates a record from the columns of a document's row, and parses the revision tree in them.
    ///
    /// - Throws: `corruptData` if the tree is damaged.
    init(_ head: DocumentHead, body: [UInt8]?) throws(DatabaseError) {
        let tree = try RevisionTree(
            stored: head.tree, current: head.revision, isDeleted: head.flags.contains(.deleted))
        self.init(head: head, flags: head.flags, body: body, tree: tree)
    }
}

/// The resolution of a conflict. In all cases, the remote's revision stays in the document's history: any resolution
/// except `remote` is a new revision, which descends from the remote's and is pushed like an ordinary change.
public enum Resolution: Sendable {
    /// The remote's version of the document wins, also if it is a deletion.
    case remote
    /// The local version of the document wins, also if it is a deletion.
    case local
    /// The document gets these properties, for example a merge of both versions. The id must be that of the document in
    /// conflict.
    case merged(MutableDocument)
    /// The document is deleted.
    case deleted
}
