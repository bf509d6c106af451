package import SealiteFile

/// The view of a salvage that its guide works on.
///
/// Rows of unknown tables, index entries and beginnings of rows are in tables of one shape: `rootpgno` (the topmost
/// page from which they are reached), `pgno` (their own page), `nfield` (the number of fields), `id` (the rowid), and
/// at least `c0` to `c7`.
package struct GuidedSalvage {
    /// The new database, in a transaction.
    package let connection: RawConnection
    /// A Boolean value that says whether nothing was lost: the tables of evidence then don't exist.
    package let isWhole: Bool
    /// The application id on page 1; nil if the page is lost.
    package let applicationID: Int32?
    /// A Boolean value that says whether the whole schema could be read.
    package let schemaIsComplete: Bool
    /// A Boolean value that says whether all free pages are known: if not, deleted rows may be among the rows found.
    package let freelistIsComplete: Bool
    /// A Boolean value that says whether pages may be of different commits.
    package let mayContradict: Bool
    /// The tables of the schema, with their gaps.
    package let tables: [SalvagedTable]
    /// The root page of each table and index of the damaged schema, by name.
    package let roots: [String: UInt32]
    /// The names of the indexes and WITHOUT ROWID tables of which a part is lost.
    package let brokenIndexes: Set<String>
    /// The name of the table of rows of unknown tables.
    package let lostAndFound: String

    /// The entries of the requested indexes, and of index pages that no known b-tree reaches. Entries with other roots
    /// than `roots` that remain after ``SalvageGuide/place(_:)`` count as rows of unknown tables.
    package static let entries = "temp.salvage_entries"
    /// The beginnings of rows whose end is lost; `nfield` is the number of complete fields.
    package static let partialRows = "temp.salvage_partial"
    /// The minimum number of value columns in these tables.
    package static let columnCount = 8
}
