internal import SealiteRevisions

// Decides on the versions that a peer proposes or announces to a database with version vectors
// (Documentation/Replication.md, "Version vectors").
extension ReplicatedCollection {
    /// Returns the decision on a version that a peer proposes to a database with version vectors; see `decide`.
    func decideVersion(
        documentID: String, _ version: Version, serverVersion: Version?, pulledThrough: UInt64
    ) throws -> ProposalDecision {
        guard let proposed = try? VersionHistory(version) else { return .refused(status: 400) }
        guard let record = try collection.database.reading({ try self.collection.treeRecord(documentID, $0) }) else {
            return .wanted
        }
        let (mine, current) = (record.tree.history(at: 0), record.tree.current.id)
        if proposed.id == current { return .known }
        // The peer's history contains the local version, and the local history contains the peer's: neither version
        // descends from the other.
        if serverVersion?.id == current, mine.knows(proposed) { return .conflict(current: Version(current)) }
        if let id = proposed.id, record.tree.index(of: id) != nil { return .known }
        let isSentTombstone = serverVersion == nil && record.isTombstone(through: pulledThrough)
        switch mine.decision(on: proposed, isSentTombstone: isSentTombstone, hasEqualBody: false) {
        case .same, .older: return .known
        case .newer: return .wanted
        case .conflicting:
            // The list may have the version alone, without its history; whether the version descends from the local one
            // is then known only when the revision arrives with its history.
            return serverVersion?.id == current ? .wanted : .conflict(current: Version(current))
        }
    }

    /// Returns the decision on a change that the peer refused as a conflict, in a database with version vectors; see
    /// `reconsider`.
    func reconsiderVersion(
        _ refused: LocalChange, _ found: LocalChange, _ tree: RevisionTree, serverVersion: Version?
    ) throws -> RefusedChangeDecision {
        var change = found
        let current = tree.current.id
        let known = change.remoteVersion?.id
        if known == current, !refused.isReoffered { return .unnecessary }
        let server = serverVersion.flatMap { try? VersionHistory($0) }
        if let server, server.id == current {
            if let remote { try collection.setRemoteRevision(id: change.documentID, revision: current, remote: remote) }
            return .unnecessary
        }
        // A pull may have received a later version of the remote since the change was proposed.
        let mine = tree.history(at: 0)
        for case let candidate? in [server, change.remoteVersion.flatMap { try? VersionHistory($0) }] {
            guard let id = candidate.id, Version(id) != refused.remoteVersion, mine.knows(candidate) else { continue }
            change.remoteVersion = Version(id)
            change.isReoffered = refused.isReoffered
            return .propose(change)
        }
        if let server, server.id == refused.remoteVersion?.id, refused.version.id == current, mine.knows(server) {
            return try renewed(refused).map { .propose($0) } ?? .conflict
        }
        // The remote had this version, and has since replaced it by a version that isn't stored locally yet. Every
        // local change has been sent.
        return known == current ? .unnecessary : .conflict
    }

    /// Gives a document a new version, because the remote refuses the current one although it descends from the
    /// remote's.
    ///
    /// The remote's history contains the document's current version as well, so the remote takes that version for
    /// outdated. It accepts only a version that its history doesn't contain.
    ///
    /// - Returns: the change to propose; nil if the document was changed meanwhile.
    private func renewed(_ refused: LocalChange) throws -> LocalChange? {
        let id = refused.documentID
        try collection.database.writer.perform(collection.database) { transaction in
            guard var record = try collection.revisionRecord(id, transaction.connection),
                record.tree.current.id == refused.version.id
            else { return }
            let mine = record.tree.history(at: 0)
            let version = try transaction.withVersionStamp { try $0.next(after: mine) }
            record.tree.advance(
                to: mine.changed(to: version), id: RevisionID(version), flags: record.tree.current.flags)
            _ = try transaction.save(record, id: id, body: record.currentBody, in: collection)
        }
        guard var change = try change(id: id), !change.hasConflict else { return nil }
        change.remoteVersion = refused.remoteVersion
        change.isReoffered = refused.isReoffered
        return change
    }

    /// Returns the decision on an announced version, and whether the announced version has to be recorded as the
    /// remote's current one; see `compare`.
    ///
    /// An announcement has a version without its history. If the remote is recorded to have the local current version,
    /// and announces a version that the local history contains, the remote may have replaced the current version by a
    /// state whose history contains both. The announced revision is then requested, and compared by its whole history.
    func compareVersion(_ tree: RevisionTree, _ version: Version) -> (AnnouncementDecision, isNews: Bool) {
        guard let announced = try? VersionHistory(version), let id = announced.id else {
            return (.wanted(ancestors: []), false)
        }
        let index = tree.index(of: id)
        let isKnown = tree.history(at: 0).knows(announced)
        let hasGoneBack = remote.map { tree.remotes[$0] == 0 } ?? false && index != 0 && isKnown
        if !hasGoneBack {
            if let index {
                guard let remote else { return (.known, false) }
                let isConflict = tree.nodes[index].flags.contains(.conflict)
                return (isConflict ? .conflict : .known, tree.remotes[remote] != index)
            }
            if isKnown { return (.known, remote != nil) }
        }
        // At most two: Sync Gateway accepts no more.
        let preferred = remote.flatMap { tree.remotes[$0] }.map { tree.nodes[$0].id }
        let ids = [preferred, tree.current.id].compactMap { $0 }
        return (
            .wanted(ancestors: ids.first == ids.last ? ids.suffix(1).map { Version($0) } : ids.map { Version($0) }),
            false
        )
    }
}

extension RevisionTree {
    /// Returns the index of the node of a revision. If there is no such node, but the current revision is known to
    /// descend from the revision by its version vector, a node is added; otherwise the result is nil.
    mutating func knownIndex(of id: RevisionID) -> Int? {
        if let index = index(of: id) { return index }
        let history = id.version.map { VersionHistory(VersionVector($0)) } ?? VersionHistory(id)
        guard hasVersions, self.history(at: 0).knows(history) else { return nil }
        return add(history, id: id, flags: [], body: nil)
    }
}
