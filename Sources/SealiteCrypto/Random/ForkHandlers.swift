internal import Glibc
internal import Synchronization

// What happens at fork(2).
//
// Swift makes a global when it is first used: one thread does, others wait. A fork at that moment leaves a child in which
// nobody goes on with it, and whose own first use would wait for ever. So a fork uses each such global of this module first,
// which waits until it is made, and holds the mutexes that a child needs free. The handlers are registered when the program
// is loaded, before any global can be under way.

@section(".init_array") @used
private let registerForkHandlers: @convention(c) () -> Void = {
    let first = UnsafeMutablePointer<FirstFetch>.allocate(capacity: 1)
    unsafe first.initialize(to: FirstFetch())
    unsafe firstFetch = first
    let result = pthread_atfork(
        {
            lockFirstFetch()
            if let first = unsafe firstFetch, unsafe first.pointee.hasBegun.load(ordering: .acquiring) {
                Algorithms.finishFetching()
            }
            _ = unsafe UnsafeRawBufferPointer(start: nil, count: 0).place
            SecretMemory.pool.lock()
            ProtectedHeap.lock()
        },
        {
            ProtectedHeap.unlock()
            SecretMemory.pool.unlock()
            unlockFirstFetch()
        },
        {
            unsafe forkGeneration += 1
            ProtectedHeap.unlock()
            SecretMemory.pool.unlock()
            unlockFirstFetch()
        })
    // Fails only for want of memory, at the start of a process that cannot do anything then.
    precondition(result == 0, "pthread_atfork failed: error \(result)")
}

/// Whether OpenSSL was asked for an algorithm.
@safe private struct FirstFetch: ~Copyable {
    let hasBegun = Atomic(false)
    /// Held across a fork: between its look at `hasBegun` and the fork itself nobody may begin.
    var mutex = unsafe pthread_mutex_t()
}

// Written once, when the program is loaded and has one thread.
nonisolated(unsafe) private var firstFetch: UnsafeMutablePointer<FirstFetch>?

private func lockFirstFetch() {
    if let first = unsafe firstFetch { _ = unsafe pthread_mutex_lock(&first.pointee.mutex) }
}

private func unlockFirstFetch() {
    if let first = unsafe firstFetch { _ = unsafe pthread_mutex_unlock(&first.pointee.mutex) }
}

/// To be called before OpenSSL is asked for an algorithm. A process that asked for none isn't made to at its forks: the
/// library could no longer be told where to take its memory from.
@inline(__always)
func noteFetching() {
    guard let first = unsafe firstFetch, unsafe !first.pointee.hasBegun.load(ordering: .relaxed) else { return }
    noteFirstFetch()
}

@inline(never)
private func noteFirstFetch() {
    lockFirstFetch()
    if let first = unsafe firstFetch { unsafe first.pointee.hasBegun.store(true, ordering: .releasing) }
    unlockFirstFetch()
}
