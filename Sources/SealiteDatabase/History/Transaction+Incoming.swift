internal import SealiteRevisions

// Inserts revisions from peers into a document's tree, within a transaction.
extension Transaction {
    /// Inserts a peer's revision and its ancestors in the revision tree of the document, and records it as the current
    /// revision of the remote with the number `remote`; nil records nothing.
    func insert(_ revision: TreeRevision, remote: Int?, in collection: Collection) throws -> RevisionOutcome {
        let incoming = revision.incoming
        if database.versioning == .vectors, let outcome = try insertVersion(revision, remote: remote, in: collection) {
            return outcome
        }
        let leafFlags: RevisionTree.Flags = incoming.isDeleted ? .deleted : []
        guard var record = try collection.revisionRecord(incoming.documentID, connection) else {
            var tree = RevisionTree(nodes: [], remotes: [:])
            let line = [revision.id] + revision.history
            let leaf = tree.graft(line.reversed(), onto: nil, leafFlags: leafFlags, leafBody: nil)
            tree.makeCurrent(leaf)
            if let remote { tree.setRemote(remote, to: 0) }
            let record = RevisionRecord(head: nil, flags: [], body: nil, tree: tree)
            _ = try save(record, id: incoming.documentID, body: revision.body, in: collection)
            return .inserted
        }
        if let known = record.tree.index(of: revision.id) {
            return try meet(revision, known, remote, record, in: collection)
        }
        let common = revision.history.firstIndex { record.tree.index(of: $0) != nil }
        let parent = common.flatMap { record.tree.index(of: revision.history[$0]) }
        let line = Array(([revision.id] + revision.history.prefix(common ?? revision.history.count)).reversed())
        if parent == 0 {
            return try follow(revision, line, remote, leafFlags, &record, in: collection)
        }
        if revision.history.isEmpty, record.flags.contains(.deleted), !incoming.isDeleted {
            return try resurrect(revision, remote, &record, in: collection)
        }
        if incoming.isConflictRefused { return .conflictRefused }
        // Every local change has been sent, so the document switches to the remote's branch.
        let isSent = remote.map { record.tree.remotes[$0] == 0 } ?? false
        let isUnchanged = isSent && (parent != nil || record.tree.mayBeReplaced(by: revision))
        if let parent, record.tree.leaves.contains(parent) {
            // The revision extends the peer's branch: the conflict moves to its new leaf.
            record.tree.setFlags(record.tree.nodes[parent].flags.subtracting(.conflict), at: parent)
        }
        let old = remote.flatMap { record.tree.remotes[$0] }
        let leaf = record.tree.graft(
            line, onto: parent, leafFlags: isUnchanged ? leafFlags : leafFlags.union(.conflict),
            leafBody: revision.body)
        if let remote { record.tree.setRemote(remote, to: leaf) }
        if isUnchanged {
            record.tree.replaceCurrent(with: leaf)
            _ = try save(record, id: incoming.documentID, body: revision.body, in: collection)
            return .inserted
        }
        if let old { record.tree.endConflict(at: old) }
        _ = try save(record, id: incoming.documentID, body: record.currentBody, in: collection)
        return .conflict
    }

    /// Records that a remote has a revision that is stored already; this may make the revision the current one. Stores
    /// the revision's body if it is needed and missing. Returns `conflict` or `known`; if `remote` is nil, changes
    /// nothing.
    func meet(
        _ revision: TreeRevision, _ index: Int, _ remote: Int?, _ record: RevisionRecord, in collection: Collection
    ) throws -> RevisionOutcome {
        guard let remote else { return .known }
        var news = try adopt(revision.incoming.documentID, revision.id, remote: remote, in: collection)
        if news == .unknown {
            // The revision is known, but its body wasn't stored yet.
            var record = record
            record.tree.setBody(revision.body, at: index)
            try updateTree(record, of: revision.incoming.documentID, in: collection)
            news = try adopt(revision.incoming.documentID, revision.id, remote: remote, in: collection)
        }
        return news == .conflict ? .conflict : .known
    }

    /// Makes a peer's revision the current one of a deleted document, although the revision doesn't descend from the
    /// tombstone, which stays in the tree.
    private func resurrect(
        _ revision: TreeRevision, _ remote: Int?, _ record: inout RevisionRecord, in collection: Collection
    ) throws -> RevisionOutcome {
        record.tree.setFlags(record.tree.current.flags.union(.closed), at: 0)
        let leaf = record.tree.graft([revision.id], onto: nil, leafFlags: [], leafBody: nil)
        record.tree.makeCurrent(leaf)
        if let remote { record.tree.setRemote(remote, to: 0) }
        _ = try save(record, id: revision.incoming.documentID, body: revision.body, in: collection)
        return .resurrected
    }

    /// Adds a peer's revision that descends from the current one, and makes it current. `line` is the revision and
    /// those of its ancestors that aren't stored, oldest first.
    private func follow(
        _ revision: TreeRevision, _ line: [RevisionID], _ remote: Int?, _ flags: RevisionTree.Flags,
        _ record: inout RevisionRecord, in collection: Collection
    ) throws -> RevisionOutcome {
        let leaf = record.tree.graft(line, onto: 0, leafFlags: flags, leafBody: nil)
        record.tree.makeCurrent(leaf)
        if let remote {
            let old = record.tree.remotes[remote]
            record.tree.setRemote(remote, to: 0)
            if let old { record.tree.endConflict(at: old) }
        }
        _ = try save(record, id: revision.incoming.documentID, body: revision.body, in: collection)
        return .inserted
    }

    /// Makes the resolution of a conflict with the peer's revision at `index` the current revision of the record's
    /// tree, without storing the record, and returns the body of the new current revision.
    func resolve(_ record: inout RevisionRecord, _ index: Int, _ resolution: Resolution) throws -> [UInt8] {
        if database.versioning == .vectors { return try resolveVersions(&record, index, resolution) }
        let theirs = record.tree.nodes[index].body ?? Document.emptyBody
        record.tree.setFlags(record.tree.nodes[index].flags.subtracting(.conflict), at: index)
        guard let (body, flags) = try resolution.content(record, theirs: theirs) else {
            record.tree.replaceCurrent(with: index)
            return theirs
        }
        let revision = try digester.revision(
            parent: record.tree.nodes[index].id, isDeleted: flags.contains(.deleted), body: body,
            byteLimit: database.configuration.maximumDocumentByteCount)
        let leaf = record.tree.graft([revision], onto: index, leafFlags: flags, leafBody: nil)
        record.tree.replaceCurrent(with: leaf)
        return body
    }

    /// Stores the row of a document with the record's tree and the body of its current revision. This counts as a
    /// change of the document, with a new sequence.
    func save(_ record: RevisionRecord, id: String, body: [UInt8], in collection: Collection) throws -> Document {
        var tree = record.tree
        tree.setBody(nil, at: 0)
        tree.prune(depth: max(database.configuration.maximumRevisionDepth, 1))
        let isDeleted = tree.current.flags.contains(.deleted)
        if let head = record.head {
            tree.bases = try bases(
                replacing: tree.bases, of: head, oldBody: { record.body }, by: (tree.current.id, body, isDeleted),
                remoteIDs: tree.remoteIDs, in: collection)
        }
        var flags: RowFlags = tree.bases.isEmpty ? [] : .hasBases
        if isDeleted { flags.insert(.deleted) }
        if !tree.conflicts.isEmpty { flags.insert(.conflicted) }
        let digests = ([body] + tree.bodies(current: body)).flatMap { BodyScanner.blobDigests($0) }
        if !digests.isEmpty { flags.insert(.hasBlobs) }
        let isEmptyTombstone = isDeleted && body == Document.emptyBody
        let content = RowContent(
            flags: flags, revision: tree.current.id, body: isEmptyTombstone ? nil : body, tree: tree.stored,
            digests: digests, isIncoming: true)
        countBases(content.tree, after: record.head?.tree)
        let sequence: Int64
        if let head = record.head {
            sequence = try replaceRow(id, head, by: content, in: collection)
        } else if let inserted = try insertRow(id, content, in: collection) {
            sequence = inserted.sequence
        } else {
            throw DatabaseError(
                .unexpected, "the document \"\(id)\" could not be inserted, although no document with this id was found"
            )
        }
        return Document(
            id: id, collection: collection, sequence: sequence, flags: flags, revision: tree.current.id, body: body)
    }
}

extension Resolution {
    /// Returns the body and the flags of the revision that resolves a conflict with a remote's revision, whose body is
    /// `theirs`; nil if the remote's revision wins.
    ///
    /// - Throws: `invalidParameter` if a merged document can't be written as JSON or has a reserved name.
    func content(_ record: RevisionRecord, theirs: [UInt8]) throws -> (body: [UInt8], flags: RevisionTree.Flags)? {
        switch self {
        case .remote: return nil
        case .local: return (record.currentBody, record.flags.contains(.deleted) ? .deleted : [])
        case .merged(let document):
            let body = try document.encoded()
            try BodyScanner.checkReservedNames(body) { [record.currentBody, theirs] }
            return (body, [])
        case .deleted: return (Document.emptyBody, .deleted)
        }
    }
}

extension RevisionTree {
    /// Returns whether a remote that had the current revision has replaced it by a revision that has no ancestor in the
    /// tree. Otherwise the revision may be older than the current one: a tombstone that the remote replaced by the
    /// current revision, an ancestor that was pruned, or the state of a remote that has lost documents.
    func mayBeReplaced(by revision: TreeRevision) -> Bool {
        guard !revision.incoming.isDeleted, !revision.incoming.isAfterLoss else { return false }
        // Generations begin with 1: the ancestors of any other root aren't stored.
        return nodes.allSatisfy {
            $0.parent != nil || $0.id.generation == 1 || $0.id.generation <= revision.id.generation
        }
    }

    /// Makes another leaf the current revision, and removes the branch of the previous current revision unless the leaf
    /// descends from it.
    mutating func replaceCurrent(with leaf: Int) {
        let old = nodes[0].id
        makeCurrent(leaf)
        if let index = index(of: old), !isAncestor(index, of: 0) { removeBranch(index) }
    }
}
