import CSQLite

/// Pages that a write past the end of the file skipped. They are zeros on disk, and a page of zeros never reads as
/// valid: they are sealed as empty pages before anyone could need them.
struct HoleTracker {
    private(set) var pages: [ClosedRange<UInt32>] = []
    /// How many pages the file has; nil where another process may have changed it.
    private var end: UInt32?

    var isEmpty: Bool { pages.isEmpty }

    mutating func forgetEnd() { end = nil }

    var knowsEnd: Bool { end != nil }

    mutating func noteEnd(_ pageCount: UInt32) { end = pageCount }

    @inline(__always)
    mutating func willWrite(_ number: UInt32) {
        let end = self.end ?? 0
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

    /// The page has content now. A big transaction keeps a hole open to its end, so this is asked for every page that is
    /// written, and must cost nothing where the page is in none.
    mutating func fill(_ number: UInt32) {
        guard let index = pages.firstIndex(where: { $0.contains(number) }) else { return }
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

    mutating func takeAll() -> [ClosedRange<UInt32>] {
        defer { pages = [] }
        return pages
    }
}

extension MainFile {
    /// Seals empty pages into the holes.
    func fillHoles() throws(VFSFailure) {
        guard !holes.isEmpty, let sealed else { return }
        let empty = UnsafeMutableRawPointer.allocate(byteCount: sealed.pageSize, alignment: 64)
        unsafe empty.initializeMemory(as: UInt8.self, repeating: 0, count: sealed.pageSize)
        defer { unsafe empty.deallocate() }
        sealed.ahead.forget()
        for range in holes.takeAll() {
            for number in range where number != sealed.lockBytePage {
                unsafe try sealed.seal(empty, number: number, spare: 0)
                unsafe try check(base.write(sealed.scratch, sealed.pageSize, at: sealed.offset(of: number)))
            }
        }
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
