internal import SealiteDatabase
internal import SealiteProtocol
internal import Synchronization

/// Records what one session does with a collection. Before the session's first request is answered, it records in the
/// database that the collection was replicated. If the documents are chosen by a `DocumentSelection`, it informs the
/// selection before the session offers its first changes, and again, by releasing the selection's object, when the
/// session has ended and this object is released.
final class ReplicationNote: Sendable {
    private struct State {
        var isMade = false
        var session: (any Sendable)?
    }

    private let isMade = Atomic<Bool>(false)
    private let state = Mutex(State())

    /// Records in the database that the collection was replicated, unless this object has done so already.
    func make(of collection: SealiteDatabase.Collection) throws {
        guard !isMade.load(ordering: .acquiring) else { return }
        try state.withLock { state in
            guard !state.isMade else { return }
            try collection.noteReplication()
            state.isMade = true
        }
        isMade.store(true, ordering: .releasing)
    }

    /// Returns the changes to offer, which `page` reads. Before the first changes are returned, the selection is
    /// informed that the session begins, and the changes are read again, because one may have been withdrawn in
    /// between.
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
