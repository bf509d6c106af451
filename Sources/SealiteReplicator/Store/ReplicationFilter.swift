public import SealiteDatabase

/// Returns whether a document is replicated or, with the flag ``DocumentFlags/accessRemoved``, whether it is purged. It
/// is called on threads of the replicator, at any time and possibly several times for one revision, so its result
/// should depend on the document alone.
public typealias ReplicationFilter = @Sendable (Document, DocumentFlags) -> Bool
