internal import Glibc
internal import Synchronization

// The handlers of fork(2).
//
// Swift initializes a global at its first use: one thread initializes it, and other threads wait. A fork during the
// initialization leaves a child in which no thread completes the initialization, and whose own first use would wait
// forever. So a fork first uses each such global of this module, which waits until it is initialized, and holds the
// mutexes that a child needs unlocked. The handlers are registered when the program is loaded, before the
// initialization of any global can be in progress.

@section(".init_array") @used
private let registerForkHandlers: @convention(c) () -> Void = {
    let first = UnsafeMutablePointer<FirstFetch>.allocate(capacity: 1)
    unsafe first.initialize(to: FirstFetch())
    unsafe firstFetch = first
    let result = pthread_atfork(
        {
            // Before the locks, for which a second thread may wait.
            SecondThreads.hold()
            lockFirstFetch()
            if let first = unsafe firstFetch, unsafe first.pointee.hasBegun.load(ordering: .acquiring) {
                Algorithms.finishFetching()
            }
            _ = unsafe UnsafeRawBufferPointer(start: nil, count: 0).address
            SecretMemory.pool.lock()
            ProtectedHeap.lock()
        },
        {
            ProtectedHeap.unlock()
            SecretMemory.pool.unlock()
            unlockFirstFetch()
            SecondThreads.letGo()
        },
        {
            unsafe forkGeneration += 1
            ProtectedHeap.unlock()
            SecretMemory.pool.unlock()
            unlockFirstFetch()
            SecondThreads.letGoInChild()
        })
    // Fails only if there is no memory, at the start of a process that could not do anything then.
    precondition(result == 0, "pthread_atfork failed: error \(result)")
}

/// The state of this process's first request for an OpenSSL algorithm.
@safe private struct FirstFetch: ~Copyable {
    let hasBegun = Atomic(false)
    /// Held across a fork, so that no thread makes the first request between the check of `hasBegun` and the fork.
    var mutex = unsafe pthread_mutex_t()
}

// Written once, when the program is loaded and has only one thread.
nonisolated(unsafe) private var firstFetch: UnsafeMutablePointer<FirstFetch>?

private func lockFirstFetch() {
    if let first = unsafe firstFetch { _ = unsafe pthread_mutex_lock(&first.pointee.mutex) }
}

private func unlockFirstFetch() {
    if let first = unsafe firstFetch { _ = unsafe pthread_mutex_unlock(&first.pointee.mutex) }
}

/// Records that an OpenSSL algorithm is requested; called before each request, of which only the first changes
/// anything. In a process that has made no request, a fork must not make one, because OpenSSL could then no longer be
/// configured to use another memory allocator.
@inline(__always)
func noteFetching() {
    guard let first = unsafe firstFetch, unsafe !first.pointee.hasBegun.load(ordering: .relaxed) else { return }
    noteFirstFetch()
}

@inline(never)
private func noteFirstFetch() {
    lockFirstFetch()
    Algorithms.keepMemoryAtExit()
    SecondThreads.holdAtExit()
    if let first = unsafe firstFetch { unsafe first.pointee.hasBegun.store(true, ordering: .releasing) }
    unlockFirstFetch()
}

/// The number of forks between the process that loaded this library and the present one, which reveals that memory was
/// inherited by fork(2).
///
/// Code that keeps random bytes (a nonce prefix, a counter's start) records the generation in which they were drawn and
/// draws new ones if it has changed. The check is a load and a comparison, without a system call per page.
public enum ForkGeneration {
    /// The present generation: 0 in the process that loaded this library, and one more than its parent's in each forked
    /// child. Safe from any thread.
    @inlinable
    public static var current: Int { unsafe forkGeneration }
}

@usableFromInline
// Written only by the fork handler, in a child that has only one thread, so never while another thread reads.
nonisolated(unsafe) var forkGeneration = 0
