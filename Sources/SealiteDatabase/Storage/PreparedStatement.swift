internal import CSQLite
internal import GRDB
internal import SealiteFunctions

/// One execution of a prepared statement, usually from GRDB's statement cache: binding, stepping, reading columns. The
/// statement is reset when the value goes out of scope.
///
/// Rows are read with SQLite's own functions because GRDB's rows and arguments allocate several objects for each row,
/// which costs more than the row itself. Bytes and text are copied at binding and at reading; no pointer outlives a
/// call. <https://sqlite.org/c3ref/stmt.html>
@safe
package struct PreparedStatement: ~Copyable {
    /// The GRDB statement, which belongs to its connection's cache; the reference keeps it alive.
    let owner: GRDB.Statement
    private let handle: OpaquePointer

    /// Prepares `sql`, or takes it from the cache. The same statement must not be in use on this connection.
    init(_ database: GRDB.Database, _ sql: String) throws {
        owner = try DatabaseError.ofStorage { try database.cachedStatement(sql: sql) }
        unsafe handle = owner.sqliteStatement
        assert(unsafe sqlite3_stmt_busy(handle) == 0, "a cached statement has one user at a time")
    }

    /// Prepares `sql`, or takes it from the cache, and binds values to its parameters ?1, ?2 and so on.
    init<each Bound: BindableValue>(_ database: GRDB.Database, _ sql: String, _ values: repeat each Bound) throws {
        try self.init(database, sql)
        var position: CInt = 0
        for value in repeat each values {
            position += 1
            value.bind(to: self, at: position)
        }
    }

    /// Prepares `sql` without caching it, because the connection's cache has no bound.
    init(once sql: String, _ database: GRDB.Database) throws {
        owner = try DatabaseError.ofStorage { try database.makeStatement(sql: sql) }
        unsafe handle = owner.sqliteStatement
    }

    /// Uses a statement that was prepared before and must not be in use.
    @inline(__always)
    init(_ statement: GRDB.Statement) {
        owner = statement
        unsafe handle = statement.sqliteStatement
        assert(unsafe sqlite3_stmt_busy(handle) == 0, "a statement has one user at a time")
    }

    deinit {
        unsafe sqlite3_reset(handle)
    }

    /// Asserts that a position is one of a parameter. The statement may lack it: SQLite ignores the value of a query's
    /// parameter that only another statement of the query has.
    @inline(__always)
    private borrowing func requireParameter(_ position: CInt) {
        assert(position >= 1, "parameters are counted from 1")
    }

    /// Asserts that the rows have a column: SQLite returns NULL for one that they haven't.
    @inline(__always)
    private borrowing func requireColumn(_ column: CInt) {
        assert(unsafe column >= 0 && column < sqlite3_column_count(handle), "the row has the column")
    }

    // MARK: - Binding (<https://sqlite.org/c3ref/bind_blob.html>); positions count from 1

    /// SQLITE_TRANSIENT, which is a cast in a C macro: SQLite copies bound content.
    private static var transient: sqlite3_destructor_type {
        unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    @inline(__always)
    package borrowing func bind(_ value: Int64, at position: CInt) {
        requireParameter(position)
        unsafe sqlite3_bind_int64(handle, position, value)
    }

    @inline(__always)
    package borrowing func bindNull(at position: CInt) {
        requireParameter(position)
        unsafe sqlite3_bind_null(handle, position)
    }

    package borrowing func bind(_ text: String, at position: CInt) {
        requireParameter(position)
        var text = text
        text.withUTF8 { unsafe bind(utf8: $0, position) }
    }

    @inline(__always)
    private borrowing func bind(utf8 text: UnsafeBufferPointer<UInt8>, _ position: CInt) {
        unsafe text.withMemoryRebound(to: CChar.self) { characters in
            // An empty text has no address, but a null pointer would bind NULL.
            if let address = characters.baseAddress {
                _ = unsafe sqlite3_bind_text(handle, position, address, CInt(characters.count), Self.transient)
            } else {
                _ = unsafe sqlite3_bind_text(handle, position, "", 0, Self.transient)
            }
        }
    }

    package borrowing func bind(_ bytes: [UInt8], at position: CInt) {
        bind(bytes, 0..<bytes.count, at: position)
    }

    borrowing func bind(_ bytes: [UInt8], _ range: Range<Int>, at position: CInt) {
        requireParameter(position)
        assert(range.upperBound <= bytes.count)
        unsafe bytes.withUnsafeBytes { bytes in
            let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
            if let address = part.baseAddress, part.count > 0 {
                _ = unsafe sqlite3_bind_blob(handle, position, address, CInt(part.count), Self.transient)
            } else {
                _ = unsafe sqlite3_bind_zeroblob(handle, position, 0)
            }
        }
    }

    borrowing func bind(_ bytes: [UInt8]?, at position: CInt) {
        if let bytes { bind(bytes, at: position) } else { bindNull(at: position) }
    }

    /// Binds UTF-8 as text, or NULL for nil.
    borrowing func bind(text: [UInt8]?, at position: CInt) {
        requireParameter(position)
        guard let text else { return bindNull(at: position) }
        unsafe text.withUnsafeBufferPointer { unsafe bind(utf8: $0, position) }
    }

    package borrowing func bind(_ value: Double, at position: CInt) {
        requireParameter(position)
        unsafe sqlite3_bind_double(handle, position, value)
    }

    /// Binds a pointer to counters of visited rows. The counters must live until the statement goes out of scope.
    borrowing func bind(_ visits: borrowing RowVisits, at position: CInt) {
        requireParameter(position)
        unsafe visits.bind(to: handle, at: position)
    }

    /// Binds a pointer to the entries of an index. They must live until the statement goes out of scope.
    borrowing func bind(_ entries: SortedEntries, at position: CInt) {
        requireParameter(position)
        unsafe entries.bind(to: handle, at: position)
    }

    /// Binds a pointer to a visitor of documents' bodies. The visitor must live until the statement goes out of scope.
    borrowing func bind(_ visitor: BodyVisitor, at position: CInt) {
        requireParameter(position)
        unsafe visitor.bind(to: handle, at: position)
    }

    // MARK: - Stepping

    /// Runs the statement up to its next row.
    ///
    /// - Returns: true if there is a row, false if the statement is done.
    /// - Throws: SQLite's error, as a `DatabaseError`.
    @inline(__always)
    package borrowing func step() throws -> Bool {
        let result = unsafe sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        let connection = unsafe sqlite3_db_handle(handle)
        let code = unsafe sqlite3_extended_errcode(connection)
        let message = unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) }
        throw DatabaseError(connection: connection, resultCode: code, message: message ?? "unknown error")
    }

    /// Runs the statement to its end, and ignores rows that it returns.
    @inline(__always)
    borrowing func run() throws {
        while try step() {}
    }

    /// The number of rows that the last INSERT, UPDATE or DELETE on this connection changed.
    var changedRowCount: Int {
        Int(unsafe sqlite3_changes(sqlite3_db_handle(handle)))
    }

    // MARK: - Columns of the current row (<https://sqlite.org/c3ref/column_blob.html>); positions count from 0

    @inline(__always)
    package borrowing func int64(at column: CInt) -> Int64 {
        requireColumn(column)
        return unsafe sqlite3_column_int64(handle, column)
    }

    package borrowing func double(at column: CInt) -> Double {
        requireColumn(column)
        return unsafe sqlite3_column_double(handle, column)
    }

    /// The number of columns of a row.
    package var columnCount: Int { Int(unsafe sqlite3_column_count(handle)) }

    /// Returns the type of a column of the current row. <https://sqlite.org/datatype3.html>
    package borrowing func type(at column: CInt) -> ColumnType {
        requireColumn(column)
        return switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    package borrowing func isNull(at column: CInt) -> Bool {
        requireColumn(column)
        return unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    borrowing func optionalInt64(at column: CInt) -> Int64? {
        isNull(at: column) ? nil : int64(at: column)
    }

    package borrowing func text(at column: CInt) -> String {
        requireColumn(column)
        return unsafe String(decoding: utf8(at: column), as: UTF8.self)
    }

    /// Returns the text in a column; nil if it isn't UTF-8.
    borrowing func validText(at column: CInt) -> String? {
        requireColumn(column)
        return unsafe String(validating: utf8(at: column), as: UTF8.self)
    }

    /// Returns the UTF-8 of a column's text, empty for NULL, which is valid until the next step.
    @inline(__always)
    private borrowing func utf8(at column: CInt) -> UnsafeBufferPointer<UInt8> {
        let text = unsafe sqlite3_column_text(handle, column)
        return unsafe UnsafeBufferPointer(
            start: text, count: text == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }

    /// Returns the bytes of a BLOB in a column; nil for any other type.
    borrowing func blob(at column: CInt) -> [UInt8]? {
        unsafe sqlite3_column_type(handle, column) == SQLITE_BLOB ? bytes(at: column) : nil
    }

    /// Returns the bytes of a column; nil for NULL.
    package borrowing func bytes(at column: CInt) -> [UInt8]? {
        requireColumn(column)
        guard let address = unsafe sqlite3_column_blob(handle, column) else {
            return isNull(at: column) ? nil : []
        }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: address, count: count))
    }

    /// Passes the UTF-8 of a column's text, empty for NULL, to a function without copying it.
    @inline(__always)
    borrowing func withText<Result>(
        at column: CInt, _ body: (borrowing Span<UInt8>) throws -> Result
    ) rethrows -> Result {
        try body(unsafe utf8(at: column).span)
    }

    /// Passes a column's bytes, empty for NULL, to a function without copying them.
    @inline(__always)
    package borrowing func withBytes<Result>(
        at column: CInt, _ body: (borrowing Span<UInt8>) throws -> Result
    ) rethrows -> Result {
        let address = unsafe sqlite3_column_blob(handle, column)
        let count = unsafe address == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
        let buffer = unsafe UnsafeBufferPointer(start: address?.assumingMemoryBound(to: UInt8.self), count: count)
        return try body(unsafe buffer.span)
    }
}

/// A value that the parameter of a statement can be bound to.
protocol BindableValue {
    /// Binds the parameter of a statement at a position, counted from 1, to the value.
    func bind(to statement: borrowing PreparedStatement, at position: CInt)
}

extension Int64: BindableValue {
    func bind(to statement: borrowing PreparedStatement, at position: CInt) { statement.bind(self, at: position) }
}

extension Int: BindableValue {
    func bind(to statement: borrowing PreparedStatement, at position: CInt) {
        statement.bind(Int64(self), at: position)
    }
}

extension String: BindableValue {
    func bind(to statement: borrowing PreparedStatement, at position: CInt) { statement.bind(self, at: position) }
}

extension [UInt8]: BindableValue {
    func bind(to statement: borrowing PreparedStatement, at position: CInt) { statement.bind(self, at: position) }
}

extension Optional: BindableValue where Wrapped: BindableValue {
    func bind(to statement: borrowing PreparedStatement, at position: CInt) {
        if let self { self.bind(to: statement, at: position) } else { statement.bindNull(at: position) }
    }
}

extension GRDB.Database {
    /// Runs a statement to its end, with values for its parameters ?1, ?2 and so on.
    ///
    /// - Returns: the number of rows that an INSERT, UPDATE or DELETE changed.
    @discardableResult
    func run<each Bound: BindableValue>(_ sql: String, _ values: repeat each Bound) throws -> Int {
        let statement = try PreparedStatement(self, sql, repeat each values)
        try statement.run()
        return statement.changedRowCount
    }

    /// Returns what `read` makes of a statement's first row; nil if there is no row.
    func first<Found, each Bound: BindableValue>(
        _ sql: String, _ values: repeat each Bound, read: (borrowing PreparedStatement) throws -> Found?
    ) throws -> Found? {
        let statement = try PreparedStatement(self, sql, repeat each values)
        return try statement.step() ? try read(statement) : nil
    }

    /// Returns whether a statement returns a row.
    func hasRow<each Bound: BindableValue>(_ sql: String, _ values: repeat each Bound) throws -> Bool {
        try PreparedStatement(self, sql, repeat each values).step()
    }

    /// Returns the first column of a statement's first row, as an integer; 0 if there is no row.
    func integer<each Bound: BindableValue>(_ sql: String, _ values: repeat each Bound) throws -> Int64 {
        try first(sql, repeat each values) { $0.int64(at: 0) } ?? 0
    }

    /// Returns what `read` makes of each row of a statement.
    func rows<Found, each Bound: BindableValue>(
        _ sql: String, _ values: repeat each Bound, read: (borrowing PreparedStatement) throws -> Found
    ) throws -> [Found] {
        let statement = try PreparedStatement(self, sql, repeat each values)
        var found: [Found] = []
        while try statement.step() { found.append(try read(statement)) }
        return found
    }

    /// Turns triggers off on the connection that makes all changes.
    /// <https://sqlite.org/c3ref/c_dbconfig_defensive.html>
    ///
    /// The triggers of indexes serve other writers. This connection maintains indexes without them, since SQLite writes
    /// a statement journal for each statement that fires a trigger.
    func turnTriggersOff() throws {
        guard let handle = unsafe sqliteConnection,
            unsafe sealite_configure(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0) == SQLITE_OK
        else {
            throw DatabaseError(.unexpected, "SQLite can't turn triggers off")
        }
    }

    /// Sets the journal mode to a write-ahead log, which is stored in the file, and for this connection whether each
    /// transaction waits until the disk has stored it.
    func useLog(isFullySynchronous: Bool) throws {
        guard try first("PRAGMA journal_mode = WAL", read: { $0.text(at: 0) }) == "wal" else {
            throw DatabaseError(.unexpected, "SQLite can't use a write-ahead log for the database")
        }
        try execute(sql: "PRAGMA synchronous = \(isFullySynchronous ? "FULL" : "NORMAL")")
    }
}

/// The storage classes of SQLite's values.
package enum ColumnType: Sendable {
    case null, integer, real, text, blob
}

// Values of the format (Documentation/DocumentFormat.md §1) that are checked where they are read. A file may have been
// made by somebody else, and SQLite enforces the types of columns only on rows that it writes itself.
extension PreparedStatement {
    /// The bound that the numbers of rows, sequences and counts stay below: their sums and differences fit in 64 bits.
    static var numberLimit: Int64 { 1 << 62 }

    /// Returns the number in a column.
    ///
    /// - Parameters:
    ///   - column: the index of the column.
    ///   - least: the smallest valid number.
    ///   - what: describes the number in the error.
    /// - Returns: the number.
    /// - Throws: `corruptData` if the value isn't an integer, is less than `least`, or reaches `numberLimit`.
    @inline(__always)
    borrowing func number(
        at column: CInt, atLeast least: Int64 = 1, _ what: @autoclosure () -> String
    ) throws -> Int64 {
        let value = int64(at: column)
        guard value >= least, value < Self.numberLimit, type(at: column) == .integer else {
            throw Self.outOfRange(what(), least)
        }
        return value
    }

    /// Returns the number of a document in a column, which is negative for a tombstone.
    ///
    /// - Throws: `corruptData` if the value isn't an integer, is 0, or has an absolute value that reaches
    ///   `numberLimit`.
    @inline(__always)
    borrowing func documentNumber(at column: CInt) throws -> Int64 {
        let value = int64(at: column)
        guard value != 0, value.magnitude < Self.numberLimit.magnitude, type(at: column) == .integer else {
            throw Self.outOfRange("the stored number of a document", 1)
        }
        return value
    }

    /// Returns the sequence of a document in a column.
    ///
    /// - Throws: `corruptData` as ``number(at:atLeast:_:)``.
    @inline(__always)
    borrowing func sequence(at column: CInt) throws -> Int64 {
        try number(at: column, "the stored sequence of a document")
    }

    /// Returns the number of a collection in a column.
    ///
    /// - Throws: `corruptData` as ``number(at:atLeast:_:)``.
    borrowing func collectionNumber(at column: CInt) throws -> Int {
        Int(try number(at: column, "the stored number of a collection"))
    }

    /// Returns the number of a remote in a column.
    ///
    /// - Throws: `corruptData` as ``number(at:atLeast:_:)``.
    borrowing func remoteNumber(at column: CInt) throws -> Int {
        Int(try number(at: column, "the stored number of a remote"))
    }

    /// Returns the text in a column, such as an id, by which rows are found again.
    ///
    /// - Throws: `corruptData` if the value isn't TEXT or isn't UTF-8.
    borrowing func exactText(at column: CInt, _ what: @autoclosure () -> String) throws -> String {
        if type(at: column) == .text, let text = validText(at: column) { return text }
        throw DatabaseError(.corruptData, "\(what()) isn't a text", hint: Self.repair)
    }

    /// Returns the id of a document in a column.
    ///
    /// - Throws: `corruptData` if the value isn't TEXT or isn't UTF-8.
    borrowing func documentID(at column: CInt) throws -> String {
        try exactText(at: column, "the stored id of a document")
    }

    private static func outOfRange(_ what: String, _ least: Int64) -> DatabaseError {
        DatabaseError(.corruptData, "\(what) isn't a number from \(least) to \(numberLimit - 1)", hint: repair)
    }

    private static var repair: String { "restore a backup, or recover the documents by a salvage" }
}

extension DatabaseError {
    /// Returns the error for rows that don't follow each other in the order in which they are read page by page: the
    /// next page would repeat earlier rows.
    package static func disorder(_ what: String, in table: String) -> DatabaseError {
        DatabaseError(
            .corruptData, "the \(what) of the table \"\(table)\" aren't in their order: an index or a table is damaged",
            hint: "check the database, and restore a backup or recover the documents by a salvage")
    }
}
