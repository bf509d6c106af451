internal import SealiteFile
internal import SealiteMaintenance

/// The places of the columns of a document's row in one version of the format, for the salvage of a damaged file.
struct DocumentLayout {
    /// The version of the format.
    let version: Int64
    /// The column that is the row's key.
    let key: String
    /// The number of fields of a whole row.
    let fieldCount: Int
    /// The places of the columns in a row without a table (`lost_and_found`): the names of the values there.
    let sequence, flags, revision, expires, body, tree: String

    /// Documents keyed by their sequence.
    static let first = DocumentLayout(
        version: 1, key: "sequence", fieldCount: 7, sequence: "id", flags: "c2", revision: "c3", expires: "c4",
        body: "c5",
        tree: "c6")
    /// Documents keyed by a number of their own, negative for tombstones.
    static let second = DocumentLayout(
        version: 2, key: "number", fieldCount: 8, sequence: "c2", flags: "c3", revision: "c4", expires: "c5",
        body: "c6",
        tree: "c7")

    /// The condition, in SQL, for the types of a row's values. Most rows of other tables go no further.
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

    /// Returns the layout of a damaged file: that of its tables, or, where none is known, that which more of its rows have.
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

    /// The name of the index of a collection that lists the present row of each document: where it is whole, a row that it doesn't
    /// list was deleted or replaced. An index over ids lists a document's number, which an older row of the document has too.
    func exactIndex(_ number: Int) -> String { "documents_\(number)_\(version == 1 ? "id" : "sequence")" }

    /// The condition, in SQL, that the entry `i` of an exact index is of the row `f`.
    var isExactEntry: String { "i.key = f.key AND i.\(version == 1 ? "id = f.id" : "sequence = f.sequence")" }

    /// The condition, in SQL, that the indexes of some collection list the row `f`. Sequences and numbers are the same in many
    /// collections, so a row of one is told by its id too.
    var isListed: String {
        version == 1
            ? "EXISTS (SELECT 1 FROM temp.salvage_ids AS i WHERE \(isExactEntry))"
            : """
            EXISTS (SELECT 1 FROM temp.salvage_ids AS i JOIN temp.salvage_ids AS j ON j.number = i.number AND j.key = i.key
                WHERE \(isExactEntry) AND j.id = f.id)
            """
    }

    /// The table and the indexes of a collection.
    func parts(_ number: Int) -> [Schema.Part] {
        version == 1 ? Schema.firstCollectionParts(number) : Schema.collectionParts(number)
    }

    /// The indexes that two rows of one document, or two of one sequence, contradict.
    func uniqueIndexes(_ number: Int) -> [Schema.Part] {
        Array(parts(number)[version == 1 ? 1..<2 : 1..<3])
    }
}
