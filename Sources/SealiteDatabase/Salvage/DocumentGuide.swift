internal import SealiteFile
internal import SealiteMaintenance

/// Recognizes the tables of a document database (Documentation/DocumentFormat.md §3) in the salvage of a damaged file.
///
/// Rows that no b-tree reaches are recognized by their shape: the number and types of their fields, and the format's
/// rules for the values. The collection of a document's row is inferred from neighboring rows: ``RowPlacement``.
final class DocumentGuide: SalvageGuide {
    private(set) var report: SalvagedDocuments?
    /// A Boolean value that says whether the damaged file is known to be a document database.
    private var isCertain = false

    func applies(applicationID: Int32?, userVersion: Int32?, tables: [String: String]) throws(SealedFileError) -> Bool {
        if let applicationID {
            isCertain = Int64(applicationID) == FormatTables.applicationID
        } else {
            isCertain = ["collections", "properties", "blob_references", "documents_1"].allSatisfy { tables[$0] != nil }
        }
        guard isCertain || applicationID == nil else { return false }
        // Tables of format 1 under the present definitions would mix up the columns of their rows.
        let isRemoved =
            userVersion.map { (1..<FormatTables.version).contains(Int64($0)) }
            ?? tables.contains { name, sql in
                Self.collectionNumber(ofTable: name) != nil && sql.contains("sequence INTEGER PRIMARY KEY")
            }
        guard !isRemoved else { throw .removedFormat("document format \(userVersion ?? 1)") }
        return true
    }

    func readsIndex(_ name: String) -> Bool {
        Self.collectionNumber(ofIndex: name, suffix: "_id") != nil
            || Self.collectionNumber(ofIndex: name, suffix: "_sequence") != nil
            || SalvagedSchemaRows.indexNames.contains(name)
    }

    func place(_ salvage: GuidedSalvage) throws(SealedFileError) -> GuideAnswer {
        var answer = GuideAnswer()
        let rows = DocumentRows(salvage: salvage)
        try rows.collect()
        let areOfDocuments = try rows.areOfDocuments()
        guard salvage.applicationID != nil || areOfDocuments else {
            try rows.close()
            return answer
        }
        (answer.applicationID, answer.userVersion) = (Int32(FormatTables.applicationID), Int32(FormatTables.version))
        var report = SalvagedDocuments()
        for part in FormatTables.parts where part.name != "blob_references_digest" {
            try salvage.make(part)
        }
        try salvage.correctNumbers()
        report.hasNewIdentity = try SalvagedSchemaRows(salvage: salvage).place()
        try SalvagedCatalogue(salvage: salvage).place()
        var collections = SalvagedCollections(salvage)
        try collections.place(&report)
        try rows.setAsideUnreadable(collections.numbers)
        try RowPlacement(salvage: salvage, numbers: collections.numbers).run()
        answer.recoveredPartialRowCount = try rows.insert(into: &report)
        try rows.recoverRest(&report, &collections)
        try rows.countLosses(&report)
        try SalvagedSchemaRows(salvage: salvage).keepRemoteNumbers(collections.numbers)
        try SalvagedSync(salvage: salvage).place(&report, collections.numbers)
        report.gaveUpCheckpoints = try salvage.removeCheckpoints()
        try SalvagedBlobs(salvage: salvage).place(&report, collections.numbers)
        try collections.raiseSequences()
        try rows.close()
        try salvage.dropEntriesOfIndexes()
        self.report = report
        return answer
    }

    func finish(_ salvage: GuidedSalvage) throws(SealedFileError) {
        if salvage.isWhole {
            // The application id alone identifies the file, since no rows had to be searched for.
            guard salvage.applicationID != nil else { return }
            for part in FormatTables.parts where part.name == "collections" { try salvage.make(part) }
            try salvage.correctNumbers()
            var whole = SalvagedDocuments()
            var collections = SalvagedCollections(salvage)
            try collections.list(&whole)
            report = whole
        }
        guard var report else { return }
        for part in FormatTables.parts { try salvage.make(part) }
        if !salvage.isWhole { try SalvagedCatalogue(salvage: salvage).settle() }
        for index in report.collections.indices {
            for part in FormatTables.collectionParts(report.collections[index].number) { try salvage.make(part) }
            try report.collections[index].count(salvage.connection)
        }
        try SalvagedSchemaRows(salvage: salvage).keepVersions(report.collections.map(\.number))
        report.blobCount = Int(
            try salvage.connection.integer("SELECT count(*) FROM blobs WHERE digest IS NOT NULL"))
        self.report = report
    }

    /// Returns the number of the collection whose document ids, for the suffix `_id`, or sequences, for `_sequence`,
    /// the index with a name lists; nil for any other index.
    private static func collectionNumber(ofIndex name: String, suffix: String) -> Int? {
        name.hasSuffix(suffix) ? collectionNumber(ofTable: String(name.dropLast(suffix.count))) : nil
    }

    /// Returns the number of the collection whose documents the table with a name contains; nil for any other table.
    static func collectionNumber(ofTable name: String) -> Int? {
        guard let place = SchemaTexts.place(of: name), place.part == 0 else { return nil }
        return place.number
    }

    func statement(type: String, name: String, sql: String) -> String? {
        isCertain ? SalvagedSchema.statement(type: type, name: name, sql: sql) : sql
    }
}

extension GuidedSalvage {
    /// Creates a table or index of the format in the new database if it doesn't exist.
    func make(_ part: FormatTables.Part) throws(SealedFileError) {
        let found = try connection.rows("SELECT 1 FROM sqlite_schema WHERE name = ?1", bind: [.text(part.name)]) { _ in
            true
        }
        if found.isEmpty { try connection.execute(part.sql) }
    }

    /// Returns the result of the salvage for the table with a name; nil if the damaged schema doesn't name the table.
    func table(_ name: String) -> SalvagedTable? { tables.first { $0.name == name } }

    /// Returns whether nothing of the index over a collection's document ids is lost, so that it lists exactly the
    /// collection's documents.
    func isIndexWhole(_ number: Int) -> Bool {
        isWhole("documents_\(number)_id")
    }

    /// Returns whether nothing of the index with a name is lost in the damaged file.
    func isWhole(_ index: String) -> Bool {
        roots[index] != nil && !brokenIndexes.contains(index) && !mayContradict
    }

    /// The numbers of the root pages of the tables and indexes that the damaged schema names, as a list for SQL.
    var knownRoots: String { roots.values.sorted().map { String($0) }.joined(separator: ", ") }

    /// Removes the replication checkpoints: they state which sequences a peer has, and sequences of lost documents may
    /// be assigned again. The records of which collections were replicated stay, and so does the state of per-document
    /// sync. If all these records may be lost although the database was replicated, each collection counts as
    /// replicated.
    ///
    /// - Returns: true if there were checkpoints, or if they may be lost: the table that has them is damaged, and the
    ///   database was replicated.
    func removeCheckpoints() throws(SealedFileError) -> Bool {
        let notes = "'\(SealiteDatabase.Collection.replicationStore)'"
        let checkpoints = "('checkpoints', 'peerCheckpoints')"
        try connection.execute(
            """
            INSERT OR IGNORE INTO local_values (store, name, value) SELECT c0, c1, c3 FROM \(Self.entries)
            WHERE rootpgno NOT IN (\(knownRoots)) AND nfield = 4 AND c0 = \(notes) AND typeof(c1) = 'text'
            AND typeof(c2) = 'null' AND typeof(c3) = 'blob'
            """)
        let isDamaged = table("local_values")?.isComplete != true
        let hadCheckpoints = try connection.integer(
            """
            SELECT EXISTS (SELECT 1 FROM local_values WHERE store IN \(checkpoints))
                OR EXISTS (SELECT 1 FROM \(Self.entries)
                    WHERE rootpgno NOT IN (\(knownRoots)) AND nfield = 4 AND c0 IN \(checkpoints))
                OR \(isDamaged ? 1 : 0) AND (EXISTS (SELECT 1 FROM remotes)
                    OR EXISTS (SELECT 1 FROM local_values WHERE store = \(notes)))
            """)
        if isDamaged, hadCheckpoints != 0 {
            try connection.execute(
                """
                INSERT INTO local_values (store, name, value) SELECT \(notes), number, x'' FROM collections
                WHERE NOT EXISTS (SELECT 1 FROM local_values WHERE store = \(notes))
                """)
        }
        try connection.execute(
            """
            DELETE FROM \(Self.entries) WHERE rootpgno NOT IN (\(knownRoots)) AND nfield = 4
            AND typeof(c0) = 'text' AND typeof(c1) = 'text' AND typeof(c2) IN ('text', 'null') AND typeof(c3) = 'blob'
            """)
        try connection.execute("DELETE FROM local_values WHERE store <> \(notes) AND NOT \(SalvagedSync.stores)")
        return hadCheckpoints != 0
    }

    /// Deletes the recovered entries of the document format's own indexes, which are rebuilt, so that they aren't
    /// reported as rows of unknown tables.
    func dropEntriesOfIndexes() throws(SealedFileError) {
        let shapes: [[String]] = [
            ["integer"], ["integer", "integer"], ["text", "integer"], ["null", "integer"],
            ["text", "text", "integer"], ["integer", "text", "blob"], ["blob", "integer", "text"],
            ["integer", "text", "integer"],
        ]
        let keys = (1..<GuidedSalvage.columnCount).map { Array(repeating: "blob", count: $0) + ["integer"] }
        for shape in shapes + keys {
            let types = shape.enumerated().map { "typeof(c\($0)) = '\($1)'" }.joined(separator: " AND ")
            try connection.execute(
                """
                DELETE FROM \(Self.entries)
                WHERE rootpgno NOT IN (\(knownRoots)) AND nfield = \(shape.count) AND \(types)
                """)
        }
    }
}

extension SalvagedCollection {
    /// Counts the collection's content in the new database.
    mutating func count(_ connection: RawConnection) throws(SealedFileError) {
        let table = "documents_\(number)"
        documentCount = Int(try connection.integer("SELECT count(*) FROM \(table) WHERE NOT flags & 1"))
        tombstoneCount = Int(try connection.integer("SELECT count(*) FROM \(table) WHERE flags & 1"))
    }
}
