package import SealiteFile

/// Knows the tables of one program, and can therefore determine the table of a row that no tree of the damaged file
/// leads to.
///
/// A salvage uses SQLite's format alone; a guide then assigns the remaining rows. It takes part only if something is
/// lost. All calls come from the salvage's thread.
package protocol SalvageGuide: AnyObject {
    /// Returns whether the damaged database may belong to this program.
    ///
    /// - Parameters:
    ///   - applicationID: the id on page 1; nil if page 1 is lost.
    ///   - tables: the names of the tables in the schema, as far as it is readable.
    /// - Returns: whether ``place(_:)`` is to be called.
    func applies(applicationID: Int32?, tables: Set<String>) -> Bool

    /// Returns whether the guide needs the entries of an index of this name as evidence.
    func readsIndex(_ name: String) -> Bool

    /// Moves rows of `lost_and_found` to their tables. Called when all rows are read and no index, view or trigger has
    /// been created yet.
    func place(_ salvage: GuidedSalvage) throws(SealedFileError) -> GuideAnswer

    /// Checks the result when everything is in place. Called also if nothing was lost and ``place(_:)`` wasn't called.
    func finish(_ salvage: GuidedSalvage) throws(SealedFileError)
}

/// The result of a guide.
package struct GuideAnswer {
    /// The application id and user version for the new database if page 1 is lost; nil if the database doesn't belong
    /// to the guide's program after all.
    package var applicationID: Int32?
    package var userVersion: Int32?
    /// The number of rows of unknown tables that were restored although their end is lost.
    package var recoveredPartialRowCount = 0

    package init() {}
}

/// The view of a salvage that its guide works on.
///
/// Rows of unknown tables, index entries and beginnings of rows are in tables of one shape: `rootpgno` (the topmost
/// page that leads to them), `pgno` (their own page), `nfield` (the number of fields), `id` (the rowid), and at least
/// `c0` to `c7`.
package struct GuidedSalvage {
    /// The new database, in a transaction.
    package let connection: RawConnection
    /// A Boolean value that says whether nothing was lost: the tables of evidence then don't exist.
    package let isWhole: Bool
    /// The application id on page 1; nil if the page is lost.
    package let applicationID: Int32?
    /// A Boolean value that says whether the whole schema could be read.
    package let schemaIsComplete: Bool
    /// A Boolean value that says whether all free pages are known: if not, deleted rows may be among the rows found.
    package let freelistIsComplete: Bool
    /// A Boolean value that says whether pages may be of different commits.
    package let mayContradict: Bool
    /// The tables of the schema, with their gaps.
    package let tables: [SalvagedTable]
    /// The root page of each table and index of the damaged schema, by name.
    package let roots: [String: UInt32]
    /// The names of the indexes and WITHOUT ROWID tables of which a part is lost.
    package let brokenIndexes: Set<String>
    /// The name of the table of rows of unknown tables.
    package let lostAndFound: String

    /// The entries of the requested indexes, and of index pages that no known tree leads to. Entries with other roots
    /// than `roots` that remain after ``SalvageGuide/place(_:)`` count as rows of unknown tables.
    package static let entries = "temp.salvage_entries"
    /// The beginnings of rows whose end is lost; `nfield` is the number of complete fields.
    package static let partialRows = "temp.salvage_partial"
    /// The minimum number of value columns in these tables.
    package static let columnCount = 8
}

/// The evidence collected for a guide, in temporary tables of the new database's connection, which are sealed if they
/// are written to disk.
final class SalvageEvidence {
    let entries: LostAndFound
    let partialRows: LostAndFound

    init(_ connection: RawConnection) throws(SealedFileError) {
        entries = try LostAndFound(connection, name: GuidedSalvage.entries)
        partialRows = try LostAndFound(connection, name: GuidedSalvage.partialRows)
        try entries.makeColumns(GuidedSalvage.columnCount)
        try partialRows.makeColumns(GuidedSalvage.columnCount)
    }
}

extension SalvageWriter {
    /// Stores an index entry for the guide.
    func keepEntry(_ payload: [UInt8], root: UInt32, page: UInt32) throws(SealedFileError) {
        guard let evidence, let record = RowRecord(payload) else { return }
        _ = try evidence.entries.insert(record, root: root, page: page, rowid: nil, encoding)
    }

    /// Stores the complete fields at the beginning of a row for the guide.
    func keepPartial(_ prefix: [UInt8], root: UInt32, page: UInt32, rowid: Int64?) throws(SealedFileError) {
        guard let evidence, let record = RowRecord(prefix: prefix) else { return }
        _ = try evidence.partialRows.insert(record, root: root, page: page, rowid: rowid, encoding)
    }

    /// Moves the remaining entries of other roots to the rows of unknown tables.
    func keepEntriesAsRows(except roots: Set<UInt32>) throws(SealedFileError) {
        guard let evidence else { return }
        let table = try openLostAndFound(columnCount: evidence.entries.columnCount)
        let names = (0..<evidence.entries.columnCount).map { "c\($0)" }.joined(separator: ", ")
        let known = roots.sorted().map { String($0) }.joined(separator: ", ")
        try connection.execute(
            """
            INSERT INTO \(table.name)(rootpgno, pgno, nfield, id, \(names))
            SELECT rootpgno, pgno, nfield, id, \(names) FROM \(GuidedSalvage.entries) WHERE rootpgno NOT IN (\(known))
            """)
    }

    /// Returns the names in the new database's schema, in lower case.
    func madeNames() throws(SealedFileError) -> Set<String> {
        var names: Set<String> = []
        try connection.query("SELECT lower(name) FROM sqlite_schema") { (row) throws(SealedFileError) in
            names.insert(row.text(0) ?? "")
        }
        return names
    }

    /// Counts the rows of each table of the new database except the table of rows of unknown tables.
    func rowCounts() throws(SealedFileError) -> [(name: String, count: Int)] {
        var names: [String] = []
        try connection.query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY rowid"
        ) { (row) throws(SealedFileError) in names.append(row.text(0) ?? "") }
        var counts: [(String, Int)] = []
        for name in names where name != lostAndFound?.name {
            counts.append((name, Int(try connection.integer("SELECT count(*) FROM \(quoted(name))"))))
        }
        return counts
    }
}
