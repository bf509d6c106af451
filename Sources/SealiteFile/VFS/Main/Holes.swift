import CSQLite

/// The holes of the running transaction (pages that were skipped by writes past the end of the file), recorded when
/// pages are written and filled before the transaction takes effect.
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

    /// Returns whether a page is a hole, which reads as zeros.
    func contains(_ number: UInt32) -> Bool { tracker.contains(number) }

    /// Records that a page is about to be written. `fileByteCount` is evaluated only if another process may have
    /// changed the file's size.
    @inline(__always)
    func willWrite(
        _ number: UInt32, pageSize: Int, fileByteCount: () throws(VFSFailure) -> Int64
    ) throws(VFSFailure) {
        if !tracker.knowsEnd { tracker.noteEnd(UInt32(truncatingIfNeeded: try fileByteCount() / Int64(pageSize))) }
        assert(tracker.knowsEnd && pageSize == keys.codec?.pageSize)
        tracker.willWrite(number)
    }

    /// Records that the file's size is about to become that of `count` pages. SQLite only makes files shorter in this
    /// way, but a VFS above this one may let them grow.
    func willTruncate(
        toPage count: UInt32, pageSize: Int, fileByteCount: () throws(VFSFailure) -> Int64
    ) throws(VFSFailure) {
        if !tracker.knowsEnd { tracker.noteEnd(UInt32(truncatingIfNeeded: try fileByteCount() / Int64(pageSize))) }
        assert(tracker.knowsEnd && pageSize == keys.codec?.pageSize)
        tracker.willTruncate(toPage: count)
    }

    /// Forgets the number of pages in the file, which another process may change.
    func forgetEnd() { tracker.forgetEnd() }

    /// Forgets all holes. Called when the lock under which they were created is released.
    func forget() { tracker.forget() }

    /// Seals empty pages into the holes before a commit or a WAL checkpoint takes effect. If a write fails, the
    /// remaining holes stay recorded.
    func fill() throws(VFSFailure) {
        guard !tracker.isEmpty, let codec = keys.codec else { return }
        let empty = UnsafeMutableRawPointer.allocate(byteCount: codec.pageSize, alignment: 64)
        unsafe empty.initializeMemory(as: UInt8.self, repeating: 0, count: codec.pageSize)
        defer { unsafe empty.deallocate() }
        ahead.forget()
        while let number = tracker.next {
            if number != codec.lockBytePage {
                unsafe try codec.seal(empty, number: number, pageOneSerial: 0)
                unsafe try check(base.write(codec.scratch, codec.pageSize, at: codec.offset(of: number)))
            }
            tracker.fill(number)
            assert(tracker.next != number, "each round fills a hole")
        }
    }

    /// Fills and forgets the holes of a transaction whose lock is about to be released. After a commit none remain; a
    /// rollback that couldn't truncate the file leaves some.
    func close() throws(VFSFailure) {
        defer { tracker.forget() }
        try fill()
    }
}
