import SealiteFile

/// The table of rows whose own table isn't known, or a temporary table of the same shape. A column is added for each
/// further field that a row has.
final class LostAndFound {
    let name: String
    private(set) var rowCount = 0
    private let connection: RawConnection
    private(set) var columnCount = 0
    private var statements: [Int: InsertStatement] = [:]
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

    private func makeStatement(_ count: Int) throws(SealedFileError) -> InsertStatement {
        let names = (0..<count).map { ", c\($0)" }.joined()
        let places = (0..<count).map { ", ?\($0 + 5)" }.joined()
        return try InsertStatement(
            "INSERT INTO \(name)(rootpgno, pgno, nfield, id\(names)) VALUES(?1, ?2, ?3, ?4\(places))", connection)
    }
}
