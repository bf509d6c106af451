internal import CTestVFS

/// An error of SQLite.
package struct SQLFailure: Error, Sendable, CustomStringConvertible {
    /// The extended result code.
    package let code: Int32
    package let message: String

    package var description: String { "\(message) (\(code))" }
}

/// A connection to a database, for one thread.
@safe
package final class Connection {
    private var database: OpaquePointer?
    private let owner: AnyObject?
    private let explanation: (OpaquePointer) -> String?

    /// Opens or creates the database at `path` through the VFS of that name.
    package convenience init(path: String, vfs: String) throws {
        try unsafe self.init(path: path, vfs: vfs, keeping: nil) { _ in nil }
    }

    /// Opens a connection that keeps `owner` alive, and adds to its errors what `explanation` returns for the `sqlite3
    /// *`.
    package init(
        path: String, vfs: String, keeping owner: AnyObject?,
        explanation: @escaping (_ database: OpaquePointer) -> String?
    ) throws {
        self.owner = owner
        unsafe self.explanation = unsafe explanation
        let code = unsafe sqlite3_open_v2(
            path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, vfs)
        guard code == SQLITE_OK else {
            defer { close() }
            throw failure(code)
        }
    }

    deinit {
        close()
    }

    package func close() {
        unsafe sqlite3_close_v2(database)
        unsafe database = nil
    }

    /// A Boolean value that says whether no transaction is open.
    package var isAutocommit: Bool { unsafe sqlite3_get_autocommit(database) != 0 }

    /// Runs a script of statements, and drops the rows they return.
    package func execute(_ script: String) throws {
        let code = unsafe sqlite3_exec(database, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// The first column of every row, as text; NULL as the empty string.
    package func column(_ query: String) throws -> [String] {
        var values: [String] = []
        try unsafe rows(query) { statement in
            values.append(unsafe sqlite3_column_text(statement, 0).map { unsafe String(cString: $0) } ?? "")
        }
        return values
    }

    /// A hash of the schema and of every row of every table, in all attached databases.
    package func digest() throws -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for schema in try column("SELECT name FROM pragma_database_list WHERE name <> 'temp' ORDER BY name") {
            let tables = try column("SELECT name FROM \"\(schema)\".sqlite_master WHERE type = 'table' ORDER BY name")
            try fold("SELECT type, name, sql FROM \"\(schema)\".sqlite_master ORDER BY name", into: &hash)
            for table in tables { try fold("SELECT * FROM \"\(schema)\".\"\(table)\"", into: &hash) }
        }
        return hash
    }

    private func fold(_ query: String, into hash: inout UInt64) throws {
        var folded = hash
        try unsafe rows(query) { statement in
            for index in unsafe 0..<sqlite3_column_count(statement) {
                let type = unsafe sqlite3_column_type(statement, index)
                let bytes = unsafe sqlite3_column_blob(statement, index)
                let count = unsafe Int(sqlite3_column_bytes(statement, index))
                folded = unsafe ctestvfs_fold(folded &+ UInt64(type) &+ UInt64(count), bytes, count)
            }
        }
        hash = folded
    }

    private func rows(_ query: String, _ body: (OpaquePointer) -> Void) throws {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(database, query, -1, &statement, nil)
        defer { unsafe sqlite3_finalize(statement) }
        guard code == SQLITE_OK, let statement = unsafe statement else { throw failure(code) }
        while true {
            switch unsafe sqlite3_step(statement) {
            case SQLITE_ROW: unsafe body(statement)
            case SQLITE_DONE: return
            case let code: throw failure(code)
            }
        }
    }

    private func failure(_ code: CInt) -> SQLFailure {
        let extended = unsafe sqlite3_extended_errcode(database)
        let message = unsafe sqlite3_errmsg(database).map { unsafe String(cString: $0) } ?? "no connection"
        let explained = unsafe database.flatMap { unsafe explanation($0) }.map { "\(message): \($0)" } ?? message
        return SQLFailure(code: extended == SQLITE_OK ? code : extended, message: explained)
    }
}
