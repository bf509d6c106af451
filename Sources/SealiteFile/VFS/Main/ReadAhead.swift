import CSQLite

/// Reads the sealed pages that a scan is about to request with one call of the base VFS: the saved system calls pay for
/// a good part of the decryption.
///
/// The buffer holds ciphertext, which is valid only while SQLite holds the lock it was read under: during a read
/// transaction no process changes a page that the transaction may read from the database file. The owner discards the
/// buffer at every change of a lock and at every write of its own, and a page that isn't authentic is read again. Used
/// from one thread at a time.
@safe package final class ReadAhead {
    /// The buffer, allocated at the first use.
    private var buffer: UnsafeMutableRawPointer?
    private var first: UInt32 = 0
    private var count: UInt32 = 0
    /// The number of the page that was requested last.
    private var last: UInt32 = 0
    /// The number of sequential requests up to the last one.
    private var streak: UInt32 = 0
    /// The number of the page from which on nothing is read ahead, because the file ended before it or couldn't be
    /// read; `UInt32.max` if there is none.
    private var end = UInt32.max

    /// The size of the buffer, which fits the first-level cache of processors together with the page being opened.
    private static let byteCount = 32 << 10
    /// The number of sequential requests from which on they count as a scan.
    private static let streakOfScan: UInt32 = 3

    deinit { unsafe buffer?.deallocate() }

    /// Discards the buffered pages, but remembers how far a scan has come.
    @inline(__always)
    package func forget() {
        count = 0
        end = .max
    }

    /// Returns the sealed image of page `number` if the page is part of a scan and can be read together with the
    /// following pages; otherwise nil.
    @inline(__always)
    func page(_ number: UInt32, of sealed: PageCodec, from base: BaseFile) -> UnsafeRawPointer? {
        // One page may be skipped: an inner page of the tree can lie between leaves and has been read before.
        let isInOrder = number &- last &- 1 < 2
        last = number
        guard isInOrder else {
            streak = 0
            return nil
        }
        if number &- first < count { return unsafe buffer.map { unsafe image(number, in: $0, sealed.pageSize) } }
        streak &+= 1
        guard streak >= Self.streakOfScan else { return nil }
        return unsafe fetch(number, of: sealed, from: base)
    }

    @inline(__always)
    private func image(_ number: UInt32, in buffer: UnsafeMutableRawPointer, _ pageSize: Int) -> UnsafeRawPointer {
        assert(number &- first < count, "the page is in the buffer")
        return unsafe UnsafeRawPointer(buffer) + Int(number &- first) * pageSize
    }

    @inline(never)
    private func fetch(_ number: UInt32, of sealed: PageCodec, from base: BaseFile) -> UnsafeRawPointer? {
        // The size grows with every read: a short scan shouldn't pay for unused pages.
        let wanted = min(UInt32(Self.byteCount / sealed.pageSize), streak)
        count = 0
        guard wanted > 1, number < UInt32.max - wanted, number + wanted <= end else { return nil }
        assert(Int(wanted) * sealed.pageSize <= Self.byteCount, "the pages fit into the buffer")
        let buffer = unsafe buffer ?? .allocate(byteCount: Self.byteCount, alignment: 4096)
        unsafe self.buffer = unsafe buffer
        guard unsafe base.read(into: buffer, Int(wanted) * sealed.pageSize, at: sealed.offset(of: number)) == SQLITE_OK
        else {
            // The end of the file or a failure, which reading the page individually will report.
            end = number + wanted - 1
            return nil
        }
        (first, count) = (number, wanted)
        return unsafe image(number, in: buffer, sealed.pageSize)
    }
}
