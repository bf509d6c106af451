internal import GRDB
public import SealiteRevisions

/// What is known of one revision of a document.
public struct RevisionInfo: Sendable, Hashable {
    /// The revision's id.
    public let id: RevisionID
    /// The revision it was made from; nil where nothing older is remembered.
    public let parent: RevisionID?
    /// Whether it is the document's current revision.
    public let isCurrent: Bool
    /// Whether it is a tombstone.
    public let isDeleted: Bool
    /// Whether it is the leaf of a branch that waits for a conflict's resolution.
    public let isConflict: Bool
    /// Whether its properties can still be read.
    public let hasBody: Bool
}

/// A document's row and its tree, read to be changed together.
struct RevisionRecord {
    /// The row's other columns; nil for a document that isn't stored yet.
    var head: DocumentHead?
    var flags: RowFlags
    var body: [UInt8]?
    var tree: RevisionTree

    /// The sequence of the current revision; 0 for a document that isn't stored yet.
    var sequence: Int64 { head?.sequence ?? 0 }

    /// The body of a node; nil where it isn't kept.
    func body(at index: Int) -> [UInt8]? {
        index == 0 ? body ?? Document.emptyBody : tree.nodes[index].body
    }
}

extension RevisionRecord {
    /// Reads the tree of a row.
    ///
    /// - Throws: `corruptData`.
    init(_ head: DocumentHead, body: [UInt8]?) throws(DatabaseError) {
        let tree = try RevisionTree(
            stored: head.tree, current: head.revision, isDeleted: head.flags.contains(.deleted))
        self.init(head: head, flags: head.flags, body: body, tree: tree)
    }
}

extension Collection {
    /// A document with its tree, tombstones included; nil when there is none.
    func revisionRecord(_ id: String, _ connection: GRDB.Database) throws -> RevisionRecord? {
        let statement = try PreparedStatement(connection, sql.selectAll)
        statement.bind(id, at: 1)
        guard try statement.step() else { return nil }
        return try RevisionRecord(try statement.head(), body: statement.bytes(at: 5))
    }

    /// The remembered revisions of a document, the current one first; in a database of version vectors also the versions that the current one
    /// descends from, the latest of each source. None when there is no such document.
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

    /// The document as a remembered revision had it; nil when the revision isn't known or its properties aren't kept.
    public func document(id: String, revision: RevisionID) throws -> Document? {
        guard let record = try database.reading({ try self.revisionRecord(id, $0) }),
            let index = record.tree.index(of: revision), let body = record.body(at: index)
        else { return nil }
        let flags: RowFlags = record.tree.nodes[index].flags.contains(.deleted) ? .deleted : []
        return Document(
            id: id, collection: self, sequence: record.sequence, flags: flags, revision: revision, body: body)
    }

    /// The ids of documents with a conflict that waits for resolution, in order of sequence.
    public func conflictedDocumentIDs(limit: Int = 1000) throws -> [String] {
        try database.reading { connection in
            let statement = try PreparedStatement(
                connection, "SELECT id FROM \(self.sql.table) WHERE flags & 2 ORDER BY sequence LIMIT ?1")
            statement.bind(Int64(limit), at: 1)
            var ids: [String] = []
            while try statement.step() { ids.append(statement.text(at: 0)) }
            return ids
        }
    }

    // MARK: - What a peer has

    /// The revision that a remote is known to have as its current one; nil when none is known.
    package func remoteRevision(id: String, remote: Int) throws -> RevisionID? {
        try database.reading { try self.treeRecord(id, $0) }?.tree.revision(ofRemote: remote)?.id
    }

    /// Remembers that a revision is a remote's current one.
    ///
    /// - Returns: false when the document or the revision isn't known.
    @discardableResult
    package func setRemoteRevision(id: String, revision: RevisionID, remote: Int) throws -> Bool {
        try database.writer.perform(database) { transaction in
            guard var record = try self.treeRecord(id, transaction.connection),
                let index = record.tree.index(of: revision)
            else { return false }
            if record.tree.remotes[remote] == index { return true }
            record.tree.setRemote(remote, to: index)
            record.tree.prune(depth: self.database.configuration.maximumRevisionDepth)
            try transaction.updateTree(record, in: self)
            return true
        }
    }

    /// A revision's ancestors, newest first without itself, back to and with the first that a peer has, or all that are
    /// remembered: at most `limit`, with that common ancestor last in any case. Generations that were pruned in between
    /// get ids that nobody has.
    package func revisionHistory(
        id: String, revision: RevisionID, knownToPeer known: Set<RevisionID> = [], limit: Int = 50
    ) throws -> [RevisionID] {
        guard let record = try database.reading({ try self.revisionRecord(id, $0) }),
            let index = record.tree.index(of: revision)
        else { throw DatabaseError(.notFound, "the document \"\(id)\" has no revision \(revision)") }
        return record.tree.history(of: index, knownToPeer: known, limit: limit)
    }

    /// Revisions of a lower generation whose properties are kept, which a peer may send a delta against or end its history
    /// at: the remote's own first, then by falling generation.
    package func possibleAncestors(id: String, of revision: RevisionID, remote: Int?, limit: Int = 10) throws
        -> [RevisionID]
    {
        let record = try database.reading { try self.treeRecord(id, $0) }
        return record?.tree.possibleAncestors(of: revision, remote: remote, limit: limit) ?? []
    }
}

extension RevisionTree {
    /// See `Collection.revisionHistory`.
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
                // The common ancestor is what makes the history useful; it takes the last place.
                return line.count <= limit ? line : Array(line.prefix(max(limit - 1, 0))) + [id]
            }
        }
        return Array(line.prefix(limit))
    }

    /// An id for a revision that is no longer known.
    private static func faded(_ generation: UInt32) -> RevisionID {
        RevisionID(generation: generation, digest: .bytes(0xFADE_D000_0000_0000, 0, 0, count: 20))
    }
}
