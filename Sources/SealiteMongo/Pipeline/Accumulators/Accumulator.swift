internal import SealiteValues

/// A computation over the values of a group's rows, such as a sum.
protocol Accumulator: AnyObject {
    /// Adds the value of a row, nil if it is missing.
    ///
    /// - Returns: an estimate of the additional bytes of memory.
    func add(_ value: BSON?) throws -> Int

    /// Returns the result of the values so far.
    func result() throws -> BSON
}
