import CSQLite

/// Sealed pages that a scan is about to ask for, fetched with one call of the base VFS: a system call less per page pays for
/// a good part of the opening.
///
/// The buffer holds ciphertext, which counts only while SQLite holds the lock it was read under: in a read transaction nobody
/// changes a page that the transaction may read from the database file. The owner forgets it at every change of a lock and
/// at every write of its own, and a page that doesn't open is read anew. Used from one thread at a time.
@safe package final class ReadAhead {
    /// Made with the first fetch.
    private var buffer: UnsafeMutableRawPointer?
    private var first: UInt32 = 0
    private var count: UInt32 = 0
    /// The page that was read last, and how many came in order before it.
    private var last: UInt32 = 0
    private var streak: UInt32 = 0
    /// A page that could not be fetched: the file ends before it.
    private var end = UInt32.max

    /// The size of the buffer, which fits the first-level cache of processors beside the page that is opened.
    private static let byteCount = 32 << 10
    /// The number of pages in order that make a scan.
    private static let streakOfScan: UInt32 = 3

    deinit { unsafe buffer?.deallocate() }

    /// Forgets the pages; a scan that goes on is still one.
    @inline(__always)
    package func forget() {
        count = 0
        end = .max
    }

    /// The sealed image of page `number`, if the page is part of a scan and can be had in one read with those behind it.
    @inline(__always)
    func page(_ number: UInt32, of sealed: PageCodec, from base: BaseFile) -> UnsafeRawPointer? {
        // An inner page of the tree lies between leaves and was read before: one page may be left out.
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
        unsafe UnsafeRawPointer(buffer) + Int(number &- first) * pageSize
    }

    @inline(never)
    private func fetch(_ number: UInt32, of sealed: PageCodec, from base: BaseFile) -> UnsafeRawPointer? {
        // More with every fetch: a short scan shall not pay for pages that nobody asks for.
        let wanted = min(UInt32(Self.byteCount / sealed.pageSize), streak)
        count = 0
        guard wanted > 1, number < UInt32.max - wanted, number + wanted <= end else { return nil }
        let buffer = unsafe buffer ?? .allocate(byteCount: Self.byteCount, alignment: 4096)
        unsafe self.buffer = unsafe buffer
        guard unsafe base.read(into: buffer, Int(wanted) * sealed.pageSize, at: sealed.offset(of: number)) == SQLITE_OK
        else {
            // The end of the file, or a failure, which the read of the page alone will tell.
            end = number + wanted - 1
            return nil
        }
        (first, count) = (number, wanted)
        return unsafe image(number, in: buffer, sealed.pageSize)
    }
}
