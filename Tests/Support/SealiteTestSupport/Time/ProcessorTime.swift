internal import Glibc
package import Testing

/// Returns the processor time that the calling thread spends in `body`. Unlike the time of the clock it doesn't grow with
/// what else the machine does, so a test may bound it to tell a cost in proportion from one without a bound.
package func processorTime(_ body: () throws -> Void) rethrows -> Duration {
    let start = threadTime()
    try body()
    return threadTime() - start
}

private func threadTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs, with its name in the output. It is no statement about speed: the limit is far above what the
    /// slowest machine needs.
    package static var endsIfItHangs: Self { .timeLimit(.minutes(30)) }
}
