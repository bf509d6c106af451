/// The state of an SQL aggregate function over the rows of a group or of a window's frame.
class Aggregate {
    required init() {}

    /// Adds a row, given by the value of the function's argument.
    func add(_ value: QueryValue) {}

    /// Removes the oldest row, given by its value, which has left the window's frame.
    func remove(_ value: QueryValue) {}

    /// The number of bytes that the result would have, if it grows with the number of rows; otherwise 0.
    var byteCount: Int { 0 }

    /// Sets the result of a call to that of the aggregate over the rows that were added and not removed.
    func give(to call: QueryCall) throws {}
}
