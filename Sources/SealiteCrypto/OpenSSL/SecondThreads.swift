internal import COpenSSL
internal import Glibc
internal import Synchronization

/// Threads that open a connection's pages ahead, which must stay out of OpenSSL and of all locks while the
/// process forks, since a lock that a thread holds stays locked in the child, and while it exits, when OpenSSL frees what
/// threads share if the program used it before this library did.
package enum SecondThreads {
    /// The number of reasons for which no second thread may work.
    private static let holdCount = Atomic<Int>(0)
    private static let activeCount = Atomic<Int>(0)

    /// Keeps second threads from working until a call of `letGo`, and waits for those that work.
    static func hold() {
        holdCount.add(1, ordering: .sequentiallyConsistent)
        // A page takes microseconds, and longer if its thread waits for a core. The bound, some 10 s, is for a process
        // whose other threads are stopped.
        for round in 0..<100_000 {
            guard activeCount.load(ordering: .sequentiallyConsistent) > 0 else { return }
            if round < 100 { sched_yield() } else { usleep(100) }
        }
    }

    static func letGo() { holdCount.subtract(1, ordering: .sequentiallyConsistent) }

    /// Lets threads work in a child after fork(2), which has none yet.
    static func letGoInChild() {
        holdCount.store(0, ordering: .sequentiallyConsistent)
        activeCount.store(0, ordering: .sequentiallyConsistent)
    }

    /// Has the process hold second threads when it exits. A function that is registered later runs earlier, so this one,
    /// registered after the first use of OpenSSL, runs before OpenSSL's.
    static func holdAtExit() { atexit { SecondThreads.hold() } }

    /// Runs `body` on a second thread, unless such threads are held; returns nil then. Takes microseconds: a fork waits.
    package static func unlessHeld<Result>(_ body: () -> Result?) -> Result? {
        activeCount.add(1, ordering: .sequentiallyConsistent)
        defer { activeCount.subtract(1, ordering: .sequentiallyConsistent) }
        return holdCount.load(ordering: .sequentiallyConsistent) > 0 ? nil : body()
    }

    /// Frees what OpenSSL keeps for the calling thread, which otherwise happens, with locks, when the thread ends.
    package static func freeThreadState() { OPENSSL_thread_stop() }
}
