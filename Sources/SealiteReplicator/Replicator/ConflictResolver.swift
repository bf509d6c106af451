public import SealiteDatabase

/// A document that was changed on both sides.
public struct Conflict: Sendable {
    /// The document's id.
    public let documentID: String
    /// The local document; nil if it was deleted.
    public let localDocument: Document?
    /// The remote's document; nil if it was deleted.
    public let remoteDocument: Document?
}

/// Resolves conflicts.
public protocol ConflictResolver: Sendable {
    /// Resolves a conflict. There is no time limit; if the document changes meanwhile, the method is called again.
    ///
    /// - Throws: any error: the conflict then stays, the document is reported with an error, and the resolver is called
    /// again at the next connection or start.
    func resolve(_ conflict: Conflict) async throws -> Resolution
}

/// Resolves conflicts as Couchbase Lite does: a deletion wins, otherwise the revision with the higher generation, otherwise the
/// one with the greater digest; in a database of version vectors, the later version. The result is the same on both sides.
public struct DefaultConflictResolver: ConflictResolver {
    /// Creates the resolver.
    public init() {}

    /// Resolves a conflict.
    public func resolve(_ conflict: Conflict) async throws -> Resolution {
        guard let local = conflict.localDocument, let remote = conflict.remoteDocument else { return .deleted }
        return remote.currentRevisionID < local.currentRevisionID ? .local : .remote
    }
}
