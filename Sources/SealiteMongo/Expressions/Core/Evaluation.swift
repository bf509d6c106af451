internal import SealiteValues

/// The context in which an expression is evaluated: the row, the variables and the time.
final class Evaluation {
    /// The number of steps that loops over items may take for one row.
    private static let maximumStepCount = 20_000_000

    /// The document at which field paths begin.
    var row: Row {
        didSet { steps = 0 }
    }
    /// The steps of loops over items that the row has taken.
    private var steps = 0
    /// The values of variables by their slots; nil for one that is missing.
    var slots: [BSON?]
    /// The time of `$$NOW`, one for a whole pipeline.
    let now: DateTime
    /// The regular expressions that were compiled.
    let patterns = PatternCache()

    init(_ row: Row, slotCount: Int, now: DateTime) {
        (self.row, self.now) = (row, now)
        slots = Array(repeating: nil, count: slotCount)
    }

    /// Counts a step of a loop over items.
    ///
    /// - Throws: `MongoError` 146 if nested loops take too many steps for one row, or `CancellationError` if the task
    ///   is cancelled.
    func step() throws {
        steps += 1
        guard steps <= Self.maximumStepCount else { throw MongoError.tooLarge("Loops in an expression take too long.") }
        if steps.isMultiple(of: 4096) { try Task.checkCancellation() }
    }
}
