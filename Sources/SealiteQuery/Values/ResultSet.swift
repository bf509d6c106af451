internal import SealiteBase
internal import SealiteDatabase
internal import Synchronization

/// The rows of a query, which can be read once, in batches and from one snapshot of the database: the rows are those
/// that existed when the query was executed, even if documents are saved while they are read.
///
/// A result set that isn't read to its end keeps that snapshot, because of which the write-ahead log of the database
/// grows, until it is released or ``close()`` is called. A result set that was created inside a transaction or a
/// snapshot has read all its rows already. A result set may be used from any thread.
public final class ResultSet: Sendable, Sequence, IteratorProtocol {
    /// The maximum number of rows that are read in one batch, and the number of bytes after which the batch ends early.
    private static let batch = (rows: 256, bytes: 64 * 1024)

    private struct State {
        var rows: [Result] = []
        var next = 0
        var rowsLeft: Int
        var error: (any Error)?
    }

    private let columns: ResultColumns
    private let database: Database
    private let state: Mutex<State>
    /// The cursor that the rows are read from; nil if all rows were read when the result set was created.
    private let cursor: QueryCursor?
    /// The error with which reading was interrupted by `interrupt(_:)`; nil if it wasn't interrupted.
    private let interruption = Mutex<DatabaseError?>(nil)

    /// Creates a result set of rows that have been read already, or of rows that a cursor reads, at most `rowLimit`.
    init(
        _ columns: ResultColumns, _ database: Database, rows: [Result] = [], cursor: QueryCursor? = nil,
        rowLimit: Int? = nil, changedDocumentCount: Int = 0
    ) {
        assert(rowLimit ?? 0 >= 0)
        assert(rows.allSatisfy { $0.values.count == columns.names.count }, "a row has a value for each column")
        self.columns = columns
        self.database = database
        self.cursor = cursor
        self.changedDocumentCount = changedDocumentCount
        state = Mutex(State(rows: rows, rowsLeft: cursor == nil ? 0 : rowLimit ?? .max))
    }

    /// The names of the columns of all rows, in their order.
    public var columnNames: [String] { columns.names }

    /// A Boolean value that says whether each row is the value of its only column, as with SELECT VALUE.
    package var isValue: Bool { columns.isValue }

    /// The number of documents that an UPDATE, DELETE or INSERT has changed; 0 for a query.
    public let changedDocumentCount: Int

    /// The error that ended the reading of rows early; nil if there was none so far.
    public var error: (any Error)? { state.withLock(\.error) }

    /// Returns the next row; nil after the last.
    ///
    /// - Throws: `notOpen` if the database was closed or a collection deleted, `cancelled`, `corruptData` if a required
    ///   page is damaged; the rows end there, and those before it are returned first.
    public func nextResult() throws -> Result? {
        try state.withLock { state in
            assert(state.next <= state.rows.count)
            if state.next == state.rows.count { fill(&state) }
            guard state.next < state.rows.count else {
                if let error = state.error { throw error }
                return nil
            }
            defer { state.next += 1 }
            return state.rows[state.next]
        }
    }

    /// Returns the next row; nil after the last and if reading fails: ``error`` then has the reason. ``nextResult()``
    /// throws it.
    public func next() -> Result? { try? nextResult() }

    /// Returns the remaining rows. If a row can't be read, the array ends before it, and ``error`` has the reason.
    public func allResults() -> [Result] {
        var results: [Result] = []
        while let result = next() { results.append(result) }
        return results
    }

    /// Returns the remaining rows as values of a `Decodable` type; see ``Result/data(as:dataKey:)``.
    ///
    /// - Throws: `decodingFailed`, and the errors of ``nextResult()``.
    public func data<T: Decodable>(as type: T.Type = T.self, dataKey: String? = nil) throws -> [T] {
        var values: [T] = []
        while let result = try nextResult() { values.append(try result.data(as: T.self, dataKey: dataKey)) }
        return values
    }

    /// Ends the reading and discards the remaining rows. A second call does nothing.
    public func close() {
        state.withLock { state in
            state.rows = []
            state.next = 0
            cursor?.end()
        }
    }

    /// Reads the first batch of rows, whose errors are those of executing the query.
    func begin() throws {
        try state.withLock { state in
            fill(&state)
            if let error = state.error { throw error }
        }
    }

    /// Ends the reading of rows from the database: the read in progress, or the next one, fails with the given error.
    /// Rows that were read before are still returned; there is no effect if all were.
    func interrupt(_ reason: DatabaseError) {
        interruption.withLock { $0 = $0 ?? reason }
        cursor?.interrupt()
    }

    /// Reads the next batch of rows. If reading fails, the batch ends before the row that couldn't be read, no further
    /// batch is read, and the state has the error.
    private func fill(_ state: inout State) {
        guard let cursor, state.error == nil else { return }
        assert(state.next == state.rows.count, "a batch is read after the one before it")
        var (rows, byteCount, rowsLeft) = ([Result](), 0, state.rowsLeft)
        do {
            let more =
                try rowsLeft > 0
                && cursor.fetch { row in
                    let values = (0..<CInt(row.columnCount)).map { QueryValue(row, $0) }
                    assert(values.count == columns.names.count, "a row has a value for each column")
                    byteCount += values.reduce(0) { $0 + $1.byteCount }
                    rows.append(Result(columns: columns, values: values, database: database))
                    rowsLeft -= 1
                    return rows.count >= Self.batch.rows || byteCount >= Self.batch.bytes || rowsLeft == 0
                }
            if !more || rowsLeft == 0 { cursor.end() }
        } catch {
            let isInterruption = (error as? DatabaseError)?.code == .cancelled
            let reason = isInterruption ? interruption.withLock { $0 } : nil
            // The error of a stale statement, which occurs before any row, is passed on unchanged, so that the caller
            // recognizes it.
            state.error = reason ?? (QueryErrors.isStale(error) ? error : QueryErrors.explained(error))
        }
        assert(rowsLeft >= 0 && rows.count <= Self.batch.rows)
        (state.rows, state.next, state.rowsLeft) = (rows, 0, rowsLeft)
    }
}

/// A cancellation flag for a query that runs for a task, with the result set that is interrupted when the task is
/// cancelled.
package final class Running: Sendable {
    private struct State {
        var results: ResultSet?
        var isCancelled = false
    }

    private static let cancelled = DatabaseError(.cancelled, "the query was cancelled")
    private let state = Mutex(State())

    package init() {}

    /// Sets the result set of the query, which `cancel()` interrupts; at once if it was called before.
    package func set(_ results: ResultSet) {
        let isCancelled = state.withLock { state in
            state.results = results
            return state.isCancelled
        }
        if isCancelled { results.interrupt(Self.cancelled) }
    }

    /// Checks that `cancel()` wasn't called.
    ///
    /// - Throws: `cancelled` if it was.
    func requireNotCancelled() throws {
        if state.withLock({ $0.isCancelled }) { throw Self.cancelled }
    }

    /// Ends the reading of the query's result, with the error `cancelled`. May be called from any thread.
    package func cancel() {
        let results = state.withLock { state in
            state.isCancelled = true
            return state.results
        }
        results?.interrupt(Self.cancelled)
    }
}

extension ResultSet {
    /// Lets the reading of rows fail with the error `cancelled` after a duration from `start` on, measured by a time
    /// source, unless the result set has been released by then. Returns immediately.
    func interrupt(after limit: Duration, since start: ContinuousClock.Instant, by time: any TimeSource) {
        time.after(Swift.max(start + limit - time.now, .zero)) { [weak self] in
            self?.interrupt(DatabaseError(.cancelled, "the query took longer than its time limit of \(limit)"))
        }
    }
}
