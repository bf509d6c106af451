internal import SealiteDatabase
internal import Synchronization

/// The note in the database, made before a session's first request is answered, that the collection was replicated and, for a
/// selection, that a session has begun, which ends with the note.
final class ReplicationNote: Sendable {
    private struct State {
        var isMade = false
        var session: (any Sendable)?
    }

    private let isMade = Atomic<Bool>(false)
    private let state = Mutex(State())

    /// Makes the note, unless it is there.
    func make(of collection: SealiteDatabase.Collection, _ selection: (any DocumentSelection)?) throws {
        guard !isMade.load(ordering: .acquiring) else { return }
        try state.withLock { state in
            guard !state.isMade else { return }
            try collection.noteReplication()
            state.session = try selection?.beginSession()
            state.isMade = true
        }
        isMade.store(true, ordering: .releasing)
    }
}
