internal import SealiteFile
internal import SealiteMaintenance

/// Finds out which collection documents' rows are of that no tree leads to.
///
/// A row doesn't say it. But all rows of a page are of one table, and the index over a collection's ids lists each of its documents
/// with its key: where one row of a page is listed, the page is that collection's. In the same way a page of an index, whose
/// tree is lost too, belongs to the collection whose documents it lists. Pages that are left can be of a collection only if that has
/// a gap with room for their keys, and if its index, where that is whole, lists them.
struct RowPlacement {
    private let salvage: GuidedSalvage
    private let layout: DocumentLayout
    private let numbers: [Int]
    private var connection: RawConnection { salvage.connection }
    private static let ids = "temp.salvage_ids"
    private static let orphanIDs = "temp.salvage_orphan_ids"

    init(_ salvage: GuidedSalvage, _ layout: DocumentLayout, _ numbers: [Int]) {
        self.salvage = salvage
        self.layout = layout
        self.numbers = numbers
    }

    /// Sets the number of every row whose collection is known for certain.
    func run() throws(SealedFileError) {
        try readEntries()
        var known: Int64 = -1
        while true {
            try labelPagesByEntries()
            try labelIndexPages()
            if salvage.freelistIsComplete { try labelPagesByRoot() }
            var now = try labelledCount()
            if now == known {
                try labelPagesByElimination()
                now = try labelledCount()
                if now == known { return }
            }
            known = now
        }
    }

    private func labelledCount() throws(SealedFileError) -> Int64 {
        try connection.integer(
            "SELECT (SELECT count(*) FROM \(DocumentRows.found) WHERE number NOTNULL) - (SELECT count(*) FROM \(Self.orphanIDs))"
        )
    }

    /// Reads the entries of the indexes over ids: of known trees by collection, of others by page.
    private func readEntries() throws(SealedFileError) {
        for number in numbers {
            for (column, type) in [("id", "text"), ("sequence", "integer")] {
                guard let root = salvage.roots["documents_\(number)_\(column)"] else { continue }
                try connection.execute(
                    """
                    INSERT INTO \(Self.ids) (number, \(column), key, is_live)
                    SELECT \(number), c0, c1, 1 FROM \(GuidedSalvage.entries)
                    WHERE rootpgno = \(root) AND nfield = 2 AND typeof(c0) = '\(type)' AND typeof(c1) = 'integer'
                    """)
            }
        }
        // A page of an index over sequences without a tree tells nothing: each collection has the same numbers.
        try connection.execute(
            """
            INSERT INTO \(Self.orphanIDs) (page, id, key)
            SELECT pgno, c0, c1 FROM \(GuidedSalvage.entries)
            WHERE rootpgno NOT IN (\(salvage.knownRoots)) AND nfield = 2 AND typeof(c0) = 'text' AND typeof(c1) = 'integer';
            CREATE INDEX temp.salvage_ids_key ON salvage_ids (key);
            CREATE INDEX temp.salvage_orphan_ids_key ON salvage_orphan_ids (key);
            CREATE INDEX temp.salvage_orphan_ids_page ON salvage_orphan_ids (page)
            """)
    }

    /// Gives numbers to the pages for which a query, of page and number, has one number only.
    private func label(_ table: String, _ query: String) throws(SealedFileError) -> [(page: Int64, number: Int64)] {
        var found: [(Int64, Int64)] = []
        try connection.query(
            "SELECT page, min(number) FROM (SELECT DISTINCT page, number FROM (\(query))) GROUP BY page HAVING count(*) = 1"
        ) { (row) throws(SealedFileError) in found.append((row.integer(0), row.integer(1))) }
        return found
    }

    private func setNumber(_ number: Int64, ofPage page: Int64) throws(SealedFileError) {
        try connection.query(
            "UPDATE \(DocumentRows.found) SET number = ?1 WHERE page = ?2 AND number IS NULL",
            bind: [.integer(number), .integer(page)])
    }

    private func labelPagesByEntries() throws(SealedFileError) {
        let listed = try label(
            DocumentRows.found,
            """
            SELECT f.page AS page, i.number AS number FROM \(DocumentRows.found) AS f JOIN \(Self.ids) AS i
            ON i.id = f.id AND i.key = f.key WHERE f.page > 0
            """)
        for (page, number) in listed { try setNumber(number, ofPage: page) }
    }

    private func labelIndexPages() throws(SealedFileError) {
        var sources = [
            """
            SELECT o.page AS page, f.number AS number FROM \(Self.orphanIDs) AS o JOIN \(DocumentRows.found) AS f
            ON f.id = o.id AND f.key = o.key WHERE f.number NOTNULL
            """
        ]
        for number in numbers {
            sources.append(
                """
                SELECT o.page AS page, \(number) AS number FROM \(Self.orphanIDs) AS o JOIN documents_\(number) AS d
                ON d.\(layout.key) = o.key AND d.id = o.id
                """)
        }
        // A page that may have been given up tells whose its rows were, not that they still are.
        let isLive = salvage.freelistIsComplete ? 1 : 0
        for (page, number) in try label(Self.orphanIDs, sources.joined(separator: " UNION ALL ")) {
            // A whole index has no pages elsewhere: this one was given up.
            if !salvage.isIndexWhole(Int(number)) {
                try connection.query(
                    """
                    INSERT INTO \(Self.ids) (number, id, key, is_live)
                    SELECT ?1, id, key, \(isLive) FROM \(Self.orphanIDs) WHERE page = ?2
                    """, bind: [.integer(number), .integer(page)])
            }
            try connection.query("DELETE FROM \(Self.orphanIDs) WHERE page = ?1", bind: [.integer(page)])
        }
    }

    /// Pages below one page that is in use are of one tree.
    private func labelPagesByRoot() throws(SealedFileError) {
        var roots: [(Int64, Int64)] = []
        try connection.query(
            """
            SELECT root, min(number) FROM (SELECT DISTINCT root, number FROM \(DocumentRows.found)
                WHERE number NOTNULL AND root > 0 AND root <> page)
            GROUP BY root HAVING count(*) = 1
            """
        ) { (row) throws(SealedFileError) in roots.append((row.integer(0), row.integer(1))) }
        for (root, number) in roots {
            try connection.query(
                "UPDATE \(DocumentRows.found) SET number = ?1 WHERE root = ?2 AND number IS NULL",
                bind: [.integer(number), .integer(root)])
        }
    }

    // MARK: Elimination

    private func labelPagesByElimination() throws(SealedFileError) {
        var pages: [(page: Int64, least: Int64, most: Int64)] = []
        try connection.query(
            """
            SELECT page, min(key), max(key) FROM \(DocumentRows.found) WHERE number IS NULL AND is_readable
            GROUP BY page
            """
        ) { (row) throws(SealedFileError) in pages.append((row.integer(0), row.integer(1), row.integer(2))) }
        for (page, least, most) in pages {
            var candidate: Int?
            var isOnly = true
            for number in numbers where try mayHold(page, least...most, number) {
                isOnly = candidate == nil
                candidate = number
                if !isOnly { break }
            }
            if let candidate, isOnly { try setNumber(Int64(candidate), ofPage: page) }
        }
    }

    private func mayHold(
        _ page: Int64, _ keys: ClosedRange<Int64>, _ number: Int
    ) throws(SealedFileError) -> Bool {
        let name = "documents_\(number)"
        // A collection whose table the schema doesn't name has room for anything; made by the salvage, for nothing.
        if let table = salvage.table(name) {
            guard table.gaps.contains(where: { $0.contains(keys) }) else { return false }
        } else if salvage.schemaIsComplete {
            return false
        }
        // Its index is whole, and lists none of them.
        guard !salvage.isIndexWhole(number) else { return false }
        guard salvage.freelistIsComplete else { return true }
        return try connection.integer(
            """
            SELECT EXISTS (SELECT 1 FROM \(DocumentRows.found) AS f JOIN \(name) AS d
                ON d.id = f.id OR d.sequence = f.sequence WHERE f.page = \(page))
            """) == 0
    }
}
