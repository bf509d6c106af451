internal import SealiteFile

/// The index entries and incomplete rows that are collected for a `SalvageGuide`, in temporary tables of the new
/// database's connection. Temporary tables that SQLite writes to disk are sealed.
final class SalvageEvidence {
    let entries: LostAndFound
    let partialRows: LostAndFound

    init(_ connection: RawConnection) throws(SealedFileError) {
        entries = try LostAndFound(connection, name: GuidedSalvage.entries)
        partialRows = try LostAndFound(connection, name: GuidedSalvage.partialRows)
        try entries.makeColumns(GuidedSalvage.columnCount)
        try partialRows.makeColumns(GuidedSalvage.columnCount)
    }
}
