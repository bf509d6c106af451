/// Tells a process that it is a child which inherited its memory by fork(2).
///
/// Whoever keeps random bytes (a nonce prefix, a counter's start) remembers the generation in which they were drawn
/// and draws anew when it changed. A load and a comparison: no system call per page.
public enum ForkGeneration {
    /// 0 in the process that loaded this library; one more in each child forked from it, and so on down. Safe from any
    /// thread.
    @inlinable
    public static var current: Int { unsafe forkGeneration }
}

@usableFromInline
// Written only by the fork handler, in a child that has one thread yet: never while another thread reads.
nonisolated(unsafe) var forkGeneration = 0
