import CSQLite
import SealiteFile

/// Writes the recovered rows to the new database.
final class SalvageWriter {
    let connection: RawConnection
    let encoding: TextEncoding
    private(set) var lostAndFound: LostAndFound?
    /// The temporary tables of index entries and incomplete rows for a guide; nil if no guide takes part.
    private(set) var evidence: SalvageEvidence?
    private let takenNames: Set<String>
    private var uncommittedCount = 0
    private static let rowsPerTransaction = 20_000

    /// Creates a writer. `takenNames` are the names that the recovered schema uses.
    init(_ connection: RawConnection, settings: SalvagedSettings, takenNames: Set<String>) throws(SealedFileError) {
        self.connection = connection
        self.takenNames = takenNames
        encoding = settings.encoding
        // The schema of a damaged file is copied without running its functions.
        connection.limitSchemaTrust()
        unsafe sealite_configure(connection.handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
        try connection.execute(
            """
            PRAGMA encoding='\(settings.encoding.name)'; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;
            PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON; BEGIN
            """)
    }

    // MARK: Schema

    /// Runs one statement of the recovered schema; returns nil on success, otherwise SQLite's reason. The statement may
    /// take as much work as is needed to create an index over the damaged file's pages: a file that somebody else made
    /// may have an endless one, such as a table that is created from a query.
    func create(_ entry: SchemaEntry, of pages: SalvagePages) throws(SealedFileError) -> SchemaFailure? {
        do throws(SealedFileError) {
            if entry.isVirtual {
                try insertVirtual(entry)
            } else if let sql = entry.sql {
                // Only the first statement of the text is prepared.
                let limit = WorkLimit(
                    pageCount: entry.type == "index" ? Int(pages.pageCount) : 0, pageSize: pages.pageSize)
                try connection.limited(to: limit) { () throws(SealedFileError) in
                    try connection.query(sql)
                }
            }
            return nil
        } catch {
            guard error.code != .diskFull, error.code != .inputOutput, error.code != .locked else { throw error }
            return SchemaFailure(
                type: entry.type, name: entry.name, reason: error.reason,
                isNameMissing: MissingNames.missing(in: connection) != nil)
        }
    }

    /// Adds a virtual table without calling its module, which would create its shadow tables again: the shadow tables
    /// were recovered with their content.
    private func insertVirtual(_ entry: SchemaEntry) throws(SealedFileError) {
        try connection.execute("PRAGMA writable_schema=ON")
        defer { try? connection.execute("PRAGMA writable_schema=OFF") }
        try connection.query(
            "INSERT INTO sqlite_schema(type, name, tbl_name, rootpage, sql) VALUES('table', ?1, ?1, 0, ?2)",
            bind: [.text(entry.name), .text(entry.sql ?? "")])
    }

    // MARK: Rows

    /// Inserts a row into its table. Returns false if the schema refuses it.
    func insert(_ record: RowRecord, rowid: Int64?, into target: TableTarget) throws(SealedFileError) -> Bool {
        guard let statement = try target.statement(fieldCount: record.fields.count, connection) else { return false }
        let isIn = try statement.insert(record, rowid: rowid, target: target, encoding: encoding, connection)
        try countRow()
        return isIn
    }

    /// Stores a row whose table isn't known. Returns false if it has more fields than a table can have columns.
    func putAside(_ record: RowRecord, root: UInt32, page: UInt32, rowid: Int64?) throws(SealedFileError) -> Bool {
        let table = if let lostAndFound { lostAndFound } else { try LostAndFound(connection, taken: takenNames) }
        lostAndFound = table
        guard try table.insert(record, root: root, page: page, rowid: rowid, encoding) else { return false }
        try countRow()
        return true
    }

    // MARK: For a guide

    /// Creates `evidence`, so that index entries and incomplete rows are stored for a guide from now on.
    func collectEvidence() throws(SealedFileError) { evidence = try SalvageEvidence(connection) }

    /// Returns the table of rows whose own table isn't known, with at least `columnCount` field columns. Creates the
    /// table if it doesn't exist.
    func openLostAndFound(columnCount: Int) throws(SealedFileError) -> LostAndFound {
        let table = if let lostAndFound { lostAndFound } else { try LostAndFound(connection, taken: takenNames) }
        lostAndFound = table
        try table.makeColumns(columnCount)
        return table
    }

    /// Counts the rows of unknown tables again, and drops their table if it is empty.
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

    /// Commits the last rows, and applies the settings that only page 1 stores: user version, application id and
    /// journal mode.
    func finish(_ settings: SalvagedSettings) throws(SealedFileError) {
        try connection.execute("COMMIT")
        try connection.execute(
            "PRAGMA user_version=\(settings.userVersion); PRAGMA application_id=\(settings.applicationID)")
        if settings.isWAL { _ = try connection.text("PRAGMA journal_mode=WAL") }
    }
}
