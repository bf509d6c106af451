import SealiteFile

/// A table of the new database, with the column to which each field of a stored row belongs.
final class TableTarget {
    let name: String
    let hasRowid: Bool
    /// The number of the INSERT's parameter for each stored field; nil for a field that isn't inserted: the rowid,
    /// which is parameter 1, and stored generated columns.
    private(set) var places: [Int?] = []
    /// The maximum number of fields in a row.
    var fieldCount: Int { places.count }
    private let rowidName: String?
    private var columns: [Column] = []
    private var statements: [Int: RowInsert] = [:]

    private struct Column {
        var name: String
        /// The column `hidden` of `PRAGMA table_xinfo`: 2 for a virtual generated column, 3 for a stored generated
        /// column.
        var hidden: Int64
        var isRowid = false
    }

    /// Reads a table's columns from SQLite; nil if the table doesn't exist.
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
        hasRowid = try connection.hasRowid(name)
        let keyIndex = try connection.texts(
            "SELECT name FROM pragma_index_list(?1) WHERE origin='pk'", bind: [.text(name)]
        ).last
        // A primary key without an index is the rowid itself.
        if hasRowid, keyIndex == nil, keys.count == 1, let key = keys.first, key.type == "INTEGER" {
            all[key.index].isRowid = true
        }
        rowidName = all.contains(where: \.isRowid) || !hasRowid ? nil : freeRowidName(besides: all.map(\.name))
        columns = try Self.storageOrder(all, keyIndex: hasRowid ? nil : keyIndex, connection)
        // Parameter 1 is the rowid.
        places = columns.enumerated().map { $1.hidden == 3 || $1.isRowid ? nil : $0 + 2 }
    }

    /// Returns the columns in the order in which rows store them: in a WITHOUT ROWID table, the columns of the primary
    /// key are first. Virtual generated columns are left out, since they aren't stored.
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

    /// Returns the INSERT for rows with this number of fields: rows from before a column was added lack its value. Nil
    /// if the table has fewer columns.
    func statement(fieldCount: Int, _ connection: RawConnection) throws(SealedFileError) -> RowInsert? {
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
        let made = try RowInsert(
            "INSERT OR IGNORE INTO \(quoted(name))(\(names.joined(separator: ", ")))"
                + " VALUES(\(values.joined(separator: ", ")))", connection)
        statements[fieldCount] = made
        return made
    }
}
