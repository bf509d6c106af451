internal import SealiteValues

/// A function over a window of rows around each row of a partition.
protocol WindowFunction: Sendable {
    /// Returns a value for each row of a partition; nil for a row without one.
    func values(_ partition: Partition, _ evaluation: Evaluation) throws -> [BSON?]
}
