import SealiteFile

/// Ascending page numbers, stored as ranges: a hole of a hundred gigabytes is one range.
struct PageRanges {
    private(set) var all: [ClosedRange<UInt32>]

    /// Creates a list of ascending ranges that neither overlap nor touch.
    init(_ all: [ClosedRange<UInt32>] = []) { self.all = all }

    var count: Int { all.reduce(0) { $0 + $1.count } }

    /// Appends pages after the existing ones.
    mutating func append(_ range: ClosedRange<UInt32>) {
        if let last = all.last, last.upperBound + 1 == range.lowerBound {
            all[all.count - 1] = last.lowerBound...range.upperBound
        } else {
            all.append(range)
        }
    }

    func contains(_ number: UInt32) -> Bool {
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low < all.count && all[low].contains(number)
    }

    /// Splits the ranges into runs of pages that are in the sorted array `marked` and runs of pages that aren't, and
    /// calls `body` for each run, in ascending order.
    func split(by marked: [UInt32], _ body: (ClosedRange<UInt32>, _ isMarked: Bool) -> Void) {
        var next = marked[...]
        for range in all {
            while let first = next.first, first < range.lowerBound { next.removeFirst() }
            var start = range.lowerBound
            while let number = next.first, number <= range.upperBound {
                if start < number { body(start...number - 1, false) }
                body(number...number, true)
                next.removeFirst()
                start = number + 1
            }
            if start <= range.upperBound { body(start...range.upperBound, false) }
        }
    }
}
