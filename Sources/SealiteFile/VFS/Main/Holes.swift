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

/// The holes of a file: pages that were skipped by writes past the end of the file. On disk they are zeros, which no
/// reader accepts as content.
///
/// SQLite doesn't write pages that a transaction both added and freed (with `PRAGMA secure_delete=OFF`), but may read
/// such a page again before the commit. To this connection holes read as zeros, as in a plain file. Before the
/// transaction takes effect they are sealed as empty pages. `Documentation/FORMAT.md` §6.
///
/// Valid only under the lock under which the pages were skipped: without it another process may have written them.
struct HoleTracker {
    /// The numbers of the skipped pages: ascending ranges that neither overlap nor touch.
    private(set) var pages: [ClosedRange<UInt32>] = []
    /// The number of pages in the file; nil if another process may have changed it.
    private var end: UInt32?

    var isEmpty: Bool { pages.isEmpty }

    /// The number of the page to fill next; nil if there are no holes. It is taken from the last range, from which
    /// removal is cheapest.
    var next: UInt32? { pages.last?.lowerBound }

    /// Forgets the number of pages in the file, but not the holes.
    mutating func forgetEnd() { end = nil }

    var knowsEnd: Bool { end != nil }

    mutating func noteEnd(_ pageCount: UInt32) { end = pageCount }

    func contains(_ number: UInt32) -> Bool { index(of: number) != nil }

    @inline(__always)
    mutating func willWrite(_ number: UInt32) {
        assert(number > 0, "pages are counted from 1")
        // A failed write leaves the file shorter than the holes before it.
        let end = max(self.end ?? 0, pages.last?.upperBound ?? 0)
        self.end = max(end, number)
        if number > end, number - end > 1 { pages.append(end + 1...number - 1) }
        if !pages.isEmpty { fill(number) }
        assert(!contains(number), "a page that is written is no hole")
    }

    /// Records that the file is about to be cut after a page, or to grow to that page by pages that aren't written.
    mutating func willTruncate(toPage count: UInt32) {
        if let end = end.map({ max($0, pages.last?.upperBound ?? 0) }), end < count {
            pages.append(end + 1...count)
            self.end = count
            return
        }
        end = nil
        pages = pages.compactMap { range in
            guard range.lowerBound <= count else { return nil }
            return range.lowerBound...min(range.upperBound, count)
        }
    }

    /// Records that a page has content, and so isn't a hole. Called for every written page while there are holes, and
    /// therefore cheap if the page isn't in a range.
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

    /// Returns the index of the range that contains the page, by binary search: there may be thousands.
    private func index(of number: UInt32) -> Int? {
        var (low, high) = (0, pages.count)
        while low < high {
            let middle = (low + high) / 2
            if pages[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low < pages.count && pages[low].contains(number) ? low : nil
    }

    /// Forgets all holes. Called when the lock under which they were created is released.
    mutating func forget() { pages = [] }
}
