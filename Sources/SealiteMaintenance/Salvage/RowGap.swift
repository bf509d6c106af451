import SealiteFile

/// A range of a table's rows whose page is lost.
public struct RowGap: Sendable, Equatable, Encodable {
    /// The first lost page.
    public let page: UInt32
    /// The rowid before the gap; nil if the gap begins with the first row, and in a WITHOUT ROWID table.
    public let after: Int64?
    /// The last rowid in the gap; nil if it extends to the last row, and in a WITHOUT ROWID table.
    public let through: Int64?

    /// Returns whether all these rowids can lie in the gap.
    package func contains(_ rowids: ClosedRange<Int64>) -> Bool {
        (after.map { rowids.lowerBound > $0 } ?? true) && (through.map { rowids.upperBound <= $0 } ?? true)
    }
}
