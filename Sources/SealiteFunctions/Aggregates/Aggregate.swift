/// The state of an aggregate over the rows of a group or of a window's frame.
class Aggregate {
    required init() {}

    /// Adds a row.
    func add(_ value: QueryValue) {}

    /// Removes the oldest row.
    func remove(_ value: QueryValue) {}

    /// Sets the result for the rows that were added and not removed.
    func give(to call: QueryCall) {}
}
