internal import SealiteRevisions

// Inserts revisions from peers into a database with version vectors, within a transaction
// (Documentation/Replication.md, "Version vectors").
extension Transaction {
    /// Inserts a peer's revision of a document, or decides against it, and records it as the remote's current revision.
    ///
    /// - Returns: the outcome; nil if neither the revision nor the local document has a version vector, so that both
    ///   are revisions of a tree.
    func insertVersion(_ revision: TreeRevision, remote: Int?, in collection: Collection) throws -> RevisionOutcome? {
        let found = try collection.revisionRecord(revision.incoming.documentID, connection)
        guard revision.versions.vector != nil || found?.tree.hasVersions ?? false else { return nil }
        if let vector = revision.versions.vector { try withVersionStamp { try $0.observe(vector) } }
        guard var record = found else { return try begin(revision, remote, in: collection) }
        let mine = record.tree.history(at: 0)
        let isSent = remote.map { record.tree.remotes[$0] == 0 } ?? false
        if let known = record.tree.index(of: revision.id), known == 0 || !isSent || !mine.knows(revision.versions) {
            return try meet(revision, known, remote, record, in: collection)
        }
        record.tree.takeHistories()
        if let remote, let old = record.tree.remotes[remote], old != 0 {
            // The remote is recorded to have a later revision than this one, which therefore arrived late.
            let news = record.tree.history(at: old)
            if news.knows(revision.versions), !revision.versions.knows(news) { return .known }
        }
        // A peer that connected and hasn't seen the tombstone yet receives it in this session, and keeps it or its own
        // document: the listener must not decide meanwhile.
        let isSentTombstone =
            record.flags.contains(.deleted) && !revision.incoming.isDeleted
            && (remote == nil
                ? record.isTombstone(through: revision.incoming.pulledThrough)
                    && revision.versions.mayBegin(anewAfter: mine)
                : isSent)
        let decision = mine.decision(
            on: revision.versions, isSentTombstone: isSentTombstone, hasEqualBody: record.currentBody == revision.body)
        switch decision {
        case .same, .older: return try noteOlder(revision, remote, &record, in: collection)
        case .newer:
            let outcome = try follow(revision, remote, &record, in: collection)
            return isSentTombstone ? .resurrected : outcome
        case .conflicting where remote != nil && revision.isTreeRevision(knownTo: mine):
            // A tree's revision can't include the version; the remote still takes its own tree revision for the ancestor.
            return mine.vector == nil ? .known : try noteOlder(revision, remote, &record, in: collection)
        case .conflicting: return try conflict(revision, remote, &record, in: collection)
        }
    }

    /// Creates a document, which doesn't exist locally, from a peer's revision.
    private func begin(_ revision: TreeRevision, _ remote: Int?, in collection: Collection) throws -> RevisionOutcome {
        let node = RevisionTree.Node(
            id: revision.id, flags: revision.leafFlags, parent: nil, history: revision.versions)
        var tree = RevisionTree(nodes: [node], remotes: [:])
        if let remote { tree.setRemote(remote, to: 0, sent: revision.versions) }
        let record = RevisionRecord(head: nil, flags: [], body: nil, tree: tree)
        _ = try save(record, id: revision.incoming.documentID, body: revision.body, in: collection)
        return .inserted
    }

    /// Records as the remote's current revision one that the local history contains already: the local current version
    /// or an ancestor.
    private func noteOlder(
        _ revision: TreeRevision, _ remote: Int?, _ record: inout RevisionRecord, in collection: Collection
    ) throws -> RevisionOutcome {
        let mine = record.tree.history(at: 0)
        // If both sides made the same merge independently, the local version stays current, and its history is extended
        // by the peer's version.
        if mine.knows(revision.versions) {
            record.tree.setHistory(mine.keepingRevisions(of: revision.versions), at: 0)
        } else if let joined = mine.absorbing(revision.versions) {
            record.tree.setHistory(joined, at: 0)
        }
        guard let remote else {
            try updateTree(record, of: revision.incoming.documentID, in: collection)
            return .known
        }
        let old = record.tree.remotes[remote]
        let index = record.tree.add(revision.versions, id: revision.id, flags: revision.leafFlags, body: nil)
        record.tree.setRemote(remote, to: index, sent: revision.versions)
        // The remote had the local current state, and has now an earlier one. This counts as a change, so that the
        // current state is sent again.
        let hasGoneBack = old == 0 && index != 0
        guard hasGoneBack || old.map({ record.tree.nodes[$0].flags.contains(.conflict) }) ?? false else {
            record.tree.dropUnneeded()
            try updateTree(record, of: revision.incoming.documentID, in: collection)
            return .known
        }
        if let old { record.tree.endConflict(at: old) }
        _ = try save(record, id: revision.incoming.documentID, body: record.currentBody, in: collection)
        return .known
    }

    /// Makes a peer's revision, which is newer than the document's current one, the current revision.
    private func follow(
        _ revision: TreeRevision, _ remote: Int?, _ record: inout RevisionRecord, in collection: Collection
    ) throws -> RevisionOutcome {
        let index = record.tree.add(
            revision.versions.succeeding(record.tree.history(at: 0)), id: revision.id, flags: revision.leafFlags,
            body: nil)
        record.tree.makeCurrent(index)
        if let remote { record.tree.setRemote(remote, to: 0, sent: revision.versions) }
        record.tree.endKnownConflicts()
        _ = try save(record, id: revision.incoming.documentID, body: revision.body, in: collection)
        return .inserted
    }

    /// Adds a peer's revision that conflicts with the current one, because neither descends from the other. If no local
    /// change is unsent, the peer's revision becomes current; otherwise the conflict waits for resolution.
    private func conflict(
        _ revision: TreeRevision, _ remote: Int?, _ record: inout RevisionRecord, in collection: Collection
    ) throws -> RevisionOutcome {
        if revision.incoming.isConflictRefused { return .conflictRefused }
        let old = remote.flatMap { record.tree.remotes[$0] }
        // Every local change has been sent, so the document switches to the remote's version.
        let isUnchanged = old == 0
        let index = record.tree.add(
            isUnchanged ? revision.versions.succeeding(record.tree.history(at: 0)) : revision.versions, id: revision.id,
            flags: isUnchanged ? revision.leafFlags : revision.leafFlags.union(.conflict), body: revision.body)
        if let remote { record.tree.setRemote(remote, to: index, sent: revision.versions) }
        if isUnchanged {
            record.tree.makeCurrent(index)
            _ = try save(record, id: revision.incoming.documentID, body: revision.body, in: collection)
            return .inserted
        }
        if let old { record.tree.endConflict(at: old) }
        _ = try save(record, id: revision.incoming.documentID, body: record.currentBody, in: collection)
        return .conflict
    }

    /// Makes the resolution of a conflict with the peer's revision at `index` the current revision of the record's
    /// tree, without storing the record, and returns the body of the new current revision.
    func resolveVersions(_ record: inout RevisionRecord, _ index: Int, _ resolution: Resolution) throws -> [UInt8] {
        let node = record.tree.nodes[index]
        // In a tree from before the upgrade to version vectors, this drops ancestors, and thereby changes the indexes
        // of the remaining nodes.
        record.tree.takeHistories()
        guard let index = record.tree.index(of: node.id) else {
            throw DatabaseError(
                .corruptData, "the conflicting revision \(node.id) is missing from the document's revisions")
        }
        let (mine, theirs) = (record.tree.history(at: 0), record.tree.history(at: index))
        record.tree.setFlags(node.flags.subtracting(.conflict), at: index)
        let theirBody = node.body ?? Document.emptyBody
        // An unchanged local document gets a new version, too. Peers that have the old version couldn't detect that its
        // history now includes the resolved conflict, and a remote's refusal of the old version would still apply.
        guard let (body, flags) = try resolution.content(record, theirs: theirBody) else {
            let kept = theirs.absorbing(mine) ?? theirs
            record.tree.replaceCurrent(by: kept, index, flags: node.flags.intersection(.deleted))
            record.tree.endKnownConflicts()
            return theirBody
        }
        try digester.check(body: body, byteLimit: database.configuration.maximumDocumentByteCount)
        let version = try withVersionStamp { try $0.next(after: mine, theirs) }
        record.tree.advance(
            to: mine.merged(with: theirs, to: version), id: RevisionID(version), flags: flags)
        record.tree.endKnownConflicts()
        return body
    }
}

extension TreeRevision {
    /// The flags with which the revision is added to a revision tree: `deleted` for a tombstone, none otherwise.
    var leafFlags: RevisionTree.Flags { incoming.isDeleted ? .deleted : [] }

    /// Returns a Boolean value that says whether the revision's own tree id, which a Sync Gateway names after a version
    /// that it gave the revision later, is one of those that a history includes.
    func isTreeRevision(knownTo history: VersionHistory) -> Bool {
        guard incoming.namesOwnTreeID, versions.vector != nil, let own = versions.revisions.first else { return false }
        return history.revisions.contains(own)
    }
}

extension RevisionTree {
    /// Records that the node at an index is a remote's current revision, and that the remote sent it with a history.
    mutating func setRemote(_ remote: Int, to index: Int, sent history: VersionHistory) {
        setRemote(remote, to: index)
        guard history.vector != nil else { return }
        setEnd(history.revisions.first.map { .revision($0) } ?? .nothing, ofRemote: remote)
    }

    /// Removes the conflict flag from all revisions that the current revision descends from.
    mutating func endKnownConflicts() {
        let current = history(at: 0)
        for index in nodes.indices.dropFirst() where current.knows(history(at: index)) {
            setFlags(nodes[index].flags.subtracting(.conflict), at: index)
        }
    }

    /// Makes the revision at an index of `nodes` the current one, with `history`, which includes the previous current
    /// revision.
    mutating func replaceCurrent(by history: VersionHistory, _ index: Int, flags: Flags) {
        if history.id == nodes[index].id {
            makeCurrent(index)
            setHistory(history, at: 0)
        } else if let id = history.id {
            // The remote has a revision of a tree, and the local document has the version that encodes this revision.
            advance(to: history, id: id, flags: flags)
        }
    }

    mutating func setHistory(_ history: VersionHistory, at index: Int) { nodes[index].history = history }
}
