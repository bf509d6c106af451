import CSQLite

/// The holes of the running transaction: noted where pages are written, filled before they could outlive it.
final class Holes {
    private let base: BaseFile
    private let keys: FileKeys
    private let ahead: ReadAhead
    private var tracker = HoleTracker()

    init(base: BaseFile, keys: FileKeys, ahead: ReadAhead) {
        self.base = base
        self.keys = keys
        self.ahead = ahead
    }

    var isEmpty: Bool { tracker.isEmpty }

    /// Returns whether a page is one, which reads as zeros.
    func contains(_ number: UInt32) -> Bool { tracker.contains(number) }

    /// Takes note of a page that is about to be written. `fileByteCount` is asked where another process may have changed the file's size.
    @inline(__always)
    func willWrite(
        _ number: UInt32, pageSize: Int, fileByteCount: () throws(VFSFailure) -> Int64
    ) throws(VFSFailure) {
        if !tracker.knowsEnd { tracker.noteEnd(UInt32(truncatingIfNeeded: try fileByteCount() / Int64(pageSize))) }
        tracker.willWrite(number)
    }

    /// Takes note that the file is about to end behind a page.
    func willTruncate(toPage count: UInt32) { tracker.willTruncate(toPage: count) }

    /// Forgets where the file ends, which another process may change.
    func forgetEnd() { tracker.forgetEnd() }

    /// Forgets all holes, where the lock under which they were made is given up.
    func forget() { tracker.forget() }

    /// Seals empty pages into the holes: before a commit or a WAL checkpoint counts, so that none outlives it. Where a write
    /// fails, the holes that are left stay known.
    func fill() throws(VFSFailure) {
        guard !tracker.isEmpty, let codec = keys.codec else { return }
        let empty = UnsafeMutableRawPointer.allocate(byteCount: codec.pageSize, alignment: 64)
        unsafe empty.initializeMemory(as: UInt8.self, repeating: 0, count: codec.pageSize)
        defer { unsafe empty.deallocate() }
        ahead.forget()
        while let number = tracker.next {
            if number != codec.lockBytePage {
                unsafe try codec.seal(empty, number: number, spare: 0)
                unsafe try check(base.write(codec.scratch, codec.pageSize, at: codec.offset(of: number)))
            }
            tracker.fill(number)
        }
    }

    /// Fills and forgets the holes of a transaction whose lock is about to be given up. A commit has filled them before: those
    /// of a rollback that couldn't cut the file are left.
    func close() throws(VFSFailure) {
        defer { tracker.forget() }
        try fill()
    }
}
