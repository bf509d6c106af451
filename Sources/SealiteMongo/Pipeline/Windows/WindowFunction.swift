internal import SealiteValues

/// A function of `$setWindowFields`, which is computed for each row of a partition, mostly over a window of rows around
/// it.
protocol WindowFunction: Sendable {
    /// Calls `body` with the function's value for each row of a partition, in their order; nil for a row without one.
    ///
    /// `body` adds the memory of the value to the budget. Other memory that grows with the values of the rows is added
    /// to `memory` by the function, and subtracted at its end.
    func visitValues(
        of partition: Partition, _ evaluation: Evaluation, _ memory: MemoryBudget, _ body: (BSON?) throws -> Void
    ) throws
}
