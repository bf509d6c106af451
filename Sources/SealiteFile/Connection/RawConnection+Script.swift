import CSQLite
internal import SealiteBase

extension RawConnection {
    /// Runs every statement of a script in order, up to the first that fails. `parameters` are the values of the names
    /// that follow `$`, `:` or `@` in the script; every name needs one, because SQLite takes a missing value for NULL.
    /// Once `stop` is requested, the running statement fails with `cancelled` and no further one begins; a statement that
    /// doesn't fail has taken effect.
    package func run(
        _ script: String, parameters: [String: SQLValue] = [:], into sink: any RowSink, until stop: StatementStop
    ) throws(SealedFileError) {
        let watch = unsafe StatementWatch(handle, stop, includesWrites: true)
        defer { watch.end() }
        do throws(SealedFileError) {
            try runAll(script, parameters, sink, stop)
        } catch {
            guard unsafe sqlite3_errcode(handle) & 0xFF == SQLITE_INTERRUPT, stop.isRequested else { throw error }
            throw .statementStopped
        }
    }

    private func runAll(
        _ script: String, _ parameters: [String: SQLValue], _ sink: any RowSink, _ stop: StatementStop
    ) throws(SealedFileError) {
        forgetFailures()
        failedOffset = nil
        guard !script.utf8.contains(0) else {
            throw SealedFileError(.statement, "the SQL holds a NUL byte, and SQLite reads nothing after one")
        }
        var text = Array(script.utf8CString)
        try unsafe text.withUnsafeMutableBufferPointer { (buffer) throws(SealedFileError) in
            var next = unsafe UnsafePointer(buffer.baseAddress)
            while let start = unsafe next, unsafe start.pointee != 0 {
                var statement: OpaquePointer?
                let code = unsafe sqlite3_prepare_v2(handle, start, -1, &statement, &next)
                guard code == SQLITE_OK else {
                    let offset = unsafe sqlite3_error_offset(handle)
                    if offset >= 0, let base = buffer.baseAddress {
                        failedOffset = unsafe start - UnsafePointer(base) + Int(offset)
                    }
                    throw invalidStatement(code)
                }
                // White space or a comment only.
                guard let prepared = unsafe statement else { continue }
                defer { unsafe sqlite3_finalize(prepared) }
                if stop.isRequested { throw .statementStopped }
                try unsafe bind(parameters, to: prepared)
                try unsafe step(prepared, into: sink)
            }
        }
    }

    private func bind(_ parameters: [String: SQLValue], to statement: OpaquePointer) throws(SealedFileError) {
        let count = unsafe sqlite3_bind_parameter_count(statement)
        guard count > 0 else { return }
        for index in 1...count {
            let name = unsafe sqlite3_bind_parameter_name(statement, index).map { unsafe String(cString: $0) } ?? "?"
            guard let value = parameters[String(name.dropFirst())] else {
                let bare = name.dropFirst()
                throw SealedFileError(
                    .invalidArgument, "the parameter \(name) has no value",
                    hint: bare.isEmpty || bare.allSatisfy(\.isNumber)
                        ? FileRemedy.nameParameter.hint
                        : FileRemedy.giveParameter(name: String(bare)).hint)
            }
            unsafe value.bind(to: statement, index)
        }
    }

    /// Returns the error for a statement that SQLite couldn't compile.
    private func invalidStatement(_ code: CInt) -> SealedFileError {
        let error = error(code)
        guard error.code == .statement else { return error }
        return SealedFileError(.invalidStatement, error.reason, hint: error.hint)
    }

    private func step(_ statement: OpaquePointer, into sink: any RowSink) throws(SealedFileError) {
        let columns = unsafe (0..<sqlite3_column_count(statement)).map { column in
            unsafe sqlite3_column_name(statement, column).map { unsafe String(cString: $0) } ?? ""
        }
        if !columns.isEmpty { sink.begin(columns: columns) }
        defer { if !columns.isEmpty { sink.end() } }
        var code = unsafe sqlite3_step(statement)
        while code == SQLITE_ROW {
            unsafe sink.row(RawRow(statement: statement))
            code = unsafe sqlite3_step(statement)
        }
        guard code == SQLITE_DONE else { throw error(code) }
    }

    /// Returns whether a text ends with a complete SQL statement. https://sqlite.org/c3ref/complete.html
    package static func isComplete(_ sql: String) -> Bool { unsafe sqlite3_complete(sql) != 0 }

    /// A Boolean value that says whether a transaction is open.
    package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// An object with which another thread can interrupt the running statement. The connection must stay open until
    /// `Interrupter.interrupt()` returns.
    package var interrupter: Interrupter { unsafe Interrupter(handle: handle) }
}

extension SealedFileError {
    /// The error of a statement whose end was requested.
    fileprivate static let statementStopped = SealedFileError(.cancelled, "the statement was stopped")
}

/// A value to bind to a statement.
package enum SQLValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    func bind(to statement: OpaquePointer, _ index: CInt) {
        assert(unsafe index >= 1 && index <= sqlite3_bind_parameter_count(statement), "the statement has the parameter")
        switch self {
        case .null: unsafe sqlite3_bind_null(statement, index)
        case .integer(let value): unsafe sqlite3_bind_int64(statement, index, value)
        case .real(let value): unsafe sqlite3_bind_double(statement, index, value)
        case .text(let text): unsafe sealite_bind_text(statement, index, text, CInt(text.utf8.count))
        case .blob(let bytes): unsafe sealite_bind_blob(statement, index, bytes, CInt(bytes.count))
        }
    }
}

/// The current row of a running statement. https://sqlite.org/c3ref/column_blob.html
@safe package struct RawRow: ~Copyable {
    package let statement: OpaquePointer

    package var columnCount: Int { unsafe Int(sqlite3_column_count(statement)) }

    package func type(_ column: Int) -> CInt {
        requireColumn(column)
        return unsafe sqlite3_column_type(statement, CInt(column))
    }

    /// Asserts that the row has a column: SQLite returns NULL for one that it hasn't.
    @inline(__always)
    private func requireColumn(_ column: Int) {
        assert(column >= 0 && column < columnCount, "the row has \(columnCount) columns")
    }
    package func kind(_ column: Int) -> SQLKind { SQLKind(rawValue: type(column)) ?? .null }

    package func integer(_ column: Int) -> Int64 {
        requireColumn(column)
        return unsafe sqlite3_column_int64(statement, CInt(column))
    }

    package func real(_ column: Int) -> Double {
        requireColumn(column)
        return unsafe sqlite3_column_double(statement, CInt(column))
    }

    package func text(_ column: Int) -> String? {
        requireColumn(column)
        guard let text = unsafe sqlite3_column_text(statement, CInt(column)) else { return nil }
        let count = unsafe Int(sqlite3_column_bytes(statement, CInt(column)))
        return unsafe String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    package func blob(_ column: Int) -> [UInt8] {
        requireColumn(column)
        guard let bytes = unsafe sqlite3_column_blob(statement, CInt(column)) else { return [] }
        return unsafe Array(
            UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, CInt(column)))))
    }

    package func name(_ column: Int) -> String {
        requireColumn(column)
        return unsafe sqlite3_column_name(statement, CInt(column)).map { unsafe String(cString: $0) } ?? ""
    }
}

/// The storage class of a value in a result row. https://sqlite.org/c3ref/c_blob.html
package enum SQLKind: CInt {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
}

/// Receives the rows of a script's statements. Statements without columns are not reported.
package protocol RowSink: AnyObject {
    /// Called when a statement that has columns begins, even if it returns no row.
    func begin(columns: [String])
    /// Called for each row of the current statement.
    func row(_ row: borrowing RawRow)
    /// Called when the current statement has returned all its rows, or has failed.
    func end()
}

/// Interrupts the running statement of a connection, from any thread. https://sqlite.org/c3ref/interrupt.html
// Sendable: sqlite3_interrupt may be called from any thread while the connection is open.
@safe package struct Interrupter: @unchecked Sendable {
    let handle: OpaquePointer

    package func interrupt() { unsafe sqlite3_interrupt(handle) }
}
