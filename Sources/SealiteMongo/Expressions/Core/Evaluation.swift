internal import SealiteValues

/// The context in which an expression is evaluated: the row, the variables and the time.
final class Evaluation {
    /// The number of iterations that loops over items may take for one row.
    private static let maximumStepCount = 20_000_000

    /// The document at which field paths begin.
    var row: Row {
        didSet { steps = 0 }
    }
    /// The number of iterations that loops over items have taken for the row.
    private var steps = 0
    /// The values of variables by their slots; nil for a missing value.
    var slots: [BSON?]
    /// The time of `$$NOW`, one for a whole pipeline.
    let now: DateTime
    /// The regular expressions that were compiled.
    let patterns = PatternCache()

    init(_ row: Row, slotCount: Int, now: DateTime) {
        (self.row, self.now) = (row, now)
        slots = Array(repeating: nil, count: slotCount)
    }

    /// Counts an iteration of a loop over items.
    ///
    /// - Throws: `MongoError` 146 if nested loops take too many iterations for one row, or `CancellationError` if the
    ///   task is cancelled.
    func step() throws {
        steps += 1
        guard steps <= Self.maximumStepCount else { throw MongoError.tooLarge("Loops in an expression take too long.") }
        if steps.isMultiple(of: 4096) { try Task.checkCancellation() }
    }
}
