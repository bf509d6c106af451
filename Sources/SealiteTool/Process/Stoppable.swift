/// Runs an asynchronous operation of the library that reads until it ends or a signal arrives. A signal cancels the
/// operation's task, and the command ends by the signal.
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
