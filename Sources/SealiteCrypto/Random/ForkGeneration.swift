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
