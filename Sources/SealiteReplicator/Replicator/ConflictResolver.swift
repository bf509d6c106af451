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
