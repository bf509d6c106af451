public import SealiteDatabase

/// Resolves conflicts of documents that were changed both locally and at the remote.
public protocol ConflictResolver: Sendable {
    /// Returns the resolution of a conflict: one of the two revisions, a merged document, or a deletion. There is no
    /// time limit; if the document changes meanwhile, the method is called again. It isn't called if both sides have
    /// deleted the document.
    ///
    /// - Throws: any error: the conflict then stays, the document is reported with an error, and the resolver is called
    /// again at the next connection or start.
    func resolve(_ conflict: Conflict) async throws -> Resolution
}

/// A document that was changed both locally and at the remote, as a conflict resolver receives it.
public struct Conflict: Sendable {
    /// The document's id.
    public let documentID: String
    /// The local document; nil if it was deleted.
    public let localDocument: Document?
    /// The remote's document; nil if it was deleted.
    public let remoteDocument: Document?
}

/// Resolves conflicts as Couchbase Lite does: a deletion wins, otherwise the revision with the higher generation,
/// otherwise, with equal generations, the revision with the greater digest; in a database of version vectors, the later
/// version. The result is the same on both sides.
public struct DefaultConflictResolver: ConflictResolver {
    /// Creates the resolver.
    public init() {}

    /// Returns `deleted` if one side deleted the document, otherwise the side whose revision id is the greater one.
    public func resolve(_ conflict: Conflict) async throws -> Resolution {
        guard let local = conflict.localDocument, let remote = conflict.remoteDocument else { return .deleted }
        return remote.currentRevisionID < local.currentRevisionID ? .local : .remote
    }
}

/// The outcome of a resolved conflict. The changes of a side that lost are no longer stored in the database.
public struct ResolvedConflict: Sendable, Hashable {
    /// The side whose revision is current after the resolution.
    public enum Winner: String, Sendable {
        /// The local revision.
        case local
        /// The remote revision.
        case remote
        /// A new revision with the properties that the resolver returned.
        case merged
        /// A tombstone: the resolver deleted the document.
        case deleted
    }

    /// The side whose revision is current after the resolution.
    public let winner: Winner
    /// The id of the local revision that was in conflict.
    public let localRevisionID: String
    /// The id of the remote revision that was in conflict.
    public let remoteRevisionID: String
}
