internal import GRDB
internal import Synchronization

/// The connections that cursors read from: one for each cursor that isn't at its end, since a connection has one snapshot at a time. The first one has the
/// large cache, and whoever comes while it is free gets it: queries that run one after the other find the pages of those before them.
final class CursorConnections: Sendable {
    /// The number of connections that are kept open while no cursor needs them.
    private static let idleLimit = 4

    private struct State {
        /// The connections that no cursor uses, the one that is taken next at the end; nil once closed.
        var idle: [CursorConnection]? = []
        /// A Boolean value that says whether a connection with the large cache has been made.
        var hasFirst = false
    }

    /// Opens a connection; the argument says whether it has the large cache.
    private let open: @Sendable (Bool) throws -> DatabaseQueue
    private let state = Mutex(State())

    init(open: @escaping @Sendable (Bool) throws -> DatabaseQueue) { self.open = open }

    /// Returns a connection that no other cursor uses.
    ///
    /// - Throws: `notOpen` once closed, and what opening the file throws.
    func take() throws -> CursorConnection {
        let (found, isFirst) = try state.withLock { state in
            guard state.idle != nil else { throw DatabaseError(.notOpen, "the database is closed") }
            let found = state.idle?.popLast()
            let isFirst = found == nil && !state.hasFirst
            if isFirst { state.hasFirst = true }
            return (found, isFirst)
        }
        if let found { return found }
        do {
            return CursorConnection(try open(isFirst), isFirst: isFirst)
        } catch {
            if isFirst { state.withLock { $0.hasFirst = false } }
            throw error
        }
    }

    /// Takes a connection back. Statements on it are reset.
    func giveBack(_ connection: CursorConnection) {
        let isKept = state.withLock { state in
            guard let count = state.idle?.count, connection.isFirst || count < Self.idleLimit else { return false }
            state.idle?.insert(connection, at: connection.isFirst ? count : 0)
            return true
        }
        if !isKept { try? connection.close() }
    }

    /// Closes the connections that no cursor uses; a cursor's own closes when its cursor ends.
    func close() throws {
        let closing = state.withLock { state in
            defer { state.idle = nil }
            return state.idle ?? []
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
    /// A Boolean value that says whether the connection has the large cache.
    let isFirst: Bool
    /// The statements by their texts, the one that was used last at the end.
    private var statements: [(sql: String, statement: GRDB.Statement)] = []

    init(_ queue: DatabaseQueue, isFirst: Bool) { (self.queue, self.isFirst) = (queue, isFirst) }

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
