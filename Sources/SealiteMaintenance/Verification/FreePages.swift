import SealiteFile

/// Pages in order, drawn together: a hole of a hundred gigabytes is one range.
struct PageRanges {
    private(set) var all: [ClosedRange<UInt32>]

    /// Ranges in order, which neither overlap nor touch.
    init(_ all: [ClosedRange<UInt32>] = []) { self.all = all }

    var count: Int { all.reduce(0) { $0 + $1.count } }

    /// Adds pages that lie behind those that are here.
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

    /// Takes pages apart that are in `marked`, which is sorted. Both parts come in order.
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

/// SQLite's list of free pages. https://sqlite.org/fileformat2.html#the_freelist
struct FreePages {
    let pageCount: UInt32
    /// The bytes of a page that SQLite uses.
    let usable: Int

    /// Returns those of these pages that are leaves of the list, in order. A trunk that can't be read ends the list.
    func leaves(
        among ranges: PageRanges, read: (UInt32) throws(VFSFailure) -> [UInt8]?
    ) throws(VFSFailure) -> [UInt32] {
        var found: Set<UInt32> = []
        guard let pageOne = try read(1) else { return [] }
        var trunk = WALHeader.readUInt32(pageOne, at: 32)
        var visited: Set<UInt32> = []
        while trunk != 0, trunk <= pageCount, visited.insert(trunk).inserted, let page = try read(trunk) {
            let count = min(Int(WALHeader.readUInt32(page, at: 4)), usable / 4 - 2)
            for index in 0..<max(0, count) {
                let leaf = WALHeader.readUInt32(page, at: 8 + 4 * index)
                if ranges.contains(leaf) { found.insert(leaf) }
            }
            trunk = WALHeader.readUInt32(page, at: 0)
        }
        return found.sorted()
    }
}
