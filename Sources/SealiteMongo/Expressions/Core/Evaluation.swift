internal import SealiteValues

/// The context in which an expression is evaluated for one row after another: the row, the variables and the time.
final class Evaluation {
    /// The maximum number of iterations that loops over the items of arrays may take in total for one row.
    private static let maximumStepCount = 20_000_000

    /// The document at which field paths begin. Setting it restarts the count of iterations.
    var row: Row {
        didSet { steps = 0 }
    }
    /// The number of iterations that loops over the items of arrays have taken so far for the row.
    private var steps = 0
    /// The values of variables, each at the index that the parser allocated for the variable; nil for a missing value.
    var slots: [BSON?]
    /// The time of `$$NOW`, one for a whole pipeline.
    let now: DateTime
    /// A cache of the regular expressions that were compiled during the evaluation.
    let patterns = PatternCache()
    /// The work of the operation that the evaluation belongs to.
    let work: WorkMeter

    init(_ row: Row, slotCount: Int, now: DateTime, work: WorkMeter = WorkMeter()) {
        (self.row, self.now, self.work) = (row, now, work)
        slots = Array(repeating: nil, count: slotCount)
    }

    /// Counts an iteration of a loop over the items of an array.
    ///
    /// - Throws: `MongoError` 146 if nested loops take too many iterations for one row, or `CancellationError` if the
    ///   task that evaluates, or waits for the thread that does, is cancelled.
    func step() throws {
        steps += 1
        guard steps <= Self.maximumStepCount else {
            throw MongoError.tooLarge(
                "$map, $filter and $reduce take more than \(Self.maximumStepCount) iterations for one document.")
        }
        try work.charge(1)
    }
}
