internal import SealiteFile
internal import Synchronization

/// Runs queries for observers on separate threads, a limited number at a time, in the order of the requests.
final class LiveWorkers: Sendable {
    private struct State {
        var busyCount = 0
        var waiting: [@Sendable () -> Void] = []
        var next = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = max(limit, 1) }

    /// Starts work on a separate thread, or queues it if the allowed number of threads are busy.
    func start(_ work: @escaping @Sendable () -> Void) {
        let isFree = state.withLock { state in
            guard state.busyCount < limit else {
                state.waiting.append(work)
                return false
            }
            assert(state.waiting.isEmpty && state.next == 0, "nothing waits while a thread is free")
            state.busyCount += 1
            return true
        }
        if isFree { Offload.start { self.run(work) } }
    }

    private func run(_ first: @Sendable () -> Void) {
        first()
        while let work = takeNext() { work() }
    }

    private func takeNext() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.next < state.waiting.count else {
                assert(state.busyCount > 0 && state.busyCount <= limit)
                (state.waiting, state.next) = ([], 0)
                state.busyCount -= 1
                return nil
            }
            let work = state.waiting[state.next]
            state.next += 1
            if state.next >= 64, state.next * 2 >= state.waiting.count {
                state.waiting.removeFirst(state.next)
                state.next = 0
            }
            return work
        }
    }
}
