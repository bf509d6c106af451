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
