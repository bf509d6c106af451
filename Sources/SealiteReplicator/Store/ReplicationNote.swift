internal import SealiteDatabase
internal import SealiteProtocol
internal import Synchronization

/// Records in the database what one session does with a collection: that the collection was replicated, before the
/// session's first request is answered; for a selection, that a session offers changes, before the first are offered.
/// The recorded session ends when this object is released.
final class ReplicationNote: Sendable {
    private struct State {
        var isMade = false
        var session: (any Sendable)?
    }

    private let isMade = Atomic<Bool>(false)
    private let state = Mutex(State())

    /// Records that the collection was replicated, unless that has been done.
    func make(of collection: SealiteDatabase.Collection) throws {
        guard !isMade.load(ordering: .acquiring) else { return }
        try state.withLock { state in
            guard !state.isMade else { return }
            try collection.noteReplication()
            state.isMade = true
        }
        isMade.store(true, ordering: .releasing)
    }

    /// Reads changes to offer. They are read again after the session was recorded, because a change may have been
    /// withdrawn before that.
    func offering(_ selection: (any DocumentSelection)?, _ page: () throws -> ChangePage) throws -> ChangePage {
        guard let selection else { return try page() }
        let wasOffering = state.withLock { $0.session != nil }
        let found = try page()
        if wasOffering || found.changes.isEmpty { return found }
        try state.withLock { state in
            if state.session == nil { state.session = try selection.beginSession() }
        }
        return try page()
    }
}
