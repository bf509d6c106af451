import CSQLite
import Synchronization

/// The large results of SQL functions that SQLite holds: their memory is passed to SQLite without a copy, and counts
/// for their connection until SQLite frees it.
enum LargeResults {
    /// The size in bytes from which on a result is passed without a copy.
    static let leastByteCount = 1 << 20

    /// A result: its size, and the address of the work of its connection.
    private struct Entry {
        let byteCount: Int
        let work: UInt
    }

    /// The results by the addresses of their bytes.
    private static let entries = Mutex<[UInt: Entry]>([:])

    /// The number of results that SQLite holds, on all connections.
    static var count: Int { entries.withLock(\.count) }

    /// Counts the bytes of a result, which the caller passes to SQLite with `free` as their destructor.
    ///
    /// - Throws: `tooLarge` if the memory of the connection's results exceeds its limit; the bytes are freed then.
    static func add(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, _ work: UnsafeMutablePointer<ConnectionWork>
    ) throws(CallFailure) {
        do throws(CallFailure) {
            try unsafe work.pointee.take(bytes.count)
        } catch {
            unsafe bytes.baseAddress?.deallocate()
            throw error
        }
        let entry = Entry(byteCount: bytes.count, work: UInt(bitPattern: work))
        let place = UInt(bitPattern: bytes.baseAddress)
        entries.withLock { $0[place] = entry }
    }

    /// Frees the bytes of a result, which SQLite calls on the thread that uses the connection.
    static let free: @convention(c) (UnsafeMutableRawPointer?) -> Void = { bytes in
        let entry = LargeResults.entries.withLock { $0.removeValue(forKey: UInt(bitPattern: bytes)) }
        if let entry, let work = unsafe UnsafeMutablePointer<ConnectionWork>(bitPattern: entry.work) {
            unsafe work.pointee.giveBack(entry.byteCount)
        }
        unsafe bytes?.deallocate()
    }
}
