import CSQLite
import SealiteFile

/// A prepared INSERT, used again for every row of one shape.
@safe final class InsertStatement {
    private let statement: OpaquePointer

    init(_ sql: String, _ connection: RawConnection) throws(SealedFileError) {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(connection.handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let prepared = unsafe statement else { throw connection.error(code) }
        unsafe self.statement = unsafe prepared
    }

    deinit { unsafe sqlite3_finalize(statement) }

    /// Inserts a row into a table of the schema; false where it doesn't take it.
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

    /// Inserts a row of no known table.
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
                // An empty array may have no address, which SQLite would take for NULL.
                let start = unsafe bytes.baseAddress.map { unsafe $0 + place.lowerBound }
                _ =
                    unsafe place.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sealite_bind_blob(statement, index, start, CInt(place.count))
            }
        case .text(let place):
            unsafe record.payload.withUnsafeBytes { bytes in
                let start = unsafe bytes.baseAddress.map { unsafe $0 + place.lowerBound }
                // Bytes as they are: text that isn't valid in its encoding stays what it is.
                _ = unsafe sealite_bind_encoded(
                    statement, index, start, UInt64(place.count), UInt8(encoding.rawValue))
            }
        }
    }
}

/// A table of the new database, and which field of a stored row goes into which of its columns.
final class TableTarget {
    let name: String
    let hasRowid: Bool
    /// For each field of a row: the number of its parameter; nil for one that isn't inserted.
    private(set) var places: [Int?] = []
    /// The number of fields that a row can have.
    var fieldCount: Int { places.count }
    private let rowidName: String?
    private var columns: [Column] = []
    private var statements: [Int: InsertStatement] = [:]

    private struct Column {
        var name: String
        /// The number that `PRAGMA table_xinfo` gives: 2 and 3 are generated columns, the latter stored.
        var hidden: Int64
        var isRowid = false
    }

    /// Asks SQLite what it made of a table's SQL. Nil where there is no such table.
    init?(_ name: String, _ connection: RawConnection) throws(SealedFileError) {
        self.name = name
        var all: [Column] = []
        var keys: [(index: Int, type: String)] = []
        try connection.query(
            "SELECT name, hidden, pk, type FROM pragma_table_xinfo(?1) ORDER BY cid", bind: [.text(name)]
        ) { (row) throws(SealedFileError) in
            if row.integer(2) > 0 { keys.append((all.count, (row.text(3) ?? "").uppercased())) }
            all.append(Column(name: row.text(0) ?? "", hidden: row.integer(1)))
        }
        guard !all.isEmpty else { return nil }
        var withoutRowid = false
        try connection.query(
            "SELECT wr FROM pragma_table_list WHERE schema='main' AND name=?1 COLLATE NOCASE", bind: [.text(name)]
        ) { (row) throws(SealedFileError) in withoutRowid = row.integer(0) != 0 }
        hasRowid = !withoutRowid
        var keyIndex: String?
        try connection.query(
            "SELECT name FROM pragma_index_list(?1) WHERE origin='pk'", bind: [.text(name)]
        ) { (row) throws(SealedFileError) in keyIndex = row.text(0) }
        // A key that SQLite makes no index for is the rowid itself.
        if !withoutRowid, keyIndex == nil, keys.count == 1, let key = keys.first, key.type == "INTEGER" {
            all[key.index].isRowid = true
        }
        let taken = Set(all.map { $0.name.lowercased() })
        rowidName =
            all.contains(where: \.isRowid) || withoutRowid
            ? nil : ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
        columns = try Self.storageOrder(all, keyIndex: withoutRowid ? keyIndex : nil, connection)
        // Parameter 1 is the rowid.
        places = columns.enumerated().map { $1.hidden == 3 || $1.isRowid ? nil : $0 + 2 }
    }

    /// A table without rowid is stored in the order of its key; generated columns that aren't stored are in no row.
    private static func storageOrder(
        _ all: [Column], keyIndex: String?, _ connection: RawConnection
    ) throws(SealedFileError) -> [Column] {
        guard let keyIndex else { return all.filter { $0.hidden != 2 } }
        var ordered: [Column] = []
        try connection.query(
            "SELECT cid FROM pragma_index_xinfo(?1) ORDER BY seqno", bind: [.text(keyIndex)]
        ) { (row) throws(SealedFileError) in
            let column = Int(row.integer(0))
            if all.indices.contains(column) { ordered.append(all[column]) }
        }
        return ordered
    }

    /// The INSERT for rows of so many fields: rows from before a column was added lack its value. Nil where the table has
    /// fewer columns.
    func statement(fieldCount: Int, _ connection: RawConnection) throws(SealedFileError) -> InsertStatement? {
        if let known = statements[fieldCount] { return known }
        guard fieldCount <= columns.count else { return nil }
        var names: [String] = []
        var values: [String] = []
        if let rowid = rowidName ?? columns.first(where: \.isRowid).map({ quoted($0.name) }) {
            names.append(rowid)
            values.append("?1")
        }
        for (column, place) in zip(columns.prefix(fieldCount), places) {
            guard let place else { continue }
            names.append(quoted(column.name))
            values.append("?\(place)")
        }
        guard !names.isEmpty else { return nil }
        let made = try InsertStatement(
            "INSERT OR IGNORE INTO \(quoted(name))(\(names.joined(separator: ", ")))"
                + " VALUES(\(values.joined(separator: ", ")))", connection)
        statements[fieldCount] = made
        return made
    }
}
