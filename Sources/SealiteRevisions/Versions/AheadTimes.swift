/// The times that a clock has issued ahead of itself, as ranges, so that none of them is issued again.
///
/// A change of a document that has a version ahead of the clock, by another database's clock, must get a later time. The
/// clock doesn't follow, so that other documents don't get such times.
struct AheadTimes: Sendable, Equatable {
    /// The maximum number of ranges. If more times are issued, the two ranges with the smallest gap are joined: the times
    /// between them count as issued.
    static let rangeLimit = 256

    /// The ranges in ascending order, without common or adjacent times.
    private(set) var ranges: [ClosedRange<UInt64>] = []

    var isEmpty: Bool { ranges.isEmpty }
    /// The greatest time; nil if there is none.
    var last: UInt64? { ranges.last?.upperBound }

    /// Returns the first time that isn't less than `time` and wasn't issued.
    func free(from time: UInt64) -> UInt64 {
        guard let last, last >= time else { return time }
        return ranges.first { $0.contains(time) }.map { $0.upperBound &+ 1 } ?? time
    }

    /// Adds a time that is issued.
    mutating func insert(_ time: UInt64) { add(time...time) }

    /// Adds the times of another set.
    mutating func formUnion(_ other: AheadTimes) {
        if isEmpty { self = other } else { for range in other.ranges { add(range) } }
    }

    /// Removes the ranges that have no time after `time`, which the clock has passed.
    mutating func drop(through time: UInt64) { ranges.removeAll { $0.upperBound <= time } }

    private mutating func add(_ new: ClosedRange<UInt64>) {
        var joined = new
        let start = ranges.firstIndex { $0.upperBound >= new.lowerBound || $0.upperBound + 1 == new.lowerBound }
        var end = start ?? ranges.endIndex
        while end < ranges.endIndex,
            ranges[end].lowerBound <= new.upperBound || ranges[end].lowerBound - 1 == new.upperBound
        {
            joined = min(joined.lowerBound, ranges[end].lowerBound)...max(joined.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange((start ?? ranges.endIndex)..<end, with: [joined])
        guard ranges.count > Self.rangeLimit else { return }
        let gaps = zip(ranges, ranges.dropFirst()).map { $1.lowerBound - $0.upperBound }
        guard let index = gaps.indices.min(by: { gaps[$0] < gaps[$1] }) else { return }
        ranges.replaceSubrange(index...(index + 1), with: [ranges[index].lowerBound...ranges[index + 1].upperBound])
    }
}

extension AheadTimes {
    /// Reads the stored form; nil if the bytes aren't ranges in ascending order.
    init?(stored bytes: ArraySlice<UInt8>) {
        guard bytes.count.isMultiple(of: 16) else { return nil }
        var numbers: [UInt64] = []
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
            numbers.append(bytes[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) })
        }
        for index in stride(from: 0, to: numbers.count, by: 2) {
            guard numbers[index] <= numbers[index + 1], index == 0 || numbers[index - 1] < numbers[index] else {
                return nil
            }
            ranges.append(numbers[index]...numbers[index + 1])
        }
    }

    /// The stored form: for each range the first and the last time, of 8 bytes each, big-endian.
    var stored: [UInt8] {
        ranges.flatMap { [$0.lowerBound, $0.upperBound] }.flatMap { number in
            stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        }
    }
}
