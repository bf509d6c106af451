// Histories of changes, merges and resolutions, where either side may be a revision of a tree.
extension VersionHistory {
    /// Returns the history of a change of this state.
    ///
    /// - Precondition: `version` is later than what the history knows of its source.
    package func changed(to version: SourceVersion) -> VersionHistory {
        VersionHistory(
            vector?.changed(to: version) ?? VersionVector(version),
            revisions: Array(revisions.prefix(Self.maximumRevisionCount)))
    }

    /// Returns the history of a new state made of two.
    ///
    /// - Precondition: `version` is later than what either history knows of its source.
    package func merged(with other: VersionHistory, to version: SourceVersion) -> VersionHistory {
        let made: VersionVector =
            switch (vector, other.vector) {
            case (let vector?, let otherVector?): vector.merged(with: otherVector, to: version)
            case (let vector?, nil), (nil, let vector?): vector.changed(to: version)
            case (nil, nil): VersionVector(version)
            }
        return VersionHistory(made, revisions: joinedRevisions(other))
    }

    /// Returns the history of this state, chosen in place of another one, so that it knows all that the other one knows.
    ///
    /// Where the other one knows this state already, they stay in conflict, and only ``merged(with:to:)`` ends that.
    ///
    /// - Returns: nil where that needs a new version: neither has one, or this state is a revision of a tree that has no version which
    ///   encodes it.
    package func absorbing(_ other: VersionHistory) -> VersionHistory? {
        guard let otherVector = other.vector else {
            return vector.map { VersionHistory($0, revisions: joinedRevisions(other)) }
        }
        // A tree's ids can't stand in front of a vector, so its revision becomes the version that encodes it.
        let own = vector ?? revisions.first.flatMap { SourceVersion(encoding: $0) }.map { VersionVector($0) }
        return own?.absorbing(otherVector).map { VersionHistory($0, revisions: joinedRevisions(other)) }
    }

    /// Returns the history of this state in the place of another one: what was known there stays known, also what a peer's
    /// state of the same version doesn't know, since conflicts with it were resolved there.
    package func succeeding(_ other: VersionHistory) -> VersionHistory {
        guard let vector, let otherVector = other.vector else { return knows(other) ? self : absorbing(other) ?? self }
        return otherVector.versions.allSatisfy(vector.knows) ? self : absorbing(other) ?? self
    }

    /// Returns the ids of both trees, by falling generation.
    private func joinedRevisions(_ other: VersionHistory) -> [RevisionID] {
        var known: Set<RevisionID> = []
        let all = (revisions + other.revisions).filter { known.insert($0).inserted }
        return Array(all.sorted { $0 > $1 }.prefix(Self.maximumRevisionCount))
    }

    /// Returns the history without the earliest of more versions and ids than are kept.
    package func bounded() -> VersionHistory {
        guard let vector else { return self }
        return VersionHistory(vector.bounded(), revisions: Array(revisions.prefix(Self.maximumRevisionCount)))
    }

    /// Returns whether the state is, or descends from, another one.
    package func knows(_ other: VersionHistory) -> Bool {
        switch order(to: other) {
        case .same, .newer: true
        case .older, .conflicting: false
        }
    }
}
