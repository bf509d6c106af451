// Creates the histories of changed, merged and resolved documents. Either side may have a version vector or revisions
// of a tree.
extension VersionHistory {
    /// Returns the history after a change that writes `version`.
    ///
    /// - Precondition: `version` is later than the version of the same source in the history.
    package func changed(to version: SourceVersion) -> VersionHistory {
        VersionHistory(
            vector?.changed(to: version) ?? VersionVector(version),
            revisions: Array(revisions.prefix(Self.maximumRevisionCount)))
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
    /// conflicts with them were resolved in the replaced state.
    package func succeeding(_ other: VersionHistory) -> VersionHistory {
        guard let vector, let otherVector = other.vector else { return knows(other) ? self : absorbing(other) ?? self }
        return otherVector.versions.allSatisfy(vector.knows) ? self : absorbing(other) ?? self
    }

    /// Returns the tree ids of both histories without repetitions, by descending generation, up to the maximum number.
    private func joinedRevisions(_ other: VersionHistory) -> [RevisionID] {
        var known: Set<RevisionID> = []
        let all = (revisions + other.revisions).filter { known.insert($0).inserted }
        return Array(all.sorted { $0 > $1 }.prefix(Self.maximumRevisionCount))
    }

    /// Returns the history with only the latest versions and tree ids, up to the maximum number of each. A history
    /// without a vector is returned unchanged.
    package func bounded() -> VersionHistory {
        guard let vector else { return self }
        return VersionHistory(vector.bounded(), revisions: Array(revisions.prefix(Self.maximumRevisionCount)))
    }

    /// Returns whether this history's state is equal to that of another history, or descends from it.
    package func knows(_ other: VersionHistory) -> Bool {
        switch order(to: other) {
        case .same, .newer: true
        case .older, .conflicting: false
        }
    }
}
