internal import Glibc
internal import Synchronization

/// What one thread at a time has put here for itself: the write transaction that is under way.
///
/// Calls made inside a transaction's closure find it by their thread, so that the same methods work inside and outside.
final class ThreadSlot<Value: AnyObject>: Sendable {
    private let owner = Atomic<UInt>(0)
    // Written and read only by the thread whose id `owner` holds: the thread itself sets both, value first and owner
    // last, and clears them the other way round.
    nonisolated(unsafe) private var value: Value?

    static var currentThread: UInt { UInt(pthread_self()) }

    /// The calling thread's value.
    @inline(__always)
    var current: Value? {
        owner.load(ordering: .relaxed) == Self.currentThread ? unsafe value : nil
    }

    /// Runs `body` with `value` as the calling thread's. The caller makes sure that only one thread is in here.
    func with<Result>(_ value: Value, _ body: () throws -> Result) rethrows -> Result {
        unsafe self.value = value
        owner.store(Self.currentThread, ordering: .relaxed)
        defer {
            owner.store(0, ordering: .relaxed)
            unsafe self.value = nil
        }
        return try body()
    }
}

/// What several threads have put here for themselves: the snapshots that are being read.
final class ThreadTable<Value: AnyObject>: Sendable {
    /// Lets a value that isn't Sendable lie in the table.
    // Handed only to the thread that put it there: the table is looked up by the thread's own number.
    private struct Entry: @unchecked Sendable { let value: Value }

    private let count = Atomic<Int>(0)
    private let entries = Mutex<[UInt: Entry]>([:])

    /// The calling thread's value.
    @inline(__always)
    var current: Value? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return entries.withLock { $0[ThreadSlot<Value>.currentThread] }?.value
    }

    /// Runs `body` with `value` as the calling thread's.
    func with<Result>(_ value: Value, _ body: () throws -> Result) rethrows -> Result {
        let thread = ThreadSlot<Value>.currentThread
        let entry = Entry(value: value)
        let previous = entries.withLock { $0.updateValue(entry, forKey: thread) }
        count.add(1, ordering: .relaxed)
        defer {
            count.subtract(1, ordering: .relaxed)
            entries.withLock { $0[thread] = previous }
        }
        return try body()
    }
}
