import Foundation
import Glibc
import SealiteCrypto
import Synchronization
import Testing

/// A fork at the moment at which another thread uses something of ours for the first time. The process of each test has used
/// nothing yet, and neither have the children that it makes: each of those forks while its own threads begin.
@Suite("fork at the first use")
struct FirstUseTests {
    @Test("a child makes secrets, whoever was making the parent's first one")
    func secrets() async {
        await #expect(processExitsWith: .success) {
            try #require(forksDuringFirstUse(rounds: 60) { SecretBytes(copying: [1, 2, 3]).byteCount == 3 } == 0)
        }
    }

    @Test("a child uses OpenSSL, whoever was fetching the parent's first algorithm")
    func algorithms() async {
        await #expect(processExitsWith: .success) {
            try #require(
                forksDuringFirstUse(rounds: 30) { (try? SHA256.digest(of: [1, 2, 3])) != nil } == 0)
        }
    }

    @Test("a child that hangs is ended")
    func hanging() async {
        await #expect(processExitsWith: .success) {
            let child = try #require(forkProcess())
            if child == 0 {
                endStuckProcess(after: 1)
                while true { pause() }
            }
            var status: Int32 = 0
            unsafe waitpid(child, &status, 0)
            #expect(status & 0x7F == SIGALRM)
        }
    }

    @Test("a process that uses nothing of ours isn't made to by its forks")
    func untouched() async {
        await #expect(processExitsWith: .success) {
            let child = try #require(forkProcess())
            if child == 0 { _exit(0) }
            waitpid(child, nil, 0)
            #expect(OpenSSLMemory.useProtectedHeap(), "OpenSSL has no memory yet")
        }
    }
}

/// OpenSSL frees its memory when a process ends, unless its first user in the process tells it not to.
@Suite("exit while threads use OpenSSL")
struct ExitTests {
    @Test("a process ends without a crash while threads derive keys")
    func derivations() async {
        await #expect(processExitsWith: .success) { try #require(crashesAtExit(rounds: 40) == 0) }
    }
}

/// Forks children, each of which ends while its threads derive keys. Returns the number of those that didn't end with 0.
private func crashesAtExit(rounds: Int) -> Int {
    var crashes = 0
    for _ in 0..<rounds {
        guard let child = forkProcess() else { return -1 }
        if child == 0 {
            endStuckProcess(after: 60)
            let count = Atomic(0)
            for _ in 0..<4 {
                Thread.detachNewThread {
                    while true {
                        _ = try? HKDF.deriveKey(inputKeyMaterial: SecretBytes(copying: [1]), info: [], byteCount: 32)
                        count.add(1, ordering: .relaxed)
                    }
                }
            }
            while count.load(ordering: .relaxed) < 8 { sched_yield() }
            exit(0)
        }
        var status: Int32 = 1
        unsafe waitpid(child, &status, 0)
        if status != 0 { crashes += 1 }
    }
    return crashes
}

/// Forks children; in each, threads begin to use something while it forks a child of its own, which uses it too. How many of
/// those never came to an end.
private func forksDuringFirstUse(rounds: Int, _ use: @escaping @Sendable () -> Bool) -> Int {
    var stuck = 0
    for round in 0..<rounds {
        guard let child = forkProcess() else { return -1 }
        if child == 0 {
            for _ in 0..<2 { Thread.detachNewThread { _ = use() } }
            for _ in 0..<round * 40 { sched_yield() }
            let grandchild = forkProcess()
            if grandchild == 0 {
                endStuckProcess(after: 60)
                _exit(use() ? 0 : 1)
            }
            var status: Int32 = 1
            if let grandchild { unsafe waitpid(grandchild, &status, 0) }
            _exit(status == 0 ? 0 : 1)
        }
        var status: Int32 = 1
        unsafe waitpid(child, &status, 0)
        if status != 0 { stuck += 1 }
    }
    return stuck
}
