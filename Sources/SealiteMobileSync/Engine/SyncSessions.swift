internal import SealiteDatabase
internal import Synchronization

/// The sessions of one collection that go on: the one that follows the remote, and others that look up single documents beside it. The database counts the first one's
/// beginning and the last one's end.
final class SyncSessions: Sendable {
    private struct State {
        var open = 0
        /// The database's count since the first of those that are open began.
        var count: UInt64 = 0
    }

    private let documents: SyncedDocuments
    private let state = Mutex(State())

    init(_ documents: SyncedDocuments) { self.documents = documents }

    /// Notes the end of a session when it is let go of.
    private final class Session: Sendable {
        private let sessions: SyncSessions

        init(_ sessions: SyncSessions) { self.sessions = sessions }

        deinit {
            // The last reference may go within a transaction of another thread's.
            let sessions = sessions
            Task.detached { await sessions.end() }
        }
    }

    /// Notes that a session begins.
    ///
    /// - Returns: what is let go of when it has ended.
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
