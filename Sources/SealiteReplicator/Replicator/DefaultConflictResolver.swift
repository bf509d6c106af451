public import SealiteDatabase

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
