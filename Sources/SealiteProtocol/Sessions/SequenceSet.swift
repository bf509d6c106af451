/// The local sequences that need no more work, as ordered ranges.
package struct SequenceSet: Sendable, Hashable {
    /// The ordered ranges, which are not empty and don't touch.
    private(set) var ranges: [Range<UInt64>] = []

    init() {}

    /// Creates a set of all sequences from 0 through `last`.
    init(through last: UInt64) { ranges = [0..<(last + 1)] }

    var isEmpty: Bool { ranges.isEmpty }

    /// The last sequence such that all sequences from 1 to it are in the set; 0 if there is none.
    package var contiguousThrough: UInt64 {
        guard let first = ranges.first, first.lowerBound <= 1 else { return 0 }
        return first.upperBound - 1
    }

    package func contains(_ sequence: UInt64) -> Bool {
        let index = firstIndex(endingAfter: sequence)
        return index < ranges.count && ranges[index].contains(sequence)
    }

    mutating func insert(_ sequence: UInt64) { insert(sequence..<(sequence + 1)) }

    mutating func insert(_ range: Range<UInt64>) {
        guard !range.isEmpty else { return }
        // Ranges that touch the new one become part of it.
        let start = range.lowerBound == 0 ? 0 : firstIndex(endingAfter: range.lowerBound - 1)
        var end = start
        var merged = range
        while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
            merged = min(merged.lowerBound, ranges[end].lowerBound)..<max(merged.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(start..<end, with: [merged])
        assert(start == 0 || ranges[start - 1].upperBound < merged.lowerBound, "ranges don't touch")
        assert(start + 1 == ranges.count || merged.upperBound < ranges[start + 1].lowerBound, "ranges don't touch")
    }

    mutating func remove(_ sequence: UInt64) {
        let index = firstIndex(endingAfter: sequence)
        guard index < ranges.count, ranges[index].contains(sequence) else { return }
        let range = ranges[index]
        let rest = [range.lowerBound..<sequence, (sequence + 1)..<range.upperBound].filter { !$0.isEmpty }
        ranges.replaceSubrange(index...index, with: rest)
    }

    func intersection(_ other: SequenceSet) -> SequenceSet {
        var result = SequenceSet()
        for range in ranges {
            for candidate in other.ranges where candidate.overlaps(range) {
                result.insert(candidate.clamped(to: range))
            }
        }
        return result
    }

    /// Returns the index of the first range that ends after a sequence; the number of ranges if there is none.
    private func firstIndex(endingAfter sequence: UInt64) -> Int {
        if let last = ranges.last, last.upperBound <= sequence { return ranges.count }
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
