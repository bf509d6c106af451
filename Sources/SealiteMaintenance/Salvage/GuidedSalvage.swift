package import SealiteFile

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
