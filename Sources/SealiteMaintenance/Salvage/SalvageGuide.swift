package import SealiteFile

/// Knows the tables of one program, and so can tell whose a row is that no tree of the damaged file leads to.
///
/// A salvage reads what SQLite's format alone tells; a guide then places the rest. It takes part only where something is lost.
/// All calls come from the salvage's thread.
package protocol SalvageGuide: AnyObject {
    /// Returns whether the damaged database may be one of this program.
    ///
    /// - Parameters:
    ///   - applicationID: what page 1 says; nil where page 1 is lost.
    ///   - tables: the names of the tables that the schema names, as far as it can be read.
    /// - Returns: whether ``place(_:)`` shall be asked.
    func applies(applicationID: Int32?, tables: Set<String>) -> Bool

    /// Returns whether the entries of an index of this name are evidence that the guide wants to see.
    func readsIndex(_ name: String) -> Bool

    /// Puts rows of `lost_and_found` into the tables they are of, and removes them there. Called when all rows are read and no
    /// index, view or trigger is made yet.
    func place(_ salvage: GuidedSalvage) throws(SealedFileError) -> GuideAnswer

    /// Looks at the result: everything is in place. Called also where nothing was lost, and ``place(_:)`` wasn't.
    func finish(_ salvage: GuidedSalvage) throws(SealedFileError)
}

/// The findings of a guide.
package struct GuideAnswer {
    /// The application id and user version that the new database gets where page 1 is lost; nil where the database isn't one of
    /// the guide's program after all.
    package var applicationID: Int32?
    package var userVersion: Int32?
    /// The number of rows without a table that came back although their end is lost.
    package var recoveredPartialRowCount = 0

    package init() {}
}

/// A salvage as its guide sees it.
///
/// Rows without a table, index entries and beginnings of rows are in tables of one shape: `rootpgno` (the topmost page that leads
/// to them), `pgno` (their own), `nfield` (how many fields), `id` (the rowid), and at least `c0` to `c7`.
package struct GuidedSalvage {
    /// The new database, in a transaction.
    package let connection: RawConnection
    /// A Boolean value that says whether nothing was lost: the tables for evidence don't exist then.
    package let isWhole: Bool
    /// The application id on page 1; nil where the page is lost.
    package let applicationID: Int32?
    /// A Boolean value that says whether the whole schema could be read.
    package let schemaIsComplete: Bool
    /// A Boolean value that says whether every page that is in use is known to be: where not, what was deleted may be among the
    /// rows.
    package let freelistIsComplete: Bool
    /// A Boolean value that says whether pages may be of different commits.
    package let mayContradict: Bool
    /// The tables of the schema, with their gaps.
    package let tables: [SalvagedTable]
    /// The first page of each table and index of the damaged schema, by name.
    package let roots: [String: UInt32]
    /// The indexes, and tables without rowid, of which a part is lost.
    package let brokenIndexes: Set<String>
    /// The table of rows without a table.
    package let lostAndFound: String

    /// The entries of the wanted indexes, and of index pages that no known tree leads to. Those of other roots than `roots` that
    /// are left after ``SalvageGuide/place(_:)`` count as rows without a table.
    package static let entries = "temp.salvage_entries"
    /// The beginnings of rows whose end is lost; `nfield` is the number of fields that are whole.
    package static let partialRows = "temp.salvage_partial"
    /// The least number of value columns in these tables.
    package static let columnCount = 8
}

/// The evidence that is collected for a guide, in temporary tables of the new database's connection: sealed, if they reach a disk.
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
    /// Keeps an index entry for the guide.
    func keepEntry(_ payload: [UInt8], root: UInt32, page: UInt32) throws(SealedFileError) {
        guard let evidence, let record = RowRecord(payload) else { return }
        _ = try evidence.entries.insert(record, root: root, page: page, rowid: nil, encoding)
    }

    /// Keeps the whole fields at the beginning of a row for the guide.
    func keepPartial(_ prefix: [UInt8], root: UInt32, page: UInt32, rowid: Int64?) throws(SealedFileError) {
        guard let evidence, let record = RowRecord(prefix: prefix) else { return }
        _ = try evidence.partialRows.insert(record, root: root, page: page, rowid: rowid, encoding)
    }

    /// Moves the entries that are left, and aren't of these roots, to the rows without a table.
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

    /// The names in the new database's schema, in lower case.
    func madeNames() throws(SealedFileError) -> Set<String> {
        var names: Set<String> = []
        try connection.query("SELECT lower(name) FROM sqlite_schema") { (row) throws(SealedFileError) in
            names.insert(row.text(0) ?? "")
        }
        return names
    }

    /// Counts the rows of each table of the new database, that of rows without a table left out.
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
