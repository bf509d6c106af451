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
        var names: Set<String> = []
        try connection.query("SELECT lower(name) FROM sqlite_schema") { (row) throws(SealedFileError) in
            names.insert(row.text(0) ?? "")
        }
        return names
    }

    /// Returns the number of rows of each table of the new database except the table of rows of unknown tables.
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
