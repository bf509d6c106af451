internal import SealiteFile
internal import SealiteMaintenance

/// The positions of the columns of a document's row in one version of the format, for the salvage of a damaged file.
struct DocumentLayout {
    /// The version of the format.
    let version: Int64
    /// The name of the column that is the row's INTEGER PRIMARY KEY.
    let key: String
    /// The number of fields of a document's complete row.
    let fieldCount: Int
    /// The positions of the columns in a row without a table (`lost_and_found`), given as column names of that table.
    let sequence, flags, revision, expires, body, tree: String

    /// The layout of version 1: documents keyed by their sequence.
    static let first = DocumentLayout(
        version: 1, key: "sequence", fieldCount: 7, sequence: "id", flags: "c2", revision: "c3", expires: "c4",
        body: "c5",
        tree: "c6")
    /// The layout of version 2: documents keyed by a number of their own, negative for tombstones.
    static let second = DocumentLayout(
        version: 2, key: "number", fieldCount: 8, sequence: "c2", flags: "c3", revision: "c4", expires: "c5",
        body: "c6",
        tree: "c7")

    /// The condition, in SQL, for the types of a row's values, which excludes most rows of other tables.
    var typeCondition: String {
        let isKey =
            version == 1
            ? "id > 0" : "typeof(c2) = 'integer' AND c2 > 0 AND id <> 0 AND (id < 0) = (c3 & 1)"
        return """
            typeof(c0) = 'null' AND typeof(c1) = 'text' AND typeof(\(flags)) = 'integer' AND typeof(\(revision)) = 'blob'
            AND typeof(\(expires)) IN ('integer', 'null') AND typeof(\(body)) IN ('blob', 'null')
            AND typeof(\(tree)) IN ('blob', 'null') AND \(isKey)
            """
    }

    /// Returns the layout of a damaged file: the layout of its tables or, if no table is known, the layout that fits
    /// most of its rows.
    static func found(in salvage: GuidedSalvage) throws(SealedFileError) -> DocumentLayout {
        for (name, _) in salvage.tableNumbers {
            var columns: Set<String> = []
            try salvage.connection.query("SELECT name FROM pragma_table_info(?1)", bind: [.text(name)]) {
                (row) throws(SealedFileError) in columns.insert(row.text(0) ?? "")
            }
            if !columns.isEmpty { return columns.contains("number") ? second : first }
        }
        guard !salvage.isWhole else { return second }
        var counts: [Int64] = []
        for layout in [first, second] {
            counts.append(
                try salvage.connection.integer(
                    """
                    SELECT count(*) FROM \(salvage.lostAndFound)
                    WHERE nfield = \(layout.fieldCount) AND \(layout.typeCondition)
                    """))
        }
        return counts[0] > counts[1] ? first : second
    }

    /// Returns the name of the index that lists exactly the present row of each document of a collection: if the index
    /// is complete, a row that it doesn't list was deleted or replaced. In format 2 this isn't the index over ids,
    /// which lists a document's number, because an older row of the document has the same number.
    func exactIndex(_ number: Int) -> String { "documents_\(number)_\(version == 1 ? "id" : "sequence")" }

    /// The condition, in SQL, under which the entry `i` of the index that `exactIndex` names belongs to the row `f`.
    var isExactEntry: String { "i.key = f.key AND i.\(version == 1 ? "id = f.id" : "sequence = f.sequence")" }

    /// The condition, in SQL, under which the indexes of a collection list the row `f`. Sequences and numbers repeat
    /// across collections, so the id is compared too.
    var isListed: String {
        version == 1
            ? "EXISTS (SELECT 1 FROM temp.salvage_ids AS i WHERE \(isExactEntry))"
            : """
            EXISTS (SELECT 1 FROM temp.salvage_ids AS i JOIN temp.salvage_ids AS j ON j.number = i.number AND j.key = i.key
                WHERE \(isExactEntry) AND j.id = f.id)
            """
    }

    /// Returns the table and the indexes of a collection in this version of the format, the table first.
    func parts(_ number: Int) -> [Schema.Part] {
        version == 1 ? Schema.firstCollectionParts(number) : Schema.collectionParts(number)
    }

    /// Returns the unique indexes of a collection, which two rows of one document, or two rows with one sequence, would
    /// violate.
    func uniqueIndexes(_ number: Int) -> [Schema.Part] {
        Array(parts(number)[version == 1 ? 1..<2 : 1..<3])
    }
}
