internal import SealiteDatabase
internal import SealiteProtocol
internal import Synchronization

/// Records in the database what one session does with a collection: before the session's first request is answered,
/// that the collection was replicated; and with a `DocumentSelection`, before the first changes are offered, that a
/// session offers changes. The recorded session ends when this object is released.
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

    /// Reads changes to offer. After the session was recorded, the changes are read again, because a change may have
    /// been withdrawn in between.
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
