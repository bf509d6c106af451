internal import SealiteBase
internal import SealiteJSON

/// The state of a document with its known ancestry: a version vector, the ids of a revision tree, newest first, or
/// both, if the document had a tree before its first version.
package struct VersionHistory: Sendable, Hashable {
    /// The maximum number of tree ids that a history with a vector keeps.
    package static let maximumRevisionCount = 20

    /// The version vector; nil if the state is a tree revision.
    package let vector: VersionVector?
    /// The tree ids, newest first: those of the state and its ancestors or, in a history with a vector, those of the
    /// revision that the document's first version replaced and of its ancestors.
    package let revisions: [RevisionID]

    /// Creates the history of a state with a vector.
    package init(_ vector: VersionVector, revisions: [RevisionID] = []) {
        (self.vector, self.revisions) = (vector, revisions)
    }

    /// Creates the history of a tree revision.
    ///
    /// - Parameters:
    ///   - revision: the revision.
    ///   - ancestors: its ancestors, newest first.
    package init(_ revision: RevisionID, ancestors: [RevisionID] = []) {
        (vector, revisions) = (nil, [revision] + ancestors)
    }

    /// Parses a history in one text, as in lists of changes: a version, a vector, tree ids, or a vector and ids.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - me: the source that `*` denotes; nil if `*` is invalid.
    /// - Throws: `malformed`, `duplicateSource`, `tooLong`.
    package init(_ text: String, me: SourceID? = nil) throws(VersionError) {
        let parts = try VersionText(text, me: me)
        if parts.heads.isEmpty {
            guard !parts.revisions.isEmpty, parts.rest.isEmpty else { throw .malformed }
            vector = nil
        } else {
            vector = try VersionVector(parts)
        }
        revisions = parts.revisions
    }

    /// Creates the history that a version of a peer's message names: a version, a revision, or a whole vector.
    ///
    /// - Throws: `malformed`, `duplicateSource`, `tooLong`.
    package init(_ version: Version) throws(VersionError) {
        switch version.form {
        case .revision(let revision): self.init(revision)
        case .version(let version): self.init(VersionVector(version))
        case .other(let text): try self.init(text.text)
        }
    }

    /// Parses a history in the two texts of a message.
    ///
    /// - Parameters:
    ///   - version: the current version or revision.
    ///   - history: the history without the current version or revision; may be empty.
    /// - Throws: `malformed`, `duplicateSource`, `tooLong`.
    package init(version: String, history: String) throws(VersionError) {
        guard !version.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }) else {
            throw .malformed
        }
        guard !history.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) else {
            try self.init(version)
            return
        }
        let isVersion = RevisionID(ofTree: version) == nil
        let hasMerged = history.utf8.contains(UInt8(ascii: ";"))
        try self.init("\(version)\(isVersion && !hasMerged ? ";" : ",")\(history)")
    }

    /// The ID of the state; nil if the history is empty.
    package var id: RevisionID? { vector.map { RevisionID($0.current) } ?? revisions.first }

    /// The IDs of the state and of all states that it is known to descend from: first the versions, then the revisions
    /// of a tree.
    package var ids: [RevisionID] { (vector?.versions ?? []).map { RevisionID($0) } + revisions }

    /// The text of the current version or revision; empty if the history is empty.
    package var versionText: String { id?.description ?? "" }

    /// The text of the history without the current version or revision; empty if there is nothing else.
    package var historyText: String {
        let ids = revisions.dropFirst(vector == nil ? 1 : 0).map(\.description).joined(separator: ", ")
        guard let history = vector?.historyText(), !history.isEmpty else { return ids }
        guard !ids.isEmpty else { return history }
        return history.utf8.last == UInt8(ascii: ";") ? "\(history) \(ids)" : "\(history), \(ids)"
    }

    /// The history in one text, as in lists of changes: the current version or revision, followed by the rest.
    package var text: String {
        let history = historyText
        guard !history.isEmpty else { return versionText }
        return "\(versionText)\(vector.map { $0.merged.isEmpty } ?? false ? "; " : ", ")\(history)"
    }
}

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

/// The relation of one state of a document to another.
package enum VersionOrder: Sendable, Hashable {
    /// The states are equal.
    case same
    /// The other state descends from this one.
    case older
    /// This state descends from the other.
    case newer
    /// Neither state descends from the other state.
    case conflicting

    /// The relation of the other state to this one.
    package var reversed: VersionOrder {
        switch self {
        case .same, .conflicting: self
        case .older: .newer
        case .newer: .older
        }
    }
}
