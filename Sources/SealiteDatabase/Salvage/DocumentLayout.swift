/// The shape of a document's row and of the indexes over it, for the salvage of a damaged file. The columns `c0` to `c7`
/// are those of a row without a table, in `lost_and_found`: the number, which is in `id` there, the id, the sequence, the
/// flags, the revision, the expiration, the body and the tree.
enum DocumentLayout {
    /// The number of fields of a document's complete row.
    static let fieldCount = 8

    /// The condition, in SQL, for the types of a row's values, which excludes most rows of other tables.
    static let typeCondition = """
        typeof(c0) = 'null' AND typeof(c1) = 'text' AND typeof(c3) = 'integer' AND typeof(c4) = 'blob'
        AND typeof(c5) IN ('integer', 'null') AND typeof(c6) IN ('blob', 'null') AND typeof(c7) IN ('blob', 'null')
        AND typeof(c2) = 'integer' AND c2 > 0 AND id <> 0 AND (id < 0) = (c3 & 1)
        """

    /// Returns the name of the index that lists exactly the present row of each document of a collection: if the index
    /// is complete, a row that it doesn't list was deleted or replaced. This isn't the index over ids, which lists a
    /// document's number, because an older row of the document has the same number.
    static func exactIndex(_ number: Int) -> String { "documents_\(number)_sequence" }

    /// The condition, in SQL, under which the entry `i` of the index that `exactIndex` names belongs to the row `f`.
    static let isExactEntry = "i.key = f.key AND i.sequence = f.sequence"

    /// The condition, in SQL, under which the indexes of a collection list the row `f`. Sequences and numbers repeat
    /// across collections, so the id is compared too.
    static let isListed = """
        EXISTS (SELECT 1 FROM temp.salvage_ids AS i JOIN temp.salvage_ids AS j ON j.number = i.number AND j.key = i.key
            WHERE \(isExactEntry) AND j.id = f.id)
        """

    /// Returns the unique indexes of a collection, which two rows of one document, or two rows with one sequence, would
    /// violate.
    static func uniqueIndexes(_ number: Int) -> [FormatTables.Part] {
        Array(FormatTables.collectionParts(number)[1..<3])
    }
}
