package import SealiteFile

/// Knows the tables of one program, and so finds the tables to which those rows of a damaged file belong that no known
/// b-tree reaches.
///
/// A salvage first uses only SQLite's file format; a guide then assigns the remaining rows to tables. `place(_:)` is
/// called only if pages, log frames, journal units or parts of the schema are lost. All calls come from the salvage's
/// thread.
package protocol SalvageGuide: AnyObject {
    /// Returns whether the damaged database may belong to this program.
    ///
    /// - Parameters:
    ///   - applicationID: the id on page 1; nil if page 1 is lost.
    ///   - userVersion: the user version on page 1; nil if page 1 is lost.
    ///   - tables: the statements of the tables in the schema, as far as it is readable, by the names of the tables.
    /// - Returns: true to take part in the salvage; false to receive no further call.
    /// - Throws: `unsupportedVersion` for a format of the program that was removed.
    func applies(
        applicationID: Int32?, userVersion: Int32?, tables: [String: String]
    ) throws(SealedFileError) -> Bool

    /// Returns the statement with which an object of the damaged schema is created in the new database; nil to leave the
    /// object out. A guide, whose own statements read some tables, so makes sure that these are what it takes them for:
    /// a file may have been made by somebody else.
    ///
    /// - Parameters:
    ///   - type: the type of the object: `table`, `index`, `view` or `trigger`.
    ///   - name: its name.
    ///   - sql: its statement in the damaged schema.
    /// - Returns: the statement.
    func statement(type: String, name: String, sql: String) -> String?

    /// Returns whether the guide needs the entries of an index of this name as evidence.
    func readsIndex(_ name: String) -> Bool

    /// Moves rows from the table `GuidedSalvage.lostAndFound` to the tables they belong to. Called when all rows are
    /// read and no index, view or trigger has been created yet.
    func place(_ salvage: GuidedSalvage) throws(SealedFileError) -> GuideAnswer

    /// Checks the new database when all tables, indexes, views and triggers are created. Called also if nothing was
    /// lost and `place(_:)` wasn't called.
    func finish(_ salvage: GuidedSalvage) throws(SealedFileError)
}

extension SalvageGuide {
    package func statement(type: String, name: String, sql: String) -> String? { sql }
}

extension SalvageWriter {
    /// Stores an index entry for the guide. Does nothing if no guide takes part.
    func keepEntry(_ payload: [UInt8], root: UInt32, page: UInt32) throws(SealedFileError) {
        guard let evidence, let record = RowRecord(payload) else { return }
        _ = try evidence.entries.insert(record, root: root, page: page, rowid: nil, encoding)
    }

    /// Stores the complete fields at the beginning of a row for the guide. Does nothing if no guide takes part.
    func keepPartial(_ prefix: [UInt8], root: UInt32, page: UInt32, rowid: Int64?) throws(SealedFileError) {
        guard let evidence, let record = RowRecord(prefix: prefix) else { return }
        _ = try evidence.partialRows.insert(record, root: root, page: page, rowid: rowid, encoding)
    }

    /// Copies the index entries whose root page isn't among `roots` to the table of rows of unknown tables.
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

    /// Returns the names of all objects in the new database's schema, in lower case.
    func madeNames() throws(SealedFileError) -> Set<String> {
        Set(try connection.texts("SELECT lower(name) FROM sqlite_schema"))
    }

    /// Returns the number of rows of each table of the new database except the table of rows of unknown tables.
    func rowCounts() throws(SealedFileError) -> [(name: String, count: Int)] {
        let names = try connection.texts(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY rowid")
        var counts: [(String, Int)] = []
        for name in names where name != lostAndFound?.name {
            counts.append((name, Int(try connection.integer("SELECT count(*) FROM \(quoted(name))"))))
        }
        return counts
    }
}

/// The result of `SalvageGuide.place(_:)`, in which a guide to one program's tables moves rows to the tables they
/// belong to.
package struct GuideAnswer {
    /// The application id of the guide's program, which the new database gets if page 1 is lost; nil if the database
    /// doesn't belong to that program.
    package var applicationID: Int32?
    /// The user version of the guide's program, which the new database gets if page 1 is lost; nil if the database
    /// doesn't belong to that program.
    package var userVersion: Int32?
    /// The number of rows that the guide restored from `GuidedSalvage.partialRows`, although the end of each row is
    /// lost.
    package var recoveredPartialRowCount = 0

    package init() {}
}

/// The state of a salvage that a `SalvageGuide` reads and changes.
///
/// Three tables of the new database's connection have one shape: `lostAndFound`, `entries` and `partialRows`. Their
/// columns are `rootpgno` (the topmost page from which the row is reached), `pgno` (the page that contains the row),
/// `nfield` (the number of fields), `id` (the rowid), and one column for each field: `c0` to at least `c7` in `entries`
/// and `partialRows`.
package struct GuidedSalvage {
    /// The new database, in a transaction.
    package let connection: RawConnection
    /// A Boolean value that says whether no page, log frame, journal unit or part of the schema was lost. If so, the
    /// tables `entries` and `partialRows` don't exist.
    package let isWhole: Bool
    /// The application id on page 1; nil if the page is lost.
    package let applicationID: Int32?
    /// A Boolean value that says whether the whole schema could be read.
    package let schemaIsComplete: Bool
    /// A Boolean value that says whether all free pages are known: if not, deleted rows may be among the rows found.
    package let freelistIsComplete: Bool
    /// A Boolean value that says whether pages may belong to different commits, so that references between pages may be
    /// out of date.
    package let mayContradict: Bool
    /// The tables of the schema, each with the ranges of its rows that are lost.
    package let tables: [SalvagedTable]
    /// The root page of each table and index of the damaged schema, by name.
    package let roots: [String: UInt32]
    /// The names of the indexes and WITHOUT ROWID tables of which a part is lost.
    package let brokenIndexes: Set<String>
    /// The name of the table of the rows whose own table isn't known; empty if `isWhole` is true.
    package let lostAndFound: String

    /// The name of the temporary table of index entries: those of the indexes that a guide requested, and those on
    /// index pages that no known b-tree reaches. The entries that remain after `SalvageGuide.place(_:)` and whose
    /// `rootpgno` isn't in `roots` are treated as rows of unknown tables.
    package static let entries = "temp.salvage_entries"
    /// The name of the temporary table of rows whose end is lost; `nfield` is the number of complete fields.
    package static let partialRows = "temp.salvage_partial"
    /// The minimum number of field columns in `entries` and `partialRows`.
    package static let columnCount = 8
}

/// The index entries and incomplete rows that are collected for a `SalvageGuide`, in temporary tables of the new
/// database's connection. Temporary tables that SQLite writes to disk are sealed.
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
