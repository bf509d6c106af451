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
