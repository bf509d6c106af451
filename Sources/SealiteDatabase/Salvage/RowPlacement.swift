internal import SealiteFile
internal import SealiteMaintenance

/// Determines the collections of documents' rows that no b-tree reaches.
///
/// A row doesn't name its collection. But all rows of a page belong to one table, and the index over a collection's ids
/// lists each of its documents with its key: if one row of a page is listed, the page belongs to that collection. In
/// the same way a page of an index whose tree is lost belongs to the collection whose documents it lists. A remaining
/// page can belong to a collection only if the collection's table has a gap for the page's keys, and if the
/// collection's index isn't complete without them.
struct RowPlacement {
    let salvage: GuidedSalvage
    let numbers: [Int]
    private var connection: RawConnection { salvage.connection }
    private static let ids = "temp.salvage_ids"
    private static let orphanIDs = "temp.salvage_orphan_ids"

    /// Records the number of the collection for every found row whose collection is certain.
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

    /// Reads the entries of the indexes over ids: the entries in known b-trees by collection, all others by page.
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
        // A page of an index over sequences without a tree is no evidence, because each collection has the same
        // numbers.
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

    /// Returns the pages that a query, with the columns `page` and `number`, lists with only one collection number,
    /// each with this number.
    private func label(_ query: String) throws(SealedFileError) -> [(page: Int64, number: Int64)] {
        try connection.rows(
            "SELECT page, min(number) FROM (SELECT DISTINCT page, number FROM (\(query))) GROUP BY page HAVING count(*) = 1"
        ) { ($0.integer(0), $0.integer(1)) }
    }

    private func setNumber(_ number: Int64, ofPage page: Int64) throws(SealedFileError) {
        try connection.query(
            "UPDATE \(DocumentRows.found) SET number = ?1 WHERE page = ?2 AND number IS NULL",
            bind: [.integer(number), .integer(page)])
    }

    private func labelPagesByEntries() throws(SealedFileError) {
        let listed = try label(
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
                ON d.number = o.key AND d.id = o.id
                """)
        }
        // A page that may be free shows to which collection its rows belonged, not that they still exist.
        let isLive = salvage.freelistIsComplete ? 1 : 0
        for (page, number) in try label(sources.joined(separator: " UNION ALL ")) {
            // A complete index has no other pages, so this page is free.
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

    /// Records the collection of one page for all pages below the same interior page, because they belong to one
    /// b-tree. Called only if all free pages are known, so that the interior page is in use.
    private func labelPagesByRoot() throws(SealedFileError) {
        let roots = try connection.rows(
            """
            SELECT root, min(number) FROM (SELECT DISTINCT root, number FROM \(DocumentRows.found)
                WHERE number NOTNULL AND root > 0 AND root <> page)
            GROUP BY root HAVING count(*) = 1
            """
        ) { ($0.integer(0), $0.integer(1)) }
        for (root, number) in roots {
            try connection.query(
                "UPDATE \(DocumentRows.found) SET number = ?1 WHERE root = ?2 AND number IS NULL",
                bind: [.integer(number), .integer(root)])
        }
    }

    // MARK: Elimination

    private func labelPagesByElimination() throws(SealedFileError) {
        let pages = try connection.rows(
            """
            SELECT page, min(key), max(key) FROM \(DocumentRows.found) WHERE number IS NULL AND is_readable
            GROUP BY page
            """
        ) { ($0.integer(0), $0.integer(1), $0.integer(2)) }
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

    private func mayHold(_ page: Int64, _ keys: ClosedRange<Int64>, _ number: Int) throws(SealedFileError) -> Bool {
        let name = "documents_\(number)"
        // The size of a collection whose table the schema doesn't name is unknown; a table that the salvage created has
        // no gap.
        if let table = salvage.table(name) {
            guard table.gaps.contains(where: { $0.contains(keys) }) else { return false }
        } else if salvage.schemaIsComplete {
            return false
        }
        // The complete index lists none of the rows.
        guard !salvage.isIndexWhole(number) else { return false }
        guard salvage.freelistIsComplete else { return true }
        return try connection.integer(
            """
            SELECT EXISTS (SELECT 1 FROM \(DocumentRows.found) AS f JOIN \(name) AS d
                ON d.id = f.id OR d.sequence = f.sequence WHERE f.page = \(page))
            """) == 0
    }
}
