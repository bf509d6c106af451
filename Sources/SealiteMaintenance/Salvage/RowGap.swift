import SealiteFile

/// A range of a table's rows that can't be reached because a page of the table's b-tree is lost.
public struct RowGap: Sendable, Equatable, Encodable {
    /// The number of the lost page: a leaf, or an interior page, with which all pages below it are out of reach.
    public let page: UInt32
    /// The rowid of the last row before the gap; nil if the gap begins with the table's first row, and in a WITHOUT
    /// ROWID table.
    public let after: Int64?
    /// The highest rowid that can lie in the gap; nil if the gap extends to the table's last row, and in a WITHOUT
    /// ROWID table.
    public let through: Int64?

    /// Returns whether all these rowids can lie in the gap.
    package func contains(_ rowids: ClosedRange<Int64>) -> Bool {
        (after.map { rowids.lowerBound > $0 } ?? true) && (through.map { rowids.upperBound <= $0 } ?? true)
    }
}
