internal import SealiteValues

/// A function of `$setWindowFields`, which is computed for each row of a partition, mostly over a window of rows around
/// it.
protocol WindowFunction: Sendable {
    /// Returns the function's value for each row of a partition, in their order; nil for a row without one.
    func values(_ partition: Partition, _ evaluation: Evaluation) throws -> [BSON?]
}
