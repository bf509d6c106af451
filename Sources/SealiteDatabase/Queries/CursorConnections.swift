internal import GRDB
internal import Synchronization

/// The connections that cursors read from: one for each cursor that isn't at its end, since a connection has one snapshot at a time.
final class CursorConnections: Sendable {
    /// The number of connections that are kept open while no cursor needs them.
    private static let idleLimit = 4

    private let open: @Sendable () throws -> DatabaseQueue
    /// The connections that no cursor uses; nil once closed.
    private let idle = Mutex<[CursorConnection]?>([])

    init(open: @escaping @Sendable () throws -> DatabaseQueue) { self.open = open }

    /// Returns a connection that no other cursor uses.
    ///
    /// - Throws: `notOpen` once closed, and what opening the file throws.
    func take() throws -> CursorConnection {
        let found = try idle.withLock { connections in
            guard connections != nil else { throw DatabaseError(.notOpen, "the database is closed") }
            return connections?.popLast()
        }
        return try found ?? CursorConnection(try open())
    }

    /// Takes a connection back. Statements on it are reset.
    func giveBack(_ connection: CursorConnection) {
        let isKept = idle.withLock { connections in
            guard let count = connections?.count, count < Self.idleLimit else { return false }
            connections?.append(connection)
            return true
        }
        if !isKept { try? connection.close() }
    }

    /// Closes the connections that no cursor uses; a cursor's own closes when its cursor ends.
    func close() throws {
        let closing = idle.withLock { connections in
            defer { connections = nil }
            return connections ?? []
        }
        for connection in closing { try connection.close() }
    }
}

/// A connection for cursors, and the statements that were used on it last.
// Sendable: the statements are used on the connection's queue only, and by `deinit`.
final class CursorConnection: @unchecked Sendable {
    /// The number of statements that are kept. GRDB's own cache has no bound, and queries with literals have ever new texts.
    private static let statementLimit = 32

    let queue: DatabaseQueue
    /// The statements by their texts, the one that was used last at the end.
    private var statements: [(sql: String, statement: GRDB.Statement)] = []

    init(_ queue: DatabaseQueue) { self.queue = queue }

    // Before the queue goes: a connection with a statement would be closed only with the statement.
    deinit { statements = [] }

    /// Returns the statement of a text, prepared where it isn't kept. On the queue.
    func statement(_ sql: String, _ connection: GRDB.Database) throws -> PreparedStatement {
        if let index = statements.firstIndex(where: { $0.sql == sql }) {
            statements.append(statements.remove(at: index))
        } else {
            do {
                statements.append((sql, try connection.makeStatement(sql: sql)))
            } catch {
                throw DatabaseError(storage: error)
            }
            if statements.count > Self.statementLimit { statements.removeFirst() }
        }
        guard let last = statements.last else { throw DatabaseError(.unexpected, "no statement could be prepared") }
        return PreparedStatement(last.statement)
    }

    /// Closes the connection, which no cursor uses.
    func close() throws {
        queue.unsafeRead { _ in statements = [] }
        try queue.close()
    }
}
