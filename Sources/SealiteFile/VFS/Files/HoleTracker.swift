import CSQLite

/// The pages that writes past the end of the file skipped: on disk they are zeros, which no reader takes for content.
///
/// SQLite leaves out pages that a transaction both added and freed (with `PRAGMA secure_delete=OFF`) and may read one of them
/// again before the commit. To this connection they read as zeros, as in a plain file. Before the transaction counts they are
/// sealed as empty pages. `Documentation/FORMAT.md` §6.
///
/// Valid only under the lock under which the pages were skipped: without it another process may have written them.
struct HoleTracker {
    /// Ascending, and apart from each other.
    private(set) var pages: [ClosedRange<UInt32>] = []
    /// The number of pages that the file has; nil where another process may have changed it.
    private var end: UInt32?

    var isEmpty: Bool { pages.isEmpty }

    /// The page to fill next. Of the last range, which is taken out in no time when it is filled.
    var next: UInt32? { pages.last?.lowerBound }

    /// Forgets where the file ends, not which pages are holes.
    mutating func forgetEnd() { end = nil }

    var knowsEnd: Bool { end != nil }

    mutating func noteEnd(_ pageCount: UInt32) { end = pageCount }

    func contains(_ number: UInt32) -> Bool { index(of: number) != nil }

    @inline(__always)
    mutating func willWrite(_ number: UInt32) {
        // A write that failed leaves the file shorter than the holes before it.
        let end = max(self.end ?? 0, pages.last?.upperBound ?? 0)
        self.end = max(end, number)
        if number > end, number - end > 1 { pages.append(end + 1...number - 1) }
        if !pages.isEmpty { fill(number) }
    }

    mutating func willTruncate(toPage count: UInt32) {
        end = nil
        pages = pages.compactMap { range in
            guard range.lowerBound <= count else { return nil }
            return range.lowerBound...min(range.upperBound, count)
        }
    }

    /// Notes that the page has content now. A big transaction keeps its holes to its end, so this is asked for every page
    /// that is written, and must cost little where the page is in none.
    mutating func fill(_ number: UInt32) {
        guard let index = index(of: number) else { return }
        let range = pages[index]
        switch (range.lowerBound < number, number < range.upperBound) {
        case (false, false): pages.remove(at: index)
        case (true, false): pages[index] = range.lowerBound...number - 1
        case (false, true): pages[index] = number + 1...range.upperBound
        case (true, true):
            pages[index] = range.lowerBound...number - 1
            pages.insert(number + 1...range.upperBound, at: index + 1)
        }
    }

    /// The range that holds the page, by bisection: there may be thousands.
    private func index(of number: UInt32) -> Int? {
        var (low, high) = (0, pages.count)
        while low < high {
            let middle = (low + high) / 2
            if pages[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low < pages.count && pages[low].contains(number) ? low : nil
    }

    /// Forgets all holes, where the lock under which they were made is given up.
    mutating func forget() { pages = [] }
}

extension MainFile {
    /// Seals empty pages into the holes: before a commit or a WAL checkpoint counts, so that none outlives it. Where a write
    /// fails, the holes that are left stay known.
    func fillHoles() throws(VFSFailure) {
        guard !holes.isEmpty, let sealed else { return }
        let empty = UnsafeMutableRawPointer.allocate(byteCount: sealed.pageSize, alignment: 64)
        unsafe empty.initializeMemory(as: UInt8.self, repeating: 0, count: sealed.pageSize)
        defer { unsafe empty.deallocate() }
        sealed.ahead.forget()
        while let number = holes.next {
            if number != sealed.lockBytePage {
                unsafe try sealed.seal(empty, number: number, spare: 0)
                unsafe try check(base.write(sealed.scratch, sealed.pageSize, at: sealed.offset(of: number)))
            }
            holes.fill(number)
        }
    }

    /// Fills and forgets the holes of a transaction whose lock is about to be given up. A commit has filled them before: those
    /// of a rollback that couldn't cut the file are left.
    func closeHoles() throws(VFSFailure) {
        defer { holes.forget() }
        try fillHoles()
    }
}

/// What a change of the WAL index's locks means. https://sqlite.org/walformat.html#wal_locks
struct WALLockChange {
    private static let write: CInt = 0
    private static let checkpoint: CInt = 1
    private static let secondReadSlot: CInt = 4

    let takesReadSlot: Bool
    let takesWrite: Bool
    let takesCheckpoint: Bool
    let dropsWrite: Bool
    let dropsCheckpoint: Bool

    var takesWriteOrCheckpoint: Bool { takesWrite || takesCheckpoint }

    init(offset: CInt, count: CInt, flags: CInt) {
        let isLock = flags & SQLITE_SHM_LOCK != 0
        let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
        func covers(_ slot: CInt) -> Bool { offset <= slot && slot < offset + count }
        takesReadSlot = isLock && !isExclusive && offset >= Self.secondReadSlot
        takesWrite = isLock && isExclusive && covers(Self.write)
        takesCheckpoint = isLock && isExclusive && covers(Self.checkpoint)
        dropsWrite = !isLock && isExclusive && covers(Self.write)
        dropsCheckpoint = !isLock && isExclusive && covers(Self.checkpoint)
    }
}
