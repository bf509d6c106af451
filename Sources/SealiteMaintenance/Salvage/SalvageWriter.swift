import CSQLite
import SealiteFile

/// The new database that takes the rows.
final class SalvageWriter {
    let connection: RawConnection
    let encoding: TextEncoding
    private(set) var lostAndFound: LostAndFound?
    /// The evidence that a guide may need beside rows; nil where there is no guide.
    private(set) var evidence: SalvageEvidence?
    private let takenNames: Set<String>
    private var uncommittedCount = 0
    private static let rowsPerTransaction = 20_000

    /// `takenNames` are the names that the recovered schema uses.
    init(_ connection: RawConnection, settings: SalvagedSettings, takenNames: Set<String>) throws(SealedFileError) {
        self.connection = connection
        self.takenNames = takenNames
        encoding = settings.encoding
        // A schema out of a damaged file is copied, not run.
        unsafe sealite_configure(connection.handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        try connection.execute(
            """
            PRAGMA encoding='\(settings.encoding.name)'; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;
            PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON; BEGIN
            """)
    }

    // MARK: Schema

    /// Runs one statement of the recovered schema; nil where it worked, else SQLite's reason.
    func create(_ entry: SchemaEntry) throws(SealedFileError) -> SchemaFailure? {
        do throws(SealedFileError) {
            if entry.isVirtual {
                try insertVirtual(entry)
            } else if let sql = entry.sql {
                // Only the first statement is prepared, whatever follows it.
                try connection.query(sql)
            }
            return nil
        } catch {
            guard error.code != .diskFull, error.code != .inputOutput, error.code != .locked else { throw error }
            return SchemaFailure(type: entry.type, name: entry.name, reason: error.reason)
        }
    }

    /// Without its module, which would make its own tables anew: those were recovered with their content.
    private func insertVirtual(_ entry: SchemaEntry) throws(SealedFileError) {
        try connection.execute("PRAGMA writable_schema=ON")
        defer { try? connection.execute("PRAGMA writable_schema=OFF") }
        try connection.query(
            "INSERT INTO sqlite_schema(type, name, tbl_name, rootpage, sql) VALUES('table', ?1, ?1, 0, ?2)",
            bind: [.text(entry.name), .text(entry.sql ?? "")])
    }

    // MARK: Rows

    /// Puts a row into its table. False where the schema doesn't take it.
    func insert(_ record: RowRecord, rowid: Int64?, into target: TableTarget) throws(SealedFileError) -> Bool {
        guard let statement = try target.statement(fieldCount: record.fields.count, connection) else { return false }
        let isIn = try statement.insert(record, rowid: rowid, target: target, encoding: encoding, connection)
        try countRow()
        return isIn
    }

    /// Puts a row whose table isn't known aside. False where it has more fields than a table can have columns.
    func putAside(_ record: RowRecord, root: UInt32, page: UInt32, rowid: Int64?) throws(SealedFileError) -> Bool {
        let table = if let lostAndFound { lostAndFound } else { try LostAndFound(connection, taken: takenNames) }
        lostAndFound = table
        guard try table.insert(record, root: root, page: page, rowid: rowid, encoding) else { return false }
        try countRow()
        return true
    }

    // MARK: For a guide

    /// Begins to collect what a guide may need beside rows.
    func collectEvidence() throws(SealedFileError) { evidence = try SalvageEvidence(connection) }

    /// The table for rows without a table, made if there is none yet, with at least so many value columns.
    func openLostAndFound(columnCount: Int) throws(SealedFileError) -> LostAndFound {
        let table = if let lostAndFound { lostAndFound } else { try LostAndFound(connection, taken: takenNames) }
        lostAndFound = table
        try table.makeColumns(columnCount)
        return table
    }

    /// Counts again what is in the table for rows without a table, and removes one that is empty.
    func closeLostAndFound() throws(SealedFileError) {
        guard let lostAndFound else { return }
        try lostAndFound.count()
        guard lostAndFound.rowCount == 0 else { return }
        lostAndFound.finalize()
        try connection.execute("DROP TABLE \(lostAndFound.name)")
        self.lostAndFound = nil
    }

    private func countRow() throws(SealedFileError) {
        uncommittedCount += 1
        guard uncommittedCount >= Self.rowsPerTransaction else { return }
        uncommittedCount = 0
        try connection.execute("COMMIT; BEGIN")
    }

    /// The end: settings that only page 1 holds.
    func finish(_ settings: SalvagedSettings) throws(SealedFileError) {
        try connection.execute("COMMIT")
        try connection.execute(
            "PRAGMA user_version=\(settings.userVersion); PRAGMA application_id=\(settings.applicationID)")
        if settings.isWAL { _ = try connection.text("PRAGMA journal_mode=WAL") }
    }
}

/// The table for rows whose own table isn't known. It gets columns as rows need them.
final class LostAndFound {
    let name: String
    private(set) var rowCount = 0
    private let connection: RawConnection
    private(set) var columnCount = 0
    private var statements: [Int: InsertStatement] = [:]
    /// SQLite's limit on columns, less the four in front.
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

    /// A table of this name, which may be a temporary one.
    init(_ connection: RawConnection, name: String) throws(SealedFileError) {
        self.connection = connection
        self.name = name
        try connection.execute("CREATE TABLE \(name)(rootpgno INTEGER, pgno INTEGER, nfield INTEGER, id INTEGER)")
    }

    /// Adds value columns until there are so many.
    func makeColumns(_ count: Int) throws(SealedFileError) {
        while columnCount < count {
            try connection.execute("ALTER TABLE \(name) ADD COLUMN c\(columnCount)")
            columnCount += 1
        }
    }

    /// Counts the rows, which others may have added and removed.
    func count() throws(SealedFileError) { rowCount = Int(try connection.integer("SELECT count(*) FROM \(name)")) }

    /// Gives up the statements that keep the table from being dropped.
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
