internal import SealiteFile

/// The evidence collected for a guide, in temporary tables of the new database's connection, which are sealed if they
/// are written to disk.
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
