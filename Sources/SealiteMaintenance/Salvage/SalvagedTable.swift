import SealiteFile

/// The result of the salvage for one table.
public struct SalvagedTable: Sendable, Equatable, Encodable {
    /// The table's name.
    public let name: String
    /// The number of rows in the new database under the table's name.
    public internal(set) var rowCount = 0
    /// The number of recovered rows that were found outside of the table's b-tree, and can only belong to this table.
    public internal(set) var attributedRowCount = 0
    /// The ranges of rows whose page in the table's b-tree is lost. Rows of such a range may have been found elsewhere,
    /// and are then in `lost_and_found` or among ``attributedRowCount``.
    public internal(set) var gaps: [RowGap] = []
    /// The rowids of the rows that are lost because their overflow pages are lost; for each such row of a WITHOUT ROWID
    /// table, nil.
    public internal(set) var lostRows: [Int64?] = []
    /// The number of rows that can't be read although the page that contains them is authentic.
    public internal(set) var oddRowCount = 0
    /// The number of rows that the recovered schema refused; they are in `lost_and_found`.
    public internal(set) var refusedRowCount = 0

    /// A Boolean value that says whether nothing of the table is missing.
    public var isComplete: Bool { gaps.isEmpty && lostRows.isEmpty && oddRowCount == 0 && refusedRowCount == 0 }

    init(name: String) { self.name = name }
}
