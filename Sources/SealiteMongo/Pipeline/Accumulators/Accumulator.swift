internal import SealiteValues

/// A computation over the values of a group's rows, such as a sum.
protocol Accumulator: AnyObject {
    /// Adds the value of a row, nil if it is missing.
    ///
    /// - Returns: an estimate of the bytes of memory by which the accumulator has grown; negative if it has shrunk.
    func add(_ value: BSON?) throws -> Int

    /// Returns the result of the values so far.
    func result() throws -> BSON
}
