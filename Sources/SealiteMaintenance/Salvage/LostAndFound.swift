import CSQLite
import SealiteFile

/// The table of rows whose own table isn't known, or a temporary table of the same shape. A column is added for each
/// further field that a row has.
final class LostAndFound {
    let name: String
    private(set) var rowCount = 0
    private let connection: RawConnection
    private(set) var columnCount = 0
    private var statements: [Int: RowInsert] = [:]
    /// The maximum number of field columns: SQLite's limit of 2000 columns, minus the four that precede the fields.
    private static let columnLimit = 1996

    convenience init(_ connection: RawConnection, taken: Set<String>) throws(SealedFileError) {
        var name = "lost_and_found"
        var number = 0
        while taken.contains(name) {
            name = "lost_and_found_\(number)"
            number += 1
        }
        try self.init(connection, name: name)
    }

    /// Creates a table with this name, which may be that of a temporary table.
    init(_ connection: RawConnection, name: String) throws(SealedFileError) {
        self.connection = connection
        self.name = name
        try connection.execute("CREATE TABLE \(name)(rootpgno INTEGER, pgno INTEGER, nfield INTEGER, id INTEGER)")
    }

    /// Adds field columns until there are `count` of them.
    func makeColumns(_ count: Int) throws(SealedFileError) {
        while columnCount < count {
            try connection.execute("ALTER TABLE \(name) ADD COLUMN c\(columnCount)")
            columnCount += 1
        }
    }

    /// Sets `rowCount` to the number of rows in the table, since a guide may have added and removed some.
    func count() throws(SealedFileError) { rowCount = Int(try connection.integer("SELECT count(*) FROM \(name)")) }

    /// Finalizes the statements that would prevent the table from being dropped.
    func finalize() { statements = [:] }

    func insert(
        _ record: RowRecord, root: UInt32, page: UInt32, rowid: Int64?, _ encoding: TextEncoding
    ) throws(SealedFileError) -> Bool {
        let count = record.fields.count
        guard count <= Self.columnLimit else { return false }
        try makeColumns(count)
        let statement = if let known = statements[count] { known } else { try makeStatement(count) }
        statements[count] = statement
        try statement.insertAside(record, root: root, page: page, rowid: rowid, encoding, connection)
        rowCount += 1
        return true
    }

    private func makeStatement(_ count: Int) throws(SealedFileError) -> RowInsert {
        let names = (0..<count).map { ", c\($0)" }.joined()
        let places = (0..<count).map { ", ?\($0 + 5)" }.joined()
        return try RowInsert(
            "INSERT INTO \(name)(rootpgno, pgno, nfield, id\(names)) VALUES(?1, ?2, ?3, ?4\(places))", connection)
    }
}

/// A prepared INSERT, reused for every row with the same number of fields.
@safe final class RowInsert {
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
