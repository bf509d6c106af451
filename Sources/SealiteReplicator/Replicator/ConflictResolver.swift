public import SealiteDatabase

/// A document that was changed on both sides.
public struct Conflict: Sendable {
    /// The document's id.
    public let documentID: String
    /// The document as it is here; nil if it was deleted here.
    public let localDocument: Document?
    /// The document as the remote has it; nil if it was deleted there.
    public let remoteDocument: Document?
}

/// Decides conflicts.
public protocol ConflictResolver: Sendable {
    /// Decides a conflict. It may take its time; if the document changes meanwhile it is asked again.
    ///
    /// - Throws: whatever it likes: the conflict then stays, the document is reported with an error, and the resolver is
    ///   asked again at the next connection or start.
    func resolve(_ conflict: Conflict) async throws -> Resolution
}

/// Decides as Couchbase Lite does: a deletion wins, else the revision with the higher generation, else the one with the
/// greater digest; in a database of version vectors the later version. Both sides decide alike, whoever is asked.
public struct DefaultConflictResolver: ConflictResolver {
    /// The resolver.
    public init() {}

    /// Decides a conflict.
    public func resolve(_ conflict: Conflict) async throws -> Resolution {
        guard let local = conflict.localDocument, let remote = conflict.remoteDocument else { return .deleted }
        return remote.currentRevisionID < local.currentRevisionID ? .local : .remote
    }
}
