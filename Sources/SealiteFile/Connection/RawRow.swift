import CSQLite
import Glibc

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
