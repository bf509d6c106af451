internal import SealiteDatabase
internal import Synchronization

/// The note that a collection was replicated, made in the database before a session's first request is answered.
final class ReplicationNote: Sendable {
    private let isMade = Atomic<Bool>(false)

    /// Makes the note, unless it is there.
    func make(of collection: SealiteDatabase.Collection) throws {
        guard !isMade.load(ordering: .relaxed) else { return }
        try collection.noteReplication()
        isMade.store(true, ordering: .relaxed)
    }
}
