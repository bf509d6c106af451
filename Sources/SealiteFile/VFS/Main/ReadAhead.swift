import CSQLite

/// Reads the sealed pages that a scan is about to request with one call of the base VFS, since the saved system calls pay
/// for a good part of the decryption, and has those of a long scan opened on a second thread (``OpeningAhead``).
///
/// Its pages are valid only while SQLite holds the lock under which it was read: during a read transaction no process
/// changes a page that the transaction may read from the database file. The owner calls ``forget()`` at every change of a
/// lock and at every write of its own, and a page that isn't authentic is read again. Used from one thread at a time.
@safe package final class ReadAhead {
    /// A page that was read ahead.
    @safe enum Page {
        /// The sealed page.
        case sealed(UnsafeRawPointer)
        /// The authentic plaintext, with zeros in place of the trailer.
        case opened(UnsafeRawPointer)
    }

    /// The buffer of a short scan, allocated at the first use.
    private var buffer: UnsafeMutableRawPointer?
    /// The window that has the pages from `first` on; nil if `buffer` has them.
    private var window: PageWindow?
    private var first: UInt32 = 0
    private var count: UInt32 = 0
    /// The number of the page that was requested last.
    private var last: UInt32 = 0
    /// The number of sequential requests up to the last one.
    private var streak: UInt32 = 0
    /// The number of requests out of order since the last sequential one.
    private var detours: UInt32 = 0
    /// The number of the page from which on nothing is read ahead, because the file ended before it or couldn't be
    /// read; `UInt32.max` if there is none.
    private var end = UInt32.max
    /// The second thread of long scans; nil before the first one.
    private var opening: OpeningAhead?
    /// A Boolean value that says whether a window was filled since ``forget()``.
    private var hasWindows = false
    private var usesSecondThread: Bool

    /// The size of the buffer, which fits the first-level cache of processors together with the page being opened.
    private static let byteCount = 32 << 10
    /// The number of sequential requests from which on they count as a scan.
    private static let streakOfScan: UInt32 = 3
    /// The number of sequential requests from which on a second thread opens pages: it begins while the scan's own thread
    /// opens some 16 pages.
    private static let streakOfLongScan: UInt32 = 64

    /// The number of pages elsewhere, such as inner pages of the tree, that don't end a long scan.
    private static let detourLimit: UInt32 = 2

    package init(usesSecondThread: Bool = true) { self.usesSecondThread = usesSecondThread }

    deinit {
        opening?.close()
        unsafe buffer?.deallocate()
    }

    /// Discards the pages that were read, but remembers how far a scan has come.
    @inline(__always)
    package func forget() {
        count = 0
        end = .max
        if hasWindows { forgetWindows() }
    }

    @inline(never)
    private func forgetWindows() {
        (window, hasWindows) = (nil, false)
        // Each page after a change of a lock or a write would otherwise read all windows.
        streak = min(streak, Self.streakOfScan)
        opening?.discard()
    }

    /// Returns page `number` if it is part of a scan and was read, or can be read, together with the following pages;
    /// otherwise nil. The pointer is valid until the next call.
    @inline(__always)
    func page(_ number: UInt32, of sealed: PageCodec, from base: BaseFile) -> Page? {
        // One page may be skipped: an inner page of the tree can lie between leaves and has been read before.
        guard number &- last &- 1 < 2 else {
            // Or it lies elsewhere, and a long scan goes on after it.
            detours &+= 1
            if streak < Self.streakOfLongScan || detours > Self.detourLimit { (last, streak, detours) = (number, 0, 0) }
            return nil
        }
        (last, detours) = (number, 0)
        if streak < .max { streak &+= 1 }
        if number &- first < count { return read(number, sealed.pageSize) }
        guard streak >= Self.streakOfScan else { return nil }
        return fetch(number, of: sealed, from: base)
    }

    @inline(__always)
    private func read(_ number: UInt32, _ pageSize: Int) -> Page? {
        assert(number &- first < count, "the page was read")
        if let window { return window.page(number) }
        return unsafe buffer.map { unsafe .sealed(UnsafeRawPointer($0) + Int(number &- first) * pageSize) }
    }

    @inline(never)
    private func fetch(_ number: UInt32, of sealed: PageCodec, from base: BaseFile) -> Page? {
        count = 0
        if usesSecondThread, streak >= Self.streakOfLongScan,
            let page = fetchWindow(number, of: sealed, from: base)
        {
            return page
        }
        window = nil
        // The size grows with every read: a short scan shouldn't pay for unused pages.
        let wanted = min(UInt32(Self.byteCount / sealed.pageSize), streak)
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
        return read(number, sealed.pageSize)
    }

    /// Continues a long scan with a window that was read already, or with another one, and reads the windows after it.
    private func fetchWindow(_ number: UInt32, of sealed: PageCodec, from base: BaseFile) -> Page? {
        guard let opening = opening ?? OpeningAhead(pageSize: sealed.pageSize) else {
            usesSecondThread = false
            return nil
        }
        self.opening = opening
        var known = opening.window(with: number)
        if known == nil, let window = opening.nextWindow(after: nil), fill(window, of: opening, number, sealed, base) {
            known = window
        }
        guard let current = known else { return nil }
        current.claim()
        (window, first, count) = (current, current.first, current.count)
        var next = opening.newest.end
        while let window = opening.nextWindow(after: current), fill(window, of: opening, next, sealed, base) {
            opening.submit(window, ring: sealed.ring)
            next = window.end
        }
        return read(number, sealed.pageSize)
    }

    /// Reads a window's pages from the file; returns false if the file ends before the last of them, or can't be read.
    private func fill(
        _ window: PageWindow, of opening: OpeningAhead, _ number: UInt32, _ sealed: PageCodec, _ base: BaseFile
    ) -> Bool {
        let count = UInt32(PageWindow.byteCount / sealed.pageSize)
        window.empty()
        guard number < UInt32.max - count, number + count <= end else { return false }
        let code = unsafe base.read(into: window.images, PageWindow.byteCount, at: sealed.offset(of: number))
        guard code == SQLITE_OK else {
            end = number + count - 1
            return false
        }
        opening.filled(window, number, count)
        hasWindows = true
        return true
    }
}
