internal import SealiteFunctions
internal import SealiteValues

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
