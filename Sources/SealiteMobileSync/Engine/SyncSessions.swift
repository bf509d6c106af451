internal import SealiteDatabase
internal import Synchronization

/// The open sessions of one collection with the remote: that of the replicator that follows the remote, and those of
/// lookups beside it. The database counts the beginning of the first open session and the end of the last one.
final class SyncSessions: Sendable {
    private struct State {
        var open = 0
        /// The count (`SyncSpace.sessions`) that the database recorded when the first of the open sessions began.
        var count: UInt64 = 0
    }

    private let documents: SyncedDocuments
    private let state = Mutex(State())

    init(_ documents: SyncedDocuments) { self.documents = documents }

    /// An open session, whose end is recorded when the object is released.
    private final class Session: Sendable {
        private let sessions: SyncSessions

        init(_ sessions: SyncSessions) { self.sessions = sessions }

        deinit {
            // The last reference may be released within a transaction of another thread, which must not wait for a
            // second one: a detached task records the end.
            let sessions = sessions
            Task.detached { await sessions.end() }
        }
    }

    /// Records the beginning of a session.
    ///
    /// - Returns: an object that represents the session; its release ends the session.
    func begin() throws -> any Sendable {
        try state.withLock { state in
            if state.open == 0 { state.count = try documents.beginSession() }
            state.open += 1
        }
        return Session(self)
    }

    private func end() async {
        let count = state.withLock { state in
            state.open -= 1
            return state.open == 0 ? state.count : nil
        }
        guard let count else { return }
        let documents = documents
        try? await documents.collection.database.write { _ in try documents.endSession(count) }
    }
}
