internal import SealiteFile
internal import SealiteFunctions
internal import SealiteValues
internal import Synchronization

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
        try require(
            steps <= Self.maximumStepCount,
            .tooLarge("$map, $filter and $reduce take more than \(Self.maximumStepCount) iterations for one document."))
        try work.charge(1)
    }
}

/// The regular expressions that were compiled during an evaluation. The cache is used by one thread at a time.
final class PatternCache {
    /// The maximum number of entries, since each document may contribute a regular expression of its own.
    private static let maximumCount = 32

    private var expressions: [Regex: RegularExpression] = [:]

    /// Returns the compiled form of a regular expression. `name` is the operator that uses it, for error messages.
    ///
    /// - Throws: `MongoError` if it is invalid or too long, or contains a NUL character.
    func expression(of regex: Regex, _ name: String) throws -> RegularExpression {
        if let known = expressions[regex] { return known }
        try require(!regex.pattern.utf8.contains(0), 51109, "\(name) takes no pattern with a NUL character in it.")
        var options: RegularExpression.Options = []
        for letter in regex.options.utf8 { options.formUnion(RegularExpression.Options(letter: letter) ?? []) }
        let expression = try require(
            RegularExpression.compile(Array(regex.pattern.utf8), options), 51111,
            "The regular expression of \(name) is invalid, or too long.")
        if expressions.count >= Self.maximumCount { expressions.removeAll() }
        expressions[regex] = expression
        return expression
    }
}

/// The work of one operation, such as the run of a pipeline, and the look whether its task was cancelled.
// Not Sendable: an operation is done by one thread at a time.
final class WorkMeter {
    /// The number of units between two looks, which cost far less than those in an SQL function.
    static let interval = 1 << 12

    private var counter = WorkCounter(interval: WorkMeter.interval)

    /// The number of units that were charged.
    var units: Int { counter.units }

    /// Charges units of work that are done next, or have just been done.
    ///
    /// - Throws: `CancellationError` if the task that does the work, or waits for the thread that does, is cancelled.
    @inline(__always)
    func charge(_ units: Int) throws {
        if counter.charge(units) { try Self.look() }
    }

    /// Charges a pass over a number of bytes.
    @inline(__always)
    func charge(bytes: Int) throws { try charge(WorkCounter.units(ofBytes: bytes)) }

    /// Charges a pass over a value, including all values that are nested in it.
    func charge(passOver value: BSON) throws {
        switch value {
        case .array(let items):
            try charge(1)
            for item in items { try charge(passOver: item) }
        case .document(let document):
            try charge(1)
            for member in document { try charge(passOver: member.value) }
        case .string(let text): try charge(bytes: text.utf8.count)
        default: try charge(1)
        }
    }

    /// Compares two values in the order of values of all types, of which a missing one comes before null; the result is
    /// negative, 0 or positive.
    func compare(_ left: BSON?, _ right: BSON?) throws -> Int {
        try charge(1)
        guard let left, let right else { return SealiteMongo.compare(left, right) }
        return try left.compared(to: right) { try charge(1) }
    }

    /// Looks whether the task that does the calling thread's work, or waits for it, is cancelled.
    ///
    /// - Throws: `CancellationError` if it is.
    @inline(never)
    static func look() throws {
        if isCancelled { throw CancellationError() }
    }

    /// A Boolean value that says whether the task that does the calling thread's work, or waits for it, is cancelled.
    static var isCancelled: Bool { Task.isCancelled || Interruption.current?.isInterrupted ?? false }
}

/// Interrupts a read at its current row when the task that waits for it is cancelled.
final class Interruption: Sendable {
    private struct State {
        var isInterrupted = false
        var stop: (@Sendable () -> Void)?
    }

    /// The interruption of the read that the calling thread does for a task; nil if it does none.
    @TaskLocal static var current: Interruption?

    private let state = Mutex(State())

    /// Sets the function that stops the read, and calls it at once if the task has already been cancelled.
    func setStop(_ stop: @escaping @Sendable () -> Void) {
        let isInterrupted = state.withLock { state in
            state.stop = stop
            return state.isInterrupted
        }
        if isInterrupted { stop() }
    }

    private func interrupt() {
        let stop = state.withLock { state in
            state.isInterrupted = true
            return state.stop
        }
        stop?()
    }

    /// A Boolean value that says whether the task was cancelled, for work between the steps of an SQL statement, which
    /// the function of `setStop(_:)` doesn't end. The thread that does the work isn't the task's, so `Task` doesn't
    /// report the cancellation there.
    var isInterrupted: Bool { state.withLock(\.isInterrupted) }

    /// Checks whether the task was cancelled.
    ///
    /// - Throws: `CancellationError` if it was.
    func check() throws {
        if isInterrupted { throw CancellationError() }
    }

    /// Runs blocking reads off the calling task's thread.
    ///
    /// - Throws: `CancellationError` if the task is cancelled meanwhile, and the errors of the work.
    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        do {
            let result = try await withTaskCancellationHandler {
                try await Offload.run { try Self.$current.withValue(self, operation: work) }
            } onCancel: {
                interrupt()
            }
            try Task.checkCancellation()
            return result
        } catch {
            try Task.checkCancellation()
            throw error
        }
    }
}

/// The allocation of indices in `Evaluation.slots`: each variable that a pipeline or an expression declares gets one of
/// its own.
final class SlotCounter {
    /// The number of indices that were allocated: all those below this number.
    private(set) var count = 0

    /// Allocates the next index, from 0, and returns it.
    func next() -> Int {
        count += 1
        return count - 1
    }
}
