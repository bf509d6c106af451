import SealiteDatabase

/// A change of a database that a signal stops.
///
/// The signal rolls back every transaction that isn't committed; then ``run(_:)`` throws `EndedBySignal`, which says what
/// was changed. If `run` returns, everything is committed, whether a signal arrived meanwhile or not: the command reports
/// its result and succeeds. A second signal ends the process at once.
struct StoppableChange {
    /// The name of the step, for its line on a terminal; nil if the command reports its progress itself.
    let phase: String?
    /// A Boolean value that says whether the command's output is JSON.
    let json: Bool
    var unit = ElapsedTime.Unit.documents
    /// A Boolean value that says whether the command is done after this step: later signals don't change its outcome.
    var isLast = true
    /// Returns what was changed when a signal stopped the change.
    var effect: () -> String = { "nothing was changed" }
    let control = WriteControl()
    private let stopped = StoppingSignal()

    /// The signal that arrived meanwhile; nil if there was none.
    var signal: CInt? { stopped.number }

    init(_ phase: String? = nil, json: Bool = false) { (self.phase, self.json) = (phase, json) }

    /// Runs a change on this thread.
    func run<R>(_ body: () throws -> R) throws -> R {
        try stopping({}) { try WriteControl.$current.withValue(control, operation: body) }
    }

    /// Runs an asynchronous change and waits for it.
    func runTask<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) throws -> R {
        let stop = TaskStop()
        return try stopping({ stop.cancel() }) {
            try waiting(stoppedBy: stop) { [control] in
                try await WriteControl.$current.withValue(control) { try await work() }
            }
        }
    }

    private func stopping<R>(_ stop: @escaping @Sendable () -> Void, _ body: () throws -> R) throws -> R {
        do {
            return try Signals.handling(
                by: { [control, stopped] number in
                    guard stopped.note(number) else { return false }
                    control.stop()
                    stop()
                    return true
                }, staysAfterSuccess: isLast
            ) {
                guard let phase else { return try body() }
                return try ElapsedTime.shown(
                    phase, json: json, extent: { [control, unit] in control.extent(in: unit) }, body)
            }
        } catch {
            guard let number = stopped.number, error is CancellationError || ToolError(any: error).isCancellation
            else { throw error }
            throw EndedBySignal(number: number, effect: effect())
        }
    }
}

extension WriteControl {
    /// How far the change is, as its line on a terminal shows it.
    func extent(in unit: ElapsedTime.Unit) -> ElapsedTime.Extent {
        let (done, total) = progress
        return ElapsedTime.Extent(completed: Int64(done), total: Int64(total), unit: unit)
    }
}

extension ToolError {
    /// A Boolean value that says whether the error is that of a change which was stopped and rolled back.
    var isCancellation: Bool { code == DatabaseError(.cancelled, "").identifier }
}
