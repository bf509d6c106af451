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
    let hasBegun = UnsafeMutablePointer<Atomic<Bool>>.allocate(capacity: 1)
    unsafe hasBegun.initialize(to: Atomic(false))
    unsafe fetchingHasBegun = hasBegun
    let result = pthread_atfork(
        {
            if let begun = unsafe fetchingHasBegun, unsafe begun.pointee.load(ordering: .acquiring) {
                Algorithms.finishFetching()
            }
            _ = unsafe UnsafeRawBufferPointer(start: nil, count: 0).place
            SecretMemory.pool.lock()
            ProtectedHeap.lock()
        },
        {
            ProtectedHeap.unlock()
            SecretMemory.pool.unlock()
        },
        {
            unsafe forkGeneration += 1
            ProtectedHeap.unlock()
            SecretMemory.pool.unlock()
        })
    // Fails only for want of memory, at the start of a process that cannot do anything then.
    precondition(result == 0, "pthread_atfork failed: error \(result)")
}

// Written once, when the program is loaded and has one thread.
nonisolated(unsafe) private var fetchingHasBegun: UnsafeMutablePointer<Atomic<Bool>>?

/// To be called before OpenSSL is asked for an algorithm. A process that asked for none isn't made to at its forks: the
/// library could no longer be told where to take its memory from.
@inline(__always)
func noteFetching() {
    guard let begun = unsafe fetchingHasBegun, unsafe !begun.pointee.load(ordering: .relaxed) else { return }
    unsafe begun.pointee.store(true, ordering: .releasing)
}
