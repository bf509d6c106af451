internal import SealiteValues

/// The surroundings in which an expression is evaluated: the row, the variables, the time.
final class Evaluation {
    /// The document that field paths begin at.
    var row: Row
    /// The values of variables by their slots; nil for one that is missing.
    var slots: [BSON?]
    /// The time that `$$NOW` gives, one for a whole pipeline.
    let now: DateTime
    /// The regular expressions that were compiled.
    let patterns = PatternCache()

    init(_ row: Row, slotCount: Int, now: DateTime) {
        (self.row, self.now) = (row, now)
        slots = Array(repeating: nil, count: slotCount)
    }
}

/// The number of variables that a pipeline or an expression declares. Each declaration has a slot of its own.
final class SlotCounter {
    /// The number of slots that were given out.
    private(set) var count = 0

    /// Returns a slot that no other variable has.
    func next() -> Int {
        count += 1
        return count - 1
    }
}
