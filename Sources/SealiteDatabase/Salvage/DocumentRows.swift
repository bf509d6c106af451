internal import SealiteFile
internal import SealiteJSON
internal import SealiteMaintenance
internal import SealiteRevisions

/// The rows of a damaged file that have the shape of a document's row and that no b-tree reaches.
struct DocumentRows {
    let salvage: GuidedSalvage
    private var connection: RawConnection { salvage.connection }

    /// The name of the temporary table with facts about each row: its location (`source` is its rowid in
    /// `lost_and_found`, or among the partial rows), its page, and, once it is known, the number of its collection.
    static let found = "temp.salvage_found"

    /// Collects the rows that look like documents' rows and whose table isn't known, in the temporary table `found`.
    func collect() throws(SealedFileError) {
        try connection.execute(
            """
            CREATE TABLE \(Self.found) (source INTEGER, partial INTEGER, page INTEGER, root INTEGER, key INTEGER, sequence INTEGER,
                id TEXT, flags INTEGER, keeps_tree INTEGER, is_readable INTEGER, number INTEGER,
                placed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (source, partial)) WITHOUT ROWID;
            CREATE TABLE temp.salvage_ids (number INTEGER, id TEXT, sequence INTEGER, key INTEGER, is_live INTEGER);
            CREATE TABLE temp.salvage_orphan_ids (page INTEGER, id TEXT, key INTEGER)
            """)
        try collect(from: salvage.lostAndFound, fieldCount: DocumentLayout.fieldCount, isPartial: false)
        try collect(from: GuidedSalvage.partialRows, fieldCount: DocumentLayout.fieldCount - 1, isPartial: true)
        try connection.execute(
            """
            CREATE INDEX temp.salvage_found_id ON salvage_found (id, key);
            CREATE INDEX temp.salvage_found_page ON salvage_found (page)
            """)
        for (name, number) in salvage.tableNumbers {
            guard let root = salvage.roots[name] else { continue }
            try connection.execute("UPDATE \(Self.found) SET number = \(number) WHERE partial AND root = \(root)")
        }
    }

    /// Returns whether the damaged file shows evidence of a document database. Used if page 1, which has the
    /// application id, is lost.
    func areOfDocuments() throws(SealedFileError) -> Bool {
        guard salvage.tables.allSatisfy({ $0.name != "documents_1" }) else { return true }
        if try connection.integer("SELECT count(*) FROM \(Self.found) WHERE is_readable") > 0 { return true }
        return try connection.integer(
            """
            SELECT count(*) FROM \(GuidedSalvage.entries)
            WHERE nfield = 2 AND c0 IN ('publicUUID', 'privateUUID') AND typeof(c1) = 'blob' AND length(c1) = 16
            """) > 0
    }

    func close() throws(SealedFileError) {
        try connection.execute(
            "DROP TABLE \(Self.found); DROP TABLE temp.salvage_ids; DROP TABLE temp.salvage_orphan_ids")
    }

    private func collect(from table: String, fieldCount: Int, isPartial: Bool) throws(SealedFileError) {
        let connection = connection
        try connection.query(
            """
            SELECT rowid, rootpgno, pgno, id, c1, c3, c4, c6, c7,
                c2
            FROM \(table) WHERE nfield = \(fieldCount) AND \(DocumentLayout.typeCondition)
            """
        ) { (row) throws(SealedFileError) in
            let id = row.text(4) ?? ""
            let content = DocumentContent(
                id: id, flags: row.integer(5), revision: row.blob(6), body: row.optionalBlob(7),
                tree: row.optionalBlob(8), isTreeLost: isPartial)
            guard let content else { return }
            try connection.query(
                """
                INSERT INTO \(Self.found) (source, partial, page, root, key, id, flags, keeps_tree, is_readable, sequence)
                VALUES (?1, \(isPartial ? 1 : 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                """,
                bind: [
                    .integer(row.integer(0)), .integer(row.integer(2)), .integer(row.integer(1)),
                    .integer(row.integer(3)), .text(id), .integer(content.flags.rawValue),
                    .integer(content.keepsTree ? 1 : 0), .integer(content.isReadable ? 1 : 0), .integer(row.integer(9)),
                ])
        }
    }

    // MARK: Rows in their tables

    /// Moves rows that don't follow the format from the tables of the given collections to `lost_and_found`; such rows
    /// occur only if pages belong to different commits. Does the same to all but the newest of several rows of one
    /// document or with one sequence, and creates the unique indexes of the tables.
    func setAsideUnreadable(_ numbers: [Int]) throws(SealedFileError) {
        for number in numbers {
            if salvage.mayContradict { try setAsideUnreadable(number) }
            try setAsideOlder(number)
            for index in DocumentLayout.uniqueIndexes(number) { try salvage.make(index) }
        }
    }

    private func setAsideUnreadable(_ number: Int) throws(SealedFileError) {
        var odd: [Int64] = []
        try connection.query("SELECT number, id, flags, revision, body, tree FROM documents_\(number)") {
            (row) throws(SealedFileError) in
            let content = DocumentContent(
                id: row.text(1) ?? "", flags: row.integer(2), revision: row.blob(3), body: row.optionalBlob(4),
                tree: row.optionalBlob(5), isTreeLost: false)
            if content?.isReadable != true || content?.keepsTree != true { odd.append(row.integer(0)) }
        }
        for key in odd { try setAside(key, number, isReadable: false) }
    }

    /// Keeps only the most recently changed one of several rows of one document, or of several rows with one sequence,
    /// in a collection's table; the others are moved to `lost_and_found`.
    private func setAsideOlder(_ number: Int) throws(SealedFileError) {
        let older = try connection.rows(
            """
            SELECT key FROM (
                SELECT number AS key, row_number() OVER (PARTITION BY id ORDER BY sequence DESC) AS of_id,
                    row_number() OVER (PARTITION BY sequence ORDER BY number DESC) AS of_sequence
                FROM documents_\(number))
            WHERE of_id > 1 OR of_sequence > 1
            """
        ) { $0.integer(0) }
        for key in older { try setAside(key, number, isReadable: true) }
    }

    private func setAside(_ key: Int64, _ number: Int, isReadable: Bool) throws(SealedFileError) {
        try connection.query(
            """
            INSERT INTO \(salvage.lostAndFound)
                (rootpgno, pgno, nfield, c1, c2, c3, c4, c5,
                c6, c7, id)
            SELECT 0, 0, \(DocumentLayout.fieldCount), id, sequence, flags, revision, expires, body, tree, number
            FROM documents_\(number) WHERE number = ?1
            """, bind: [.integer(key)])
        try connection.query(
            """
            INSERT INTO \(Self.found)
                (source, partial, page, root, key, sequence, id, flags, keeps_tree, is_readable, number)
            SELECT last_insert_rowid(), 0, 0, 0, number, sequence, id, flags, 1, ?2, \(number)
            FROM documents_\(number) WHERE number = ?1
            """, bind: [.integer(key), .integer(isReadable ? 1 : 0)])
        try connection.query("DELETE FROM documents_\(number) WHERE number = ?1", bind: [.integer(key)])
    }

    // MARK: Putting back

    /// Inserts the rows whose collection is known into the tables of their collections, and counts them in the report.
    ///
    /// - Returns: the number of inserted rows whose end is lost and that no b-tree reaches.
    func insert(into report: inout SalvagedDocuments) throws(SealedFileError) -> Int {
        var partialCount = 0
        for index in report.collections.indices {
            let number = report.collections[index].number
            try setAsideReplaced(number)
            let confirmed =
                salvage.freelistIsComplete
                ? "1"
                : "EXISTS (SELECT 1 FROM temp.salvage_ids AS i WHERE i.number = \(number) AND \(DocumentLayout.isExactEntry)"
                    + " AND i.is_live)"
            for isPartial in [false, true] {
                let before = try connection.integer("SELECT count(*) FROM documents_\(number)")
                try insert(number, where: confirmed, isPartial)
                let between = try connection.integer("SELECT count(*) FROM documents_\(number)")
                // A row that a complete index doesn't list was deleted.
                if !salvage.isWhole(DocumentLayout.exactIndex(number)) { try insert(number, where: "1", isPartial) }
                let after = try connection.integer("SELECT count(*) FROM documents_\(number)")
                report.collections[index].foundApartCount += Int(after - before)
                report.collections[index].unconfirmedCount += Int(after - between)
                if isPartial {
                    let ofTree = Int(
                        try connection.integer(
                            """
                            SELECT count(*) FROM \(Self.found) WHERE partial AND placed AND number = \(number)
                            AND root IN (\(salvage.knownRoots))
                            """))
                    partialCount += Int(after - before) - ofTree
                }
            }
            report.collections[index].withoutHistory += try connection.rows(
                "SELECT id FROM \(Self.found) WHERE placed AND number = \(number) AND NOT keeps_tree ORDER BY id"
            ) { $0.text(0) ?? "" }
        }
        try removePlaced()
        return max(0, partialCount)
    }

    /// Moves each row of a collection's table that a newer found row of the same document replaces to `lost_and_found`.
    private func setAsideReplaced(_ number: Int) throws(SealedFileError) {
        let replaced = try connection.rows(
            """
            SELECT DISTINCT d.number FROM \(Self.found) AS f JOIN documents_\(number) AS d ON d.id = f.id
            WHERE f.number = \(number) AND f.is_readable AND f.sequence > d.sequence
            """
        ) { $0.integer(0) }
        for key in replaced { try setAside(key, number, isReadable: true) }
    }

    private func insert(_ number: Int, where condition: String, _ isPartial: Bool) throws(SealedFileError) {
        let table = isPartial ? GuidedSalvage.partialRows : salvage.lostAndFound
        try connection.execute(
            """
            INSERT OR IGNORE INTO documents_\(number)
                (id, sequence, flags, revision, expires, body, tree, number)
            SELECT f.id, f.sequence, f.flags, \(kept), f.key
            FROM \(Self.found) AS f JOIN \(table) AS r ON r.rowid = f.source
            WHERE f.number = \(number) AND f.partial = \(isPartial ? 1 : 0) AND f.is_readable AND \(condition)
            ORDER BY f.sequence DESC;
            UPDATE \(Self.found) AS f SET placed = 1
            WHERE number = \(number) AND partial = \(isPartial ? 1 : 0) AND is_readable
            AND EXISTS (SELECT 1 FROM documents_\(number) AS d
                WHERE d.number = f.key AND d.id = f.id AND d.sequence = f.sequence)
            """)
    }

    /// The columns that are recovered unchanged from a row whose table isn't known, in SQL.
    private var kept: String {
        "r.c4, r.c5, r.c6, CASE WHEN f.keeps_tree THEN r.c7 END"
    }

    private func removePlaced() throws(SealedFileError) {
        try connection.execute(
            """
            DELETE FROM \(salvage.lostAndFound) WHERE rowid IN
                (SELECT source FROM \(Self.found) WHERE placed AND NOT partial)
            """)
    }

    /// Returns the rows that aren't in a collection's table, each with its location and, as far as it is known without
    /// another look at the collections, the reason.
    private func rest(
        _ collections: SalvagedCollections
    ) throws(SealedFileError) -> [(source: Int64, isPartial: Bool, document: UnplacedDocument)] {
        // If all indexes are complete, a row that none of them lists belongs to no collection.
        let areAllWhole =
            salvage.schemaIsComplete
            && collections.numbers.allSatisfy {
                salvage.isIndexWhole($0) && salvage.isWhole(DocumentLayout.exactIndex($0))
            }
        let isHeld =
            collections.numbers.map {
                "(f.number = \($0) AND EXISTS (SELECT 1 FROM documents_\($0) AS d WHERE d.id = f.id))"
            }
            .joined(separator: " OR ")
        return try connection.rows(
            """
            SELECT source, partial, id, sequence, page, is_readable, number, \(isHeld),
                \(DocumentLayout.isListed)
            FROM \(Self.found) AS f WHERE NOT placed ORDER BY page, sequence
            """
        ) { row in
            let isKnown = row.kind(6) != .null
            let reason: UnplacedDocument.Reason =
                row.integer(5) == 0
                ? .unreadable
                : isKnown && row.integer(7) != 0
                    ? .superseded : isKnown || areAllWhole && row.integer(8) == 0 ? .deleted : .unknownCollection
            let document = UnplacedDocument(
                id: row.text(2) ?? "", sequence: row.integer(3), page: UInt32(truncatingIfNeeded: row.integer(4)),
                reason: reason, collection: nil)
            return (row.integer(0), row.integer(1) != 0, document)
        }
    }

    /// Stores documents of unknown collections in new collections of the scope `recovered`, and lists these documents
    /// and the rows that can't be stored in the report.
    func recoverRest(
        _ report: inout SalvagedDocuments, _ collections: inout SalvagedCollections
    ) throws(SealedFileError) {
        var homes: [SalvagedCollection] = []
        for item in try rest(collections) {
            guard item.document.reason == .unknownCollection else {
                report.unplaced.append(item.document)
                continue
            }
            var home: SalvagedCollection?
            for candidate in homes where home == nil {
                if try adopt(item.source, item.isPartial, into: candidate.number) { home = candidate }
            }
            if home == nil {
                let made = try collections.addRecovered(&report)
                homes.append(made)
                if try adopt(item.source, item.isPartial, into: made.number) { home = made }
            }
            report.unplaced.append(
                UnplacedDocument(
                    id: item.document.id, sequence: item.document.sequence, page: item.document.page,
                    reason: .unknownCollection, collection: home?.fullName))
        }
        try removePlaced()
    }

    /// Inserts a found row, with a new sequence, into the collection with the number `number`.
    ///
    /// - Returns: false if the collection has a document with the same id.
    private func adopt(_ source: Int64, _ isPartial: Bool, into number: Int) throws(SealedFileError) -> Bool {
        let before = try connection.integer("SELECT count(*) FROM documents_\(number)")
        let table = isPartial ? GuidedSalvage.partialRows : salvage.lostAndFound
        let isSource = "source = ?1 AND partial = \(isPartial ? 1 : 0)"
        try connection.query(
            """
            INSERT OR IGNORE INTO documents_\(number)
                (id, sequence, flags, revision, expires, body, tree, number)
            SELECT f.id, (SELECT ifnull(max(sequence), 0) + 1 FROM documents_\(number)), f.flags, \(kept),
                (SELECT ifnull(max(abs(number)), 0) + 1 FROM documents_\(number)) * (1 - 2 * (f.flags & 1))
            FROM \(Self.found) AS f JOIN \(table) AS r ON r.rowid = f.source WHERE f.\(isSource)
            """, bind: [.integer(source)])
        guard try connection.integer("SELECT count(*) FROM documents_\(number)") > before else { return false }
        try connection.query("UPDATE \(Self.found) SET placed = 1 WHERE \(isSource)", bind: [.integer(source)])
        return true
    }

    /// Lists, in the report, the ids of the documents that are lost: those that the index over document ids names and
    /// that are in no table.
    func countLosses(_ report: inout SalvagedDocuments) throws(SealedFileError) {
        for index in report.collections.indices {
            let number = report.collections[index].number
            let name = "documents_\(number)"
            report.collections[index].missing += try connection.rows(
                """
                SELECT DISTINCT id FROM temp.salvage_ids AS i WHERE number = \(number) AND is_live AND id NOTNULL
                AND NOT EXISTS (SELECT 1 FROM \(name) AS d WHERE d.id = i.id) ORDER BY id
                """
            ) { $0.text(0) ?? "" }
            guard report.collections[index].scope != SalvagedCollections.recoveredScope else { continue }
            let isTableWhole = salvage.table(name)?.isComplete == true
            report.collections[index].isMissingComplete =
                (isTableWhole || salvage.isIndexWhole(number)) && salvage.schemaIsComplete && !salvage.mayContradict
        }
    }
}

extension GuidedSalvage {
    /// The tables of documents that the damaged schema names, with the numbers of their collections.
    var tableNumbers: [(name: String, number: Int)] {
        tables.compactMap { table in
            DocumentGuide.collectionNumber(ofTable: table.name).map { (table.name, $0) }
        }
    }
}

/// The result of checking the values of a document's row, found in a damaged file, against the document format.
struct DocumentContent {
    /// The row's flags, reduced to those that agree with the recovered parts of the row.
    let flags: RowFlags
    /// A Boolean value that says whether the row's revision tree is kept. It isn't if it is lost or doesn't follow the
    /// format.
    let keepsTree: Bool
    /// A Boolean value that says whether the row is usable as a document: it has a revision, and a body unless it is a
    /// tombstone.
    let isReadable: Bool

    /// Checks the values of a row; nil if they can't be those of a document. `isTreeLost` says that the column `tree`
    /// couldn't be read.
    init?(id: String, flags: Int64, revision: [UInt8], body: [UInt8]?, tree: [UInt8]?, isTreeLost: Bool) {
        guard Names.isID(id) else { return nil }
        let stored = RowFlags(rawValue: flags)
        guard RowFlags.all.contains(stored) else { return nil }
        guard let current = RevisionID(stored: revision) else {
            (self.flags, keepsTree, isReadable) = (stored, false, false)
            return
        }
        isReadable = body.map { JSONBValidator.isValid($0) } ?? stored.contains(.deleted)
        let read =
            isTreeLost
            ? nil : try? RevisionTree(stored: tree, current: current, isDeleted: stored.contains(.deleted))
        keepsTree = read != nil
        if let read {
            self.flags = read.bases.isEmpty ? stored.subtracting(.hasBases) : stored.union(.hasBases)
        } else {
            let hasBlobs = isReadable && body.map { !BodyScanner.blobDigests($0).isEmpty } ?? false
            self.flags = stored.intersection(.deleted).union(hasBlobs ? .hasBlobs : [])
        }
    }
}
