internal import Glibc

/// Tells a process that it is a child which inherited its memory by fork(2).
///
/// Whoever keeps random bytes (a nonce prefix, a counter's start) remembers the generation in which they were drawn
/// and draws anew when it changed. A load and a comparison: no system call per page.
public enum ForkGeneration {
    /// 0 in the process that first asked; one more in each child forked from it, and so on down.
    ///
    /// Counts from the first time it is read. Safe from any thread.
    @inlinable
    public static var current: Int {
        // Written only by the handler below, in a child that has one thread yet: never while another thread reads.
        unsafe forkCounter.pointee
    }
}

@usableFromInline
// A pointer that is never changed or freed, to an integer with the single writer described above.
nonisolated(unsafe) let forkCounter: UnsafeMutablePointer<Int> = {
    let counter = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    unsafe counter.initialize(to: 0)
    unsafe atForkCounter = counter
    // Fails only for want of memory, at the start of a process that cannot do anything then.
    let result = pthread_atfork(nil, nil, { unsafe atForkCounter?.pointee += 1 })
    precondition(result == 0, "pthread_atfork failed: error \(result)")
    return unsafe counter
}()

// Written once, before the fork handler is registered, and read by that handler alone, in a child of one thread. The
// handler can't use the lazy global above: a fork during its initialisation would leave the child waiting for ever.
nonisolated(unsafe) private var atForkCounter: UnsafeMutablePointer<Int>?
