internal import GRDB
internal import SealiteJSON
internal import Synchronization

/// The connections that cursors read from: one for each cursor that isn't at its end, since a connection has one
/// snapshot at a time. The first connection has the large cache and is preferred whenever it is idle, so that a query
/// finds the pages of the queries before it. That cache is small for the first query: a process may make no other one,
/// and would get from the system, and clear, memory of the size of the file for pages that it reads once.
final class CursorConnections: DatabasePart {
    /// The maximum number of idle connections that are kept open, not counting the one with the large cache.
    private static let idleLimit = 4
    /// The maximum number of bytes of the file that are cached for the first query.
    private static let firstCacheByteCount = 4 << 20

    private struct State {
        /// The idle connections, of which the last one is used next; nil once these connections are closed.
        var idle: [CursorConnection]? = []
        /// A Boolean value that says whether the connection with the large cache has been opened.
        var hasFirst = false
    }

    /// Opens a connection; the argument is true for the connection with the large cache.
    private let open: @Sendable (Bool) throws -> CursorConnection
    private let state = Mutex(State())

    init(_ opener: any StorageOpener, _ configuration: DatabaseConfiguration) {
        open = { isFirst in
            let full = configuration.queryCacheByteCount
            let start = isFirst ? min(full, Self.firstCacheByteCount) : full
            let queue = try opener.openReader(configuration, caching: start, isFirst: isFirst)
            return CursorConnection(queue, isFirst: isFirst, growsTo: start < full ? full : nil)
        }
    }

    /// Returns an idle connection for a cursor, or opens one if none is idle.
    ///
    /// - Throws: `notOpen` once closed, and errors from opening the file.
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
            return try open(isFirst)
        } catch {
            if isFirst { state.withLock { $0.hasFirst = false } }
            throw error
        }
    }

    /// Takes back a connection from a cursor that has ended, whose statements are reset. The connection is kept idle,
    /// or closed if enough are.
    func giveBack(_ connection: CursorConnection) {
        let isKept = state.withLock { state in
            guard let count = state.idle?.count, connection.isFirst || count < Self.idleLimit else { return false }
            assert(state.idle?.contains { $0 === connection } == false, "a connection is given back once")
            state.idle?.insert(connection, at: connection.isFirst ? count : 0)
            return true
        }
        if !isKept { try? connection.close() }
    }

    /// Closes the idle connections; the connection of a cursor closes when the cursor ends.
    func close() throws {
        let closing = state.withLock { state in
            defer { state.idle = nil }
            return state.idle ?? []
        }
        for connection in closing { try connection.close() }
    }
}

extension Database {
    /// The connections that the database's cursors read from.
    var cursors: CursorConnections {
        attachments.object(CursorConnections.self) { CursorConnections(opener, configuration) }
    }
}

/// A connection from which query cursors read, with its most recently used prepared statements.
// Sendable: the variables are used on the connection's queue only, and by `deinit`.
final class CursorConnection: @unchecked Sendable {
    /// The maximum number of prepared statements that are kept. GRDB's own cache has no bound, and queries with
    /// literals have ever-changing texts.
    private static let statementLimit = 32

    let queue: DatabaseQueue
    /// A Boolean value that says whether this is the one connection with the large page cache, which is used whenever
    /// it is idle.
    let isFirst: Bool
    /// The number of bytes of the file that the page cache may hold once it is large; nil if it is.
    private var largeCacheByteCount: Int?
    /// A Boolean value that says whether a cursor has used the connection.
    private var wasUsed = false
    /// The prepared statements with their SQL texts, the most recently used one last.
    private var statements: [(sql: String, statement: GRDB.Statement)] = []
    /// The number of statements that the connection has prepared so far.
    private(set) var preparedCount = 0

    init(_ queue: DatabaseQueue, isFirst: Bool, growsTo largeCacheByteCount: Int?) {
        (self.queue, self.isFirst, self.largeCacheByteCount) = (queue, isFirst, largeCacheByteCount)
    }

    // The statements are released before the queue, because a connection isn't closed while a statement exists.
    deinit { statements = [] }

    /// Returns the prepared statement for an SQL text, and prepares it if it isn't cached. Called on the connection's
    /// queue.
    func statement(_ sql: String, _ connection: GRDB.Database) throws -> PreparedStatement {
        // The texts of texts in different Unicode forms are different statements.
        if let index = statements.lastIndex(where: { ExactText.areSame($0.sql, sql) }) {
            if index < statements.count - 1 { statements.append(statements.remove(at: index)) }
        } else {
            statements.append((sql, try PreparedStatement(once: sql, connection).owner))
            preparedCount += 1
            if statements.count > Self.statementLimit { statements.removeFirst() }
        }
        assert(
            statements.count <= Self.statementLimit && statements.last.map { ExactText.areSame($0.sql, sql) } == true,
            "the last statement is the one in use")
        guard let last = statements.last else { throw DatabaseError(.unexpected, "no statement could be prepared") }
        return PreparedStatement(last.statement)
    }

    /// Makes the page cache large, unless the connection's first cursor is to run a statement that needs a page once.
    /// Called on the connection's queue.
    func growCache(for sql: String, _ connection: GRDB.Database) throws {
        guard let byteCount = largeCacheByteCount else { return }
        defer { wasUsed = true }
        guard wasUsed || !Self.readsOnce(sql) else { return }
        try connection.execute(sql: "PRAGMA cache_size = -\(max(byteCount / 1024, 64))")
        largeCacheByteCount = nil
    }

    /// Returns whether a statement of a query reads a page of the file once: it has one table of documents, looks nothing
    /// up, and doesn't sort more rows than a LIMIT leaves. SQLite sorts in memory as much as the cache may hold.
    private static func readsOnce(_ sql: String) -> Bool {
        let text = Array(sql.utf8)
        let looksUp = ["JOIN", "IN (SELECT", "GROUP BY", "PARTITION BY", "DISTINCT"].contains {
            count($0, in: text) > 0
        }
        let sorts = count("ORDER BY", in: text) > 0 && count("LIMIT", in: text) == 0
        return !looksUp && !sorts && count("documents_", in: text) == 1
    }

    /// Returns how often an ASCII text occurs in another. `String.contains(_:)` takes longer for the first of them than the
    /// statement does.
    private static func count(_ word: StaticString, in text: [UInt8]) -> Int {
        let word = Array(word.description.utf8)
        guard let first = word.first, text.count >= word.count else { return 0 }
        return (0...text.count - word.count).count { start in
            text[start] == first && text[start..<start + word.count].elementsEqual(word)
        }
    }

    /// Closes the connection, which must be idle.
    func close() throws {
        queue.unsafeRead { _ in statements = [] }
        try queue.close()
    }
}
