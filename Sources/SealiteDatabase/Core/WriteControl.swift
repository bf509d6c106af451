internal import SealiteFile
internal import Synchronization

/// Stops the writes of a task or of a command, and counts what they have done.
///
/// A write takes the calling task's ``current`` control. An asynchronous write without one makes its own, which the
/// cancellation of its task stops.
package final class WriteControl: Sendable {
    /// The control of the writes that the calling task, or thread, makes; nil if there is none.
    @TaskLocal package static var current: WriteControl?

    let statements = StatementStop()
    private let done = Atomic<Int>(0)
    /// The number of items; 0 if no operation counts its items, negative if one does whose number isn't known.
    private let total = Atomic<Int>(0)

    package init() {}

    /// Makes transactions of this control that aren't committed fail with `cancelled`, those in progress included, so
    /// that they are rolled back. A transaction that is being committed may still be committed. May be called from any
    /// thread.
    package func stop() { statements.request() }

    /// A Boolean value that says whether ``stop()`` was called.
    @inline(__always)
    package var isStopped: Bool { statements.isRequested }

    /// Checks that ``stop()`` wasn't called.
    ///
    /// - Throws: `cancelled` if it was.
    @inline(__always)
    package func requireNotStopped() throws(DatabaseError) {
        guard isStopped else { return }
        throw DatabaseError(.cancelled, "the operation was cancelled before it was committed; nothing was changed")
    }

    // MARK: - Progress

    /// The number of items that are done, and of all; the latter is 0 if it isn't known.
    package var progress: (done: Int, total: Int) {
        let (done, total) = (done.load(ordering: .relaxed), total.load(ordering: .relaxed))
        return total > 0 ? (min(done, total), total) : (done, 0)
    }

    /// Sets the number of items of the operation that the calling thread begins.
    ///
    /// - Returns: the control with which the caller counts its items; nil if there is no control, or if an operation that
    ///   contains this one counts its own items.
    package static func counting(_ total: Int) -> WriteControl? {
        guard let current, current.total.compareExchange(expected: 0, desired: total, ordering: .relaxed).exchanged
        else { return nil }
        return current
    }

    /// Counts one item.
    package func count() { done.add(1, ordering: .relaxed) }

    /// Sets the numbers of items; `total` is nil if it isn't known. Operations inside this one don't count theirs.
    package func set(done: Int, of total: Int?) {
        assert(done >= 0 && total ?? 0 >= 0)
        self.total.store(total ?? -1, ordering: .relaxed)
        self.done.store(done, ordering: .relaxed)
    }

    /// Runs blocking work that writes in transactions of its own off the calling task's thread. The cancellation of the
    /// task stops it.
    static func offloading<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        let control = current ?? WriteControl()
        return try await withTaskCancellationHandler {
            try await Offload.run { try $current.withValue(control, operation: work) }
        } onCancel: {
            control.stop()
        }
    }
}
