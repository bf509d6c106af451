// Creates the histories of changed, merged and resolved documents. Either side may have a version vector or revisions
// of a tree.
extension VersionHistory {
    /// Returns the history after a change that writes `version`.
    ///
    /// - Precondition: `version` is later than the version of the same source in the history.
    package func changed(to version: SourceVersion) -> VersionHistory {
        VersionHistory(
            vector?.changed(to: version) ?? VersionVector(version),
            revisions: Self.bounded(revisions))
    }

    /// Returns the history of a merge of this history's document with `other`'s, which writes `version`.
    ///
    /// - Precondition: `version` is later than the version of the same source in either history.
    package func merged(with other: VersionHistory, to version: SourceVersion) -> VersionHistory {
        let made: VersionVector =
            switch (vector, other.vector) {
            case (let vector?, let otherVector?): vector.merged(with: otherVector, to: version)
            case (let vector?, nil), (nil, let vector?): vector.changed(to: version)
            case (nil, nil): VersionVector(version)
            }
        return VersionHistory(made, revisions: joinedRevisions(other))
    }

    /// Returns the history of this state after a conflict was resolved in its favour: it includes all versions of the
    /// other history.
    ///
    /// If the other history includes this state already, the two states stay in conflict; only `merged(with:to:)` ends
    /// that conflict.
    ///
    /// - Returns: the history; nil if a new version is required, because neither history has a vector, because this
    ///   state is a tree's revision that no version can encode, or because the other history has a later version of
    ///   this state's source.
    package func absorbing(_ other: VersionHistory) -> VersionHistory? {
        guard let otherVector = other.vector else {
            return vector.map { VersionHistory($0, revisions: joinedRevisions(other)) }
        }
        // The ids of a tree can't precede a vector, so this state's revision is converted to the version that encodes
        // it.
        let own = vector ?? revisions.first.flatMap { SourceVersion(encoding: $0) }.map { VersionVector($0) }
        return own?.absorbing(otherVector).map { VersionHistory($0, revisions: joinedRevisions(other)) }
    }

    /// Returns the history of this state after it replaced another one, whose versions the result includes unless
    /// `absorbing(_:)` returns nil. A peer's history of this state may lack some of these versions, although the
    /// conflicts with them were resolved in the replaced state. It may also lack tree ids of the replaced state, which
    /// the result keeps, because other peers expect them.
    package func succeeding(_ other: VersionHistory) -> VersionHistory {
        guard let vector, let otherVector = other.vector else {
            return knows(other) ? keepingRevisions(of: other) : absorbing(other) ?? self
        }
        return otherVector.versions.allSatisfy(vector.knows)
            ? keepingRevisions(of: other) : absorbing(other) ?? keepingRevisions(of: other)
    }

    /// Returns the history with the tree ids of an earlier, or the same, state added to its own. A history without a
    /// vector is returned unchanged, since its first tree id is its state.
    package func keepingRevisions(of other: VersionHistory) -> VersionHistory {
        guard let vector, !other.revisions.allSatisfy(revisions.contains) else { return self }
        return VersionHistory(vector, revisions: joinedRevisions(other))
    }

    /// Returns the tree ids of both histories without repetitions, by descending generation, up to the maximum number.
    private func joinedRevisions(_ other: VersionHistory) -> [RevisionID] {
        var known: Set<RevisionID> = []
        let all = (revisions + other.revisions).filter { known.insert($0).inserted }
        return Self.bounded(all.sorted { $0 > $1 })
    }

    /// Returns at most the maximum number of tree ids: if there are more, the newest ones and the oldest one. A tree
    /// keeps its oldest revision beyond its depth if a remote has it, and this remote needs to see it.
    private static func bounded(_ revisions: [RevisionID]) -> [RevisionID] {
        guard revisions.count > maximumRevisionCount else { return revisions }
        return Array(revisions.prefix(maximumRevisionCount - 1) + revisions.suffix(1))
    }

    /// Returns the history with at most the maximum numbers of versions and tree ids. A history without a vector is
    /// returned unchanged.
    package func bounded() -> VersionHistory {
        guard let vector else { return self }
        return VersionHistory(vector.bounded(), revisions: Self.bounded(revisions))
    }

    /// Returns whether this history's state is equal to that of another history, or descends from it.
    package func knows(_ other: VersionHistory) -> Bool {
        switch order(to: other) {
        case .same, .newer: true
        case .older, .conflicting: false
        }
    }
}
