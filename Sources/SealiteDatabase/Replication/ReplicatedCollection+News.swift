internal import GRDB
package import SealiteRevisions

extension ReplicatedCollection {
    /// Returns the decisions on revisions that the remote announced, in the order of `rows`. A revision that is stored
    /// is recorded as the remote's current revision; see `Transaction.adopt`.
    package func compare(_ rows: [(documentID: String, version: Version)]) throws -> [AnnouncementDecision] {
        var news: [Int] = []
        var verdicts = try collection.database.read {
            try rows.enumerated().map { index, row in
                let (verdict, isNews) = try compare(row.documentID, row.version)
                if isNews { news.append(index) }
                return verdict
            }
        }
        guard !news.isEmpty, let remote else { return verdicts }
        try collection.database.writer.perform(collection.database) { transaction in
            for index in news {
                guard let revision = Self.id(of: rows[index].version) else { continue }
                switch try transaction.adopt(rows[index].documentID, revision, remote: remote, in: collection) {
                case .known: verdicts[index] = .known
                case .conflict: verdicts[index] = .conflict
                case .unknown: verdicts[index] = .wanted(ancestors: [])
                }
            }
        }
        return verdicts
    }

    /// Returns the revision id that a peer's text names: a revision id, or the current version if the text is a whole
    /// version vector. Nil for any other text.
    package static func id(of version: Version) -> RevisionID? {
        version.id ?? (try? VersionHistory(version))?.id
    }

    private func compare(_ id: String, _ version: Version) throws -> (AnnouncementDecision, isNews: Bool) {
        let record = try collection.database.reading { try self.collection.treeRecord(id, $0) }
        if collection.database.versioning == .vectors, let tree = record?.tree { return compareVersion(tree, version) }
        guard let tree = record?.tree, let revision = version.revisionID else { return (.wanted(ancestors: []), false) }
        if let index = tree.index(of: revision) {
            guard let remote else { return (.known, false) }
            let isConflict = tree.nodes[index].flags.contains(.conflict)
            return (isConflict ? .conflict : .known, tree.remotes[remote] != index)
        }
        return (.wanted(ancestors: tree.possibleAncestors(of: revision, remote: remote).map { Version($0) }), false)
    }

    /// Records pushed revisions as the remote's current revisions, unless a later announcement of the remote arrived
    /// meanwhile.
    ///
    /// - Returns: the ids of the documents whose pushed revision now conflicts with the local current revision, because
    ///   the document has switched to another branch.
    package func markSynced(_ revisions: [SyncedRevision]) throws -> [String] {
        guard let remote else { return [] }
        return try collection.database.writer.perform(collection.database) { transaction in
            try revisions.compactMap { synced in
                guard let revision = Self.id(of: synced.version) else { return nil }
                let news = try transaction.adopt(
                    synced.documentID, revision, remote: remote, isPushed: true, isFirst: synced.isFirst,
                    in: self.collection)
                return news == .conflict ? synced.documentID : nil
            }
        }
    }

    /// Inserts revisions from the remote in one transaction, and returns the outcome or the error of each, in their
    /// order. A revision that can't be stored doesn't prevent the insertion of the others.
    ///
    /// - Throws: errors of the storage.
    package func insert(_ revisions: [TreeRevision]) throws -> [Result<RevisionOutcome, DatabaseError>] {
        try collection.database.writer.perform(collection.database) { transaction in
            defer {
                if remote == nil, let state = transaction.state(of: collection) {
                    collection.database.served.note(state.lastSequence, collection.number)
                }
            }
            return try revisions.map { revision in
                do {
                    try self.collection.check(revision)
                    return .success(try transaction.insert(revision, remote: remote, in: self.collection))
                } catch let error as DatabaseError where transaction.isAlive && error.isOfOneDocument {
                    return .failure(error)
                }
            }
        }
    }

    /// Purges a document of the collection, or its tombstone, if the remote has the current revision: it is known to
    /// have it, or names it in `remoteVersions`, versions that it has. (What was pushed may not be recorded yet.)
    ///
    /// - Returns: whether it was purged.
    package func purgeSent(id: String, remoteVersions: [Version]) throws -> Bool {
        try collection.database.writer.perform(collection.database) { transaction in
            guard let tree = try collection.treeRecord(id, transaction.connection)?.tree else { return false }
            let isKnown = remote.map { tree.remotes[$0] == 0 } ?? false
            guard isKnown || remoteVersions.contains(where: { Self.id(of: $0) == tree.current.id }) else {
                return false
            }
            return try transaction.purge(id, in: self.collection)
        }
    }
}

extension DatabaseError {
    /// A Boolean value that says whether the error concerns only the document whose insertion failed, not the storage.
    var isOfOneDocument: Bool {
        switch code {
        case .badDocumentID, .badRevisionID, .documentTooLarge, .invalidJSON, .invalidParameter, .corruptData: true
        default: false
        }
    }
}

extension Collection {
    /// Returns the row of a document or tombstone, without its body, with its revision tree; nil if there is none.
    func treeRecord(_ id: String, _ connection: GRDB.Database) throws -> RevisionRecord? {
        try connection.first(sql.selectHead, id) { try RevisionRecord($0.head(), body: nil) }
    }
}

extension Transaction {
    /// Records that a stored revision of a document is the current one at the remote with the number `remote`.
    ///
    /// An ancestor of the revision that the remote is known to have is outdated and ignored. A revision on another
    /// branch than the local current one means that the remote has switched to that branch: if no local change is
    /// unsent, the document switches to that branch too, otherwise there is a conflict.
    ///
    /// A pushed revision replaced the remote's revision or a tombstone. So if it doesn't descend from the revision that
    /// the remote is known to have, that revision is the newer information and stays recorded. `isFirst` says that the
    /// remote had no revision of the document before the pushed one.
    func adopt(
        _ id: String, _ revision: RevisionID, remote: Int, isPushed: Bool = false, isFirst: Bool = false,
        in collection: Collection
    ) throws -> RemoteRevisionOutcome {
        guard var record = try collection.treeRecord(id, connection), let index = record.tree.knownIndex(of: revision)
        else { return .unknown }
        let old = record.tree.remotes[remote]
        guard old != index else { return record.tree.nodes[index].flags.contains(.conflict) ? .conflict : .known }
        if let old, record.tree.isAncestor(index, of: old) {
            // The local history contains the announced version, but the remote may have returned to it: see
            // `ReplicatedCollection.compareVersion`.
            return record.tree.hasVersions && old == 0 && !isPushed ? .unknown : .known
        }
        if isPushed, let old, !record.tree.isKnown(old, at: index), !record.tree.nodes[old].flags.contains(.deleted) {
            return .known
        }
        let isOnLine = index == 0 || record.tree.isAncestor(index, of: 0)
        let leftConflict = old.map { record.tree.nodes[$0].flags.contains(.conflict) } ?? false
        if isOnLine, !leftConflict {
            record.tree.setRemote(remote, to: index)
            if isFirst, revision.version != nil { record.tree.setEnd(.nothing, ofRemote: remote) }
            record.tree.prune(depth: database.configuration.maximumRevisionDepth)
            try updateTree(record, of: id, in: collection)
            if index == 0 { try noteSent(id, to: remote, in: collection) }
            return .known
        }
        return try adoptBranch(id, revision, remote: remote, isOnLine: isOnLine, in: collection)
    }

    private func adoptBranch(
        _ id: String, _ revision: RevisionID, remote: Int, isOnLine: Bool, in collection: Collection
    ) throws -> RemoteRevisionOutcome {
        guard var record = try collection.revisionRecord(id, connection),
            let index = record.tree.knownIndex(of: revision)
        else { return .unknown }
        let old = record.tree.remotes[remote]
        if isOnLine {
            record.tree.setRemote(remote, to: index)
            if let old { record.tree.endConflict(at: old) }
            _ = try save(record, id: id, body: record.currentBody, in: collection)
            return .known
        }
        let node = record.tree.nodes[index]
        let isAhead = old == 0 || record.tree.isAncestor(0, of: index)
        // The revision is inside a branch, or at the end of a branch that a local resolution closed. The local current
        // revision continues that branch, so no body is needed.
        guard record.tree.leaves.contains(index), isAhead || !node.flags.contains(.closed) else {
            record.tree.setRemote(remote, to: index)
            try updateTree(record, of: id, in: collection)
            return .known
        }
        guard let theirs = node.body ?? (node.flags.contains(.deleted) ? Document.emptyBody : nil) else {
            return .unknown
        }
        if isAhead {
            record.tree.setFlags(node.flags.subtracting([.conflict, .closed]), at: index)
            record.tree.replaceCurrent(with: index)
            record.tree.setRemote(remote, to: 0)
            _ = try save(record, id: id, body: theirs, in: collection)
            return .known
        }
        record.tree.setRemote(remote, to: index)
        record.tree.setFlags(node.flags.union(.conflict), at: index)
        if let old, !record.tree.isAncestor(old, of: index) { record.tree.endConflict(at: old) }
        _ = try save(record, id: id, body: record.currentBody, in: collection)
        return .conflict
    }

    /// Stores the revision tree of the record in the document's row, whose other columns stay. This doesn't count as a
    /// change, and no subscriber is notified.
    func updateTree(_ record: RevisionRecord, of id: String, in collection: Collection) throws {
        guard let head = record.head else { return }
        var tree = record.tree
        let remoteIDs = tree.remoteIDs
        tree.bases.dropOldest { remoteIDs.contains($0.id) }
        var flags = head.flags.subtracting(.hasBases)
        if !tree.bases.isEmpty { flags.insert(.hasBases) }
        // The tree may have got or lost the body of a revision, and with it references to blobs.
        let hasBlobs = head.flags.contains(.hasBlobs)
        let needsBody = hasBlobs || tree.nodes.contains { $0.body != nil }
        var digests: [BlobDigest] = []
        if needsBody {
            let body = try body(head, in: collection) ?? Document.emptyBody
            digests = ([body] + tree.bodies(current: body)).flatMap { BodyScanner.blobDigests($0) }
            if !digests.isEmpty { flags.insert(.hasBlobs) }
        }
        try replaceTree(head, by: tree.stored, flags, in: collection)
        if hasBlobs || !digests.isEmpty { try setReferences(digests, of: id, in: collection) }
    }
}

extension RevisionTree {
    /// Returns the ids of at most `limit` revisions of the tree whose generations are lower than that of `revision`:
    /// first the remote's recorded revision, then the others by descending generation.
    func possibleAncestors(of revision: RevisionID, remote: Int?, limit: Int = 10) -> [RevisionID] {
        let preferred = remote.flatMap { remotes[$0] }
        return nodes.indices.filter { nodes[$0].id.generation < revision.generation }
            .sorted { left, right in
                if left == preferred || right == preferred { return left == preferred }
                return nodes[left].id > nodes[right].id
            }
            .prefix(limit).map { nodes[$0].id }
    }

    /// Ends the conflict at the node with an index, if it has one, because the remote has switched to another branch.
    /// The node's branch is removed unless another remote is known to have its leaf. With version vectors, the conflict
    /// remains as long as another remote has the revision.
    mutating func endConflict(at index: Int) {
        guard nodes[index].flags.contains(.conflict) else { return }
        // Another remote still has this revision, so the conflict with that remote remains.
        if hasVersions, remotes.values.contains(index) { return }
        setFlags(nodes[index].flags.subtracting(.conflict).union(.closed), at: index)
        if !remotes.values.contains(index), leaves.contains(index) { removeBranch(index) }
    }
}

// MARK: - Following a remote

/// The result of recording that a revision is a remote's current one.
enum RemoteRevisionOutcome {
    /// The revision isn't stored, or its body isn't, so nothing was recorded.
    case unknown
    /// The revision was recorded, or was ignored because it is older than the recorded one; it causes no conflict.
    case known
    /// The revision is recorded, and conflicts with the local current revision until the conflict is resolved.
    case conflict
}
