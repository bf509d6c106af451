internal import Glibc
internal import Synchronization

/// A table of values, each of which belongs to one thread. It is used for the snapshots that threads are reading.
final class ThreadTable<Value: AnyObject>: Sendable {
    /// A wrapper that stores a value that isn't Sendable in the table.
    // Handed only to the thread that stored it: the table is searched by the calling thread's own number.
    private struct Entry: @unchecked Sendable { let value: Value }

    private let count = Atomic<Int>(0)
    private let entries = Mutex<[UInt: Entry]>([:])

    /// The calling thread's value; nil if there is none.
    @inline(__always)
    var current: Value? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return entries.withLock { $0[ThreadSlot<Value>.currentThread] }?.value
    }

    /// Runs `body` with `value` as the calling thread's value.
    func with<Result>(_ value: Value, _ body: () throws -> Result) rethrows -> Result {
        let thread = ThreadSlot<Value>.currentThread
        let entry = Entry(value: value)
        let previous = entries.withLock { $0.updateValue(entry, forKey: thread) }
        count.add(1, ordering: .relaxed)
        defer {
            let left = count.subtract(1, ordering: .relaxed).newValue
            assert(left >= 0, "each thread takes its value back")
            entries.withLock { $0[thread] = previous }
        }
        return try body()
    }
}

/// A slot for a value that belongs to one thread at a time. It is used for the write transaction in progress.
///
/// Calls inside a transaction's closure find the value by their thread, so that the same methods work inside and
/// outside of a transaction.
final class ThreadSlot<Value: AnyObject>: Sendable {
    private let owner = Atomic<UInt>(0)
    // Written and read only by the thread whose id `owner` holds: the thread itself sets both, first the value and then
    // the owner, and clears them in the reverse order.
    nonisolated(unsafe) private var value: Value?

    static var currentThread: UInt { UInt(pthread_self()) }

    /// The calling thread's value; nil if the slot belongs to another thread or is empty.
    @inline(__always)
    var current: Value? {
        owner.load(ordering: .relaxed) == Self.currentThread ? unsafe value : nil
    }

    /// Runs `body` with `value` as the calling thread's value. The caller ensures that only one thread calls this at a
    /// time.
    func with<Result>(_ value: Value, _ body: () throws -> Result) rethrows -> Result {
        precondition(owner.load(ordering: .relaxed) == 0, "one thread at a time has a value")
        unsafe self.value = value
        owner.store(Self.currentThread, ordering: .relaxed)
        defer {
            owner.store(0, ordering: .relaxed)
            unsafe self.value = nil
        }
        return try body()
    }
}
