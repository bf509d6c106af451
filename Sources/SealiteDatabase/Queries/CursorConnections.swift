internal import GRDB
internal import Synchronization

/// The connections that cursors read from: one for each cursor that isn't at its end, since a connection has one snapshot at a time.
final class CursorConnections: Sendable {
    /// The number of connections that are kept open while no cursor needs them.
    private static let idleLimit = 4

    private let open: @Sendable () throws -> DatabaseQueue
    /// The connections that no cursor uses; nil once closed.
    private let idle = Mutex<[DatabaseQueue]?>([])

    init(open: @escaping @Sendable () throws -> DatabaseQueue) { self.open = open }

    /// Returns a connection that no other cursor uses.
    ///
    /// - Throws: `notOpen` once closed, and what opening the file throws.
    func take() throws -> DatabaseQueue {
        let found = try idle.withLock { queues in
            guard queues != nil else { throw DatabaseError(.notOpen, "the database is closed") }
            return queues?.popLast()
        }
        return try found ?? open()
    }

    /// Takes a connection back. Statements on it are reset.
    func giveBack(_ queue: DatabaseQueue) {
        let isKept = idle.withLock { queues in
            guard let count = queues?.count, count < Self.idleLimit else { return false }
            queues?.append(queue)
            return true
        }
        if !isKept { try? queue.close() }
    }

    /// Closes the connections that no cursor uses; a cursor's own closes when its cursor ends.
    func close() throws {
        let closing = idle.withLock { queues in
            defer { queues = nil }
            return queues ?? []
        }
        for queue in closing { try queue.close() }
    }
}
