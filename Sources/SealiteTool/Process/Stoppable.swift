/// Runs what the library does asynchronously, until it is done or a signal comes. That cancels its task: what a transaction has changed
/// is taken back, and the command ends by the signal.
func stoppable<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) throws -> R {
    let (stopped, stop) = (StoppingSignal(), TaskStop())
    let result: R
    do {
        result = try Signals.handling(by: { number in
            guard stopped.note(number) else { return false }
            stop.cancel()
            return true
        }) { try waiting(stoppedBy: stop, work) }
    } catch {
        if let number = stopped.number { throw EndedBySignal(number: number) }
        throw error
    }
    if let number = stopped.number { throw EndedBySignal(number: number) }
    return result
}
