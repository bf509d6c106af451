package import SealiteRevisions

/// The view of a collection for the replication with one remote: the local changes, the revisions that the remote is
/// known to have, and the revisions that come from it.
///
/// The methods block. Each is one transaction or reads one snapshot of the database.
package struct ReplicatedCollection: Sendable {
    package let collection: Collection
    /// The remote's number (`Database.remoteNumber`); nil if nothing is recorded about the peer, as for peers that a
    /// listener serves.
    package let remote: Int?
    /// A Boolean value that says whether the peer may read every document of the collection, and thus may have had each
    /// revision that peers were served. Without a recorded remote, deltas are exchanged only with such a peer.
    package let mayReadAll: Bool

    package init(collection: Collection, remote: Int?, mayReadAll: Bool = false) {
        (self.collection, self.remote, self.mayReadAll) = (collection, remote, mayReadAll)
    }

    /// Returns the last changes of at most `limit` documents whose sequences are greater than `sequence`, in the order
    /// of their sequences. Deletions up to the sequence `activeOnlyThrough` are left out.
    package func changes(after sequence: UInt64, limit: Int, activeOnlyThrough: UInt64 = 0) throws -> [LocalChange] {
        try collection.database.reading { connection in
            let now = Milliseconds.now
            var last = sequence
            return try connection.rows(
                """
                SELECT \(Self.changeColumns) FROM \(self.collection.sql.table)
                WHERE sequence > ?1 AND (+number > 0 OR sequence > ?3) ORDER BY sequence LIMIT ?2
                """, Int64(clamping: sequence), limit, Int64(clamping: activeOnlyThrough)
            ) { row in
                // The tree is needed only for the remote's revision.
                let change = try listed(row, remote == nil ? nil : try tree(row), at: now)
                guard change.sequence > last else {
                    throw DatabaseError.disorder("sequences", in: self.collection.sql.table)
                }
                last = change.sequence
                return change
            }
        }
    }

    /// Returns the last change of a document, in the form of `changes`, with the document's revision tree; nil if there
    /// is no such document. The body isn't read.
    func changeWithTree(id: String) throws -> (change: LocalChange, tree: RevisionTree)? {
        try collection.database.reading {
            try $0.first("SELECT \(Self.changeColumns) FROM \(collection.sql.table) WHERE id = ?1", id) { row in
                let tree = try self.tree(row)
                return (try listed(row, tree, at: Milliseconds.now), tree)
            }
        }
    }

    private static let changeColumns = "sequence, id, flags, revision, tree, length(body), expires"

    private func tree(_ statement: borrowing PreparedStatement) throws -> RevisionTree {
        try RevisionTree(
            stored: statement.bytes(at: 4), current: statement.revision(at: 3),
            isDeleted: RowFlags(rawValue: statement.int64(at: 2)).contains(.deleted))
    }

    /// Returns the change that a row with the columns `changeColumns` describes.
    private func listed(
        _ statement: borrowing PreparedStatement, _ tree: RevisionTree?, at now: Int64
    ) throws -> LocalChange {
        let flags = RowFlags(rawValue: statement.int64(at: 2))
        let id = try statement.documentID(at: 1)
        let isExpired = statement.optionalInt64(at: 6).map { $0 <= now } ?? false
        return LocalChange(
            sequence: UInt64(try statement.sequence(at: 0)), documentID: id,
            version: Version(try statement.revision(at: 3)), isDeleted: flags.contains(.deleted),
            hasConflict: flags.contains(.conflicted),
            isWithheld: isExpired || !Names.isID(id),
            remoteVersion: remote.flatMap { tree?.revision(ofRemote: $0) }.map { Version($0.id) },
            bodyByteCount: UInt64(clamping: statement.int64(at: 5)))
    }

    /// Returns the last change of a document, in the form of `changes`; nil if there is no such document.
    package func change(id: String) throws -> LocalChange? { try changeWithTree(id: id)?.change }

    /// Returns the requested revision of a document with its body, and with its history up to a revision that the peer
    /// knows (see `Collection.revisionHistory`). Only the current revision can be returned: for another one, the result
    /// is `obsolete`, or the current revision if the query allows a replacement. The result is `missing` if there is no
    /// such document.
    package func revision(_ query: RevisionQuery) throws -> LoadedRevision {
        let found = try collection.database.reading { try self.collection.revisionRecord(query.documentID, $0) }
        guard let record = found else { return .missing }
        if remote == nil { collection.database.served.note(record.sequence, collection.number) }
        let current = record.tree.current.id
        guard current == query.version.id || query.allowsReplacement else { return .obsolete }
        let body = record.currentBody
        let hasBlobs = record.flags.contains(.hasBlobs)
        var outgoing = OutgoingRevision(
            version: Version(current), history: history(of: record.tree, query),
            isDeleted: record.flags.contains(.deleted), body: [],
            attachments: hasBlobs ? BodyScanner.blobReferences(body) : [])
        let listsAttachments = query.listsAttachments && hasBlobs
        let listing = listsAttachments ? current.generation : nil
        if query.takesDelta, let made = try delta(of: record, from: query.knownAncestors, listing: listing) {
            (outgoing.body, outgoing.delta) = made
            return .found(outgoing)
        }
        let listed = listsAttachments ? try AttachmentList.json(of: body, generation: current.generation) : nil
        outgoing.body = try listed ?? JSONSerializer.text(of: body)
        return .found(outgoing)
    }

    /// Returns the history of the current revision for a replication message: in a tree, its ancestors, newest first, up
    /// to the first one that the peer has; with version vectors, one element with the text of the vector without the
    /// current version, and the tree ids after it, or none if that text is empty.
    private func history(of tree: RevisionTree, _ query: RevisionQuery) -> [Version] {
        let known = query.knownAncestors.compactMap(\.revisionID)
        guard tree.hasVersions else {
            var history = tree.history(of: 0, knownToPeer: Set(known), limit: query.maxHistory)
            if known.isEmpty, history.count == query.maxHistory,
                let theirs = remote.flatMap({ tree.revision(ofRemote: $0) })
            {
                // The history would end before the ancestor that the remote has, to which it attaches the revision.
                history = tree.history(of: 0, knownToPeer: [theirs.id], limit: query.maxHistory)
            }
            return history.map { Version($0) }
        }
        var history = tree.history(at: 0)
        if let vector = history.vector {
            history = VersionHistory(vector, revisions: treeIDs(tree, history.revisions, query))
        }
        let text = history.historyText
        return text.isEmpty ? [] : [Version(text)]
    }

    /// Returns the tree ids at the end of a history with a version vector (Documentation/Replication.md, "Tree ids in
    /// histories"), of `ids`, those of the document, newest first.
    private func treeIDs(_ tree: RevisionTree, _ ids: [RevisionID], _ query: RevisionQuery) -> [RevisionID] {
        let known = query.knownAncestors
        let revisions = known.compactMap(\.revisionID)
        // A peer with a tree revision, or without the document, may have or get any of them.
        if revisions.count == known.count {
            // Nothing is named of a peer that may have lost the document; then what it had counts.
            let had = known.isEmpty ? remote.flatMap { tree.revision(ofRemote: $0)?.id.version } : nil
            return query.omitsOldTreeIDs && had != nil ? [] : ids
        }
        if query.omitsOldTreeIDs { return [] }
        switch remote.flatMap({ tree.ends[$0] }) {
        case .nothing: return []
        case .revision(let id): return [id]
        case nil: return revisions.first(where: ids.contains).map { [$0] } ?? Array(ids.prefix(1))
        }
    }

    // MARK: - Proposals

    /// Returns the decision on a revision that a peer proposes.
    ///
    /// - Parameters:
    ///   - documentID: the document's id.
    ///   - version: the proposed revision.
    ///   - serverVersion: the version that the peer believes to be the current one in this database; nil if the peer
    ///     knows of none.
    ///   - pulledThrough: the sequence through which the peer had pulled the collection's changes before its session
    ///     (`IncomingRevision.pulledThrough`).
    /// - Returns: the decision.
    /// - Throws: errors from reading.
    package func decide(
        documentID: String, _ version: Version, serverVersion: Version?, pulledThrough: UInt64 = 0
    ) throws -> ProposalDecision {
        if collection.database.versioning == .vectors {
            return try decideVersion(
                documentID: documentID, version, serverVersion: serverVersion, pulledThrough: pulledThrough)
        }
        guard let revision = version.revisionID else { return .refused(status: 400) }
        guard let record = try collection.database.reading({ try self.collection.treeRecord(documentID, $0) }) else {
            return .wanted
        }
        let current = record.tree.current.id
        if revision == current { return .known }
        // An outdated revision: if it counted as known, the peer would take it for the current one, which it may have
        // purged after it received it.
        if record.tree.index(of: revision) != nil { return .conflict(current: Version(current)) }
        let serverRevision = serverVersion?.revisionID
        if let serverRevision, serverRevision == current { return .wanted }
        if serverRevision == nil, record.flags.contains(.deleted) { return .wanted }
        return .conflict(current: Version(current))
    }

    /// Returns the decision on a change that the peer refused as a conflict: it may be possible to propose it with
    /// another ancestor.
    ///
    /// - Parameters:
    ///   - refused: the change as it was proposed.
    ///   - serverVersion: the version that the peer reported as its current version.
    /// - Returns: the decision; if a change is to be proposed, it is the document's current one.
    /// - Throws: errors from reading and writing.
    package func reconsider(_ refused: LocalChange, serverVersion: Version?) throws -> RefusedChangeDecision {
        let id = refused.documentID
        guard let (found, tree) = try changeWithTree(id: id) else { return .unnecessary }
        if collection.database.versioning == .vectors {
            return try reconsiderVersion(refused, found, tree, serverVersion: serverVersion)
        }
        var change = found
        let known = change.remoteVersion?.revisionID
        let (current, server) = (tree.current.id, serverVersion?.revisionID)
        if known == current, !refused.isReoffered { return .unnecessary }
        if let server, server == current {
            if let remote { try collection.setRemoteRevision(id: id, revision: current, remote: remote) }
            return .unnecessary
        }
        for candidate in [server, known] {
            guard let candidate, candidate != refused.remoteVersion?.revisionID,
                let index = tree.index(of: candidate), tree.isAncestor(index, of: 0)
            else { continue }
            change.remoteVersion = Version(candidate)
            change.isReoffered = refused.isReoffered
            return .propose(change)
        }
        // The remote had this revision, and has since replaced it by a revision that isn't stored locally yet. Every
        // local change has been sent.
        if known == current, let server, server.generation > current.generation, tree.index(of: server) == nil {
            return .unnecessary
        }
        return .conflict
    }
}

/// The list `_attachments` by which Sync Gateway recognizes the blobs of a body.
enum AttachmentList {
    private static let attachments = ReservedNames.attachments

    /// Returns the JSON of a body with its blobs listed in `_attachments`; nil if the body has neither blobs with
    /// digests nor attachments. `generation` is that of the revision, 0 for a version of a version vector.
    static func json(of body: [UInt8], generation: UInt32) throws -> [UInt8]? {
        guard var object = DictionaryObject(jsonb: body) else { return nil }
        var listed = DictionaryObject()
        for (name, entry) in object.value(forKey: attachments)?.dictionary?.entries ?? [] {
            var entry = entry
            entry["stub"] = true
            listed[name] = entry
        }
        list(.dictionary(object), at: "", generation, &listed)
        guard listed.count > 0 else { return nil }
        object[attachments] = .dictionary(listed)
        return try JSONSerializer.text(of: object.jsonb(capacity: body.count * 2))
    }

    private static func list(_ value: Value, at path: String, _ generation: UInt32, _ listed: inout DictionaryObject) {
        switch value {
        case .blob(let blob):
            var entry = blob.properties
            guard entry.string(forKey: "digest") != nil else { return }
            entry.removeValue(forKey: "@type")
            // A version has no generation.
            if generation > 0 { entry["revpos"] = Value(generation) }
            entry["stub"] = true
            listed["blob_" + path] = .dictionary(entry)
        case .dictionary(let object):
            for (key, member) in object.entries where !(path.isEmpty && key == attachments) {
                let name = key.replacing("~", with: "~0").replacing("/", with: "~1")
                list(member, at: "\(path)/\(name)", generation, &listed)
            }
        case .array(let array):
            for (index, item) in array.enumerated() { list(item, at: "\(path)/\(index)", generation, &listed) }
        default: break
        }
    }
}

// Records the collections that were ever replicated. Automatic changes of documents, such as a migration, skip these
// collections.
extension Collection {
    /// The name of the store, among the local values, in which each collection that was ever replicated has an entry,
    /// under the collection's number.
    static let replicationStore = "replicated"

    /// Records that a peer has seen the collection, or may have seen it.
    package func noteReplication() throws {
        let name = String(number)
        guard try database.localValue(store: Self.replicationStore, name: name) == nil else { return }
        try database.setLocalValue(store: Self.replicationStore, name: name, value: [])
    }

    /// Returns whether the collection was ever replicated, by this database or by a peer.
    package func isReplicated() throws -> Bool {
        try database.localValue(store: Self.replicationStore, name: String(number)) != nil
    }
}
