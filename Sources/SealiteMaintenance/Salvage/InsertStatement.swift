import CSQLite
import SealiteFile

/// A prepared INSERT, reused for every row with the same number of fields.
@safe final class InsertStatement {
    private let statement: OpaquePointer

    init(_ sql: String, _ connection: RawConnection) throws(SealedFileError) {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(connection.handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let prepared = unsafe statement else { throw connection.error(code) }
        unsafe self.statement = unsafe prepared
    }

    deinit { unsafe sqlite3_finalize(statement) }

    /// Inserts a row into a table of the schema; returns false if the table refuses it.
    func insert(
        _ record: RowRecord, rowid: Int64?, target: TableTarget, encoding: TextEncoding, _ connection: RawConnection
    ) throws(SealedFileError) -> Bool {
        if let rowid { unsafe sqlite3_bind_int64(statement, 1, rowid) }
        for (index, field) in record.fields.enumerated() {
            guard let place = target.places[index] else { continue }
            bind(field, record, encoding, at: CInt(place))
        }
        let code = step()
        switch code & 0xFF {
        case SQLITE_DONE: return unsafe sqlite3_changes(connection.handle) > 0
        case SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG: return false
        default: throw connection.error(code)
        }
    }

    /// Inserts a row whose own table isn't known into a table of such rows, with the pages where it was found.
    func insertAside(
        _ record: RowRecord, root: UInt32, page: UInt32, rowid: Int64?, _ encoding: TextEncoding,
        _ connection: RawConnection
    ) throws(SealedFileError) {
        unsafe sqlite3_bind_int64(statement, 1, Int64(root))
        unsafe sqlite3_bind_int64(statement, 2, Int64(page))
        unsafe sqlite3_bind_int64(statement, 3, Int64(record.fields.count))
        if let rowid {
            unsafe sqlite3_bind_int64(statement, 4, rowid)
        } else {
            unsafe sqlite3_bind_null(statement, 4)
        }
        for (index, field) in record.fields.enumerated() { bind(field, record, encoding, at: CInt(index + 5)) }
        let code = step()
        guard code == SQLITE_DONE else { throw connection.error(code) }
    }

    private func step() -> CInt {
        let code = unsafe sqlite3_step(statement)
        unsafe sqlite3_reset(statement)
        unsafe sqlite3_clear_bindings(statement)
        return code
    }

    private func bind(_ field: RowRecord.Field, _ record: RowRecord, _ encoding: TextEncoding, at index: CInt) {
        switch field {
        case .null: unsafe sqlite3_bind_null(statement, index)
        case .integer(let value): unsafe sqlite3_bind_int64(statement, index, value)
        case .real(let value): unsafe sqlite3_bind_double(statement, index, value)
        case .blob(let place):
            unsafe record.payload.withUnsafeBytes { bytes in
                // An empty array may have no address, and SQLite would take that for NULL.
                let start = unsafe bytes.baseAddress.map { unsafe $0 + place.lowerBound }
                _ =
                    unsafe place.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sealite_bind_blob(statement, index, start, CInt(place.count))
            }
        case .text(let place):
            unsafe record.payload.withUnsafeBytes { bytes in
                let start = unsafe bytes.baseAddress.map { unsafe $0 + place.lowerBound }
                // Bound as bytes: text that is invalid in its encoding is preserved.
                _ = unsafe sealite_bind_encoded(
                    statement, index, start, UInt64(place.count), UInt8(encoding.rawValue))
            }
        }
    }
}
