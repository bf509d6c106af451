internal import SealiteBase

// Documentation/Replication.md, "Comparing".
extension SourceVersion {
    /// Creates the version with which Sync Gateway refers to a tree revision in vectors: its generation and the first
    /// 40 bits of its digest, as a time of the source `revisionTrees`. Nil if the revision's generation is too large,
    /// or its digest doesn't begin with hexadecimal digits.
    package init?(encoding revision: RevisionID) {
        guard revision.generation < 1 << 23 else { return nil }
        var digits: [UInt8] = Array(revision.description.utf8.drop { $0 != UInt8(ascii: "-") }.dropFirst().prefix(10))
        digits += repeatElement(UInt8(ascii: "0"), count: 10 - digits.count)
        guard digits.allSatisfy({ Hexadecimal.value($0) != nil }),
            let digest = UInt64(String(decoding: digits, as: UTF8.self), radix: 16),
            let time = HybridTime(rawValue: UInt64(revision.generation) << 40 | digest)
        else { return nil }
        self.init(time: time, source: .revisionTrees)
    }
}

extension VersionHistory {
    /// Returns the relation of this history's state to the state of another history: `newer` if this state descends
    /// from the other.
    package func order(to other: VersionHistory) -> VersionOrder {
        switch (vector, other.vector) {
        case (let vector?, let otherVector?): vector.order(to: otherVector)
        case (let vector?, nil): order(of: vector, toRevision: other.revisions.first)
        case (nil, let otherVector?): other.order(of: otherVector, toRevision: revisions.first).reversed
        case (nil, nil): revisionOrder(to: other)
        }
    }

    /// Returns the relation of this history's state, whose vector is `vector`, to a tree revision: whether it descends
    /// from the revision is proven by this history's tree ids, or by the vector's version of the source
    /// `revisionTrees`. Every state is newer than nil.
    private func order(of vector: VersionVector, toRevision revision: RevisionID?) -> VersionOrder {
        guard let revision else { return .newer }
        if let encoded = SourceVersion(encoding: revision) {
            if vector.current == encoded { return .same }
            if vector.knows(encoded) { return .newer }
        }
        return revisions.contains(revision) ? .newer : .conflicting
    }

    /// Returns the relation of this history's tree revision to that of another history, if both are histories without a
    /// vector.
    private func revisionOrder(to other: VersionHistory) -> VersionOrder {
        guard let revision = revisions.first, let otherRevision = other.revisions.first else {
            return revisions.isEmpty ? other.revisions.isEmpty ? .same : .older : .newer
        }
        if revision == otherRevision { return .same }
        // In a peer's invalid history two revisions can be ancestors of each other.
        return switch (revisions.contains(otherRevision), other.revisions.contains(revision)) {
        case (true, false): .newer
        case (false, true): .older
        case (true, true), (false, false): .conflicting
        }
    }

    /// Decides whether a peer's state replaces this one.
    ///
    /// - Parameters:
    ///   - incoming: the peer's state.
    ///   - isSentTombstone: whether this state is a tombstone that the peer is known to have had.
    ///   - hasEqualBody: whether both states have equal bodies.
    /// - Returns: the relation of the peer's state to this one: `conflicting` if a conflict must be resolved.
    package func decision(
        on incoming: VersionHistory, isSentTombstone: Bool, hasEqualBody: @autoclosure () -> Bool
    ) -> VersionOrder {
        let order = incoming.order(to: self)
        guard order == .conflicting, let vector, let incomingVector = incoming.vector else { return order }
        if vector.isSameMerge(as: incomingVector), hasEqualBody() {
            return incomingVector.current > vector.current ? .newer : .older
        }
        // The peer purged the tombstone and then created the document again.
        return isSentTombstone && !vector.sharesVersion(with: incomingVector) ? .newer : .conflicting
    }

    /// Returns whether this state may be a document that a peer without the tombstone has created again: the state is a
    /// version without a history or, if both have version vectors, its vector has none of the tombstone's sources. A
    /// revision of a tree never is.
    package func mayBegin(anewAfter tombstone: VersionHistory) -> Bool {
        guard let vector, let other = tombstone.vector else { return vector?.versions.count == 1 && revisions.isEmpty }
        let sources = Set(other.versions.map(\.source))
        return ids.count == 1 || vector.versions.allSatisfy { !sources.contains($0.source) }
    }
}
