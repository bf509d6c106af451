internal import SealiteBase
internal import SealiteJSON

/// A hybrid logical clock. Its times follow the system's clock while that clock advances, and are counted up otherwise.
/// They are therefore unique and increasing across restarts and processes, even if the system's clock is set back.
///
/// The times of peers advance the clock by a second at most. A change of a document with a later version gets a time of
/// its own after that version, which is ahead of the clock and unique too.
///
/// The type doesn't read the system's clock, and doesn't store its state. Its owner passes the system's time, in
/// nanoseconds since 1970, and stores a bound in the database (Documentation/DocumentFormat.md §4.3): it calls
/// `resume(from:)` with the stored bound at the beginning of each transaction that writes, `next(at:)` for each version,
/// and `boundToStore(at:)` before the transaction commits.
package struct HybridClock: Sendable {
    /// The number of nanoseconds by which a bound that is stored exceeds the system's time, so that a program that
    /// writes often needn't store one in each transaction.
    ///
    /// Whoever finds another's bound must continue after it, so this is also how far the times of processes that write
    /// in turn can be ahead of the system's clock: a version of this database must not win over one that another
    /// database wrote later, except within the accuracy of the clocks themselves.
    package static let lead: UInt64 = 10_000_000

    /// The number of nanoseconds by which a time from a peer may exceed the system's time and still advance the clock: one
    /// second. Later times are accepted up to `HybridTime.tolerance`: otherwise a peer could make all versions of this
    /// database so late that others refuse them.
    package static let reach: UInt64 = 1_000_000_000

    /// The greatest time that was issued or observed, as a raw value; 0 if there is none. Times in `ahead` are greater.
    package private(set) var last: UInt64
    /// The bound stored in the database: no time that the clock issued or observed in a committed transaction is
    /// greater, except those in `ahead`.
    private var stored: UInt64
    /// The times that were issued after versions ahead of the clock, and that the clock hasn't passed.
    private var ahead = AheadTimes()
    /// A Boolean value that says whether times were added to `ahead` since they were last stored.
    private var hasNewAhead = false
    /// The stored form of `ahead` that was last read or returned to be stored, all times of which `ahead` has, except
    /// those that the clock has passed.
    private var knownAhead: [UInt8] = []
    /// The bound that this clock last returned to be stored; nil if it has returned none.
    private var ownBound: UInt64?

    /// Creates a clock whose times exceed all times issued for the database.
    ///
    /// - Parameter stored: the bound stored in the database; 0 if there is none.
    package init(stored: UInt64 = 0) {
        (last, self.stored) = (stored, stored)
    }

    /// Continues after the bound now stored in the database, which another process or an earlier, rolled-back
    /// transaction may have set.
    ///
    /// - Parameters:
    ///   - bound: the stored bound.
    ///   - bytes: the times ahead of the clock, in the form of `valueToStore`.
    /// - Returns: false if the bytes are damaged.
    @discardableResult
    package mutating func resume(from bound: UInt64, ahead bytes: ArraySlice<UInt8> = []) -> Bool {
        stored = bound
        // Below the bound that it has set itself, the clock knows which times it has issued; below the bound of another
        // process, it must assume that all times were issued.
        if bound != ownBound { last = max(last, bound) }
        guard !bytes.isEmpty, !bytes.elementsEqual(knownAhead) else { return true }
        guard let stored = AheadTimes(stored: bytes) else { return false }
        knownAhead = Array(bytes)
        ahead.formUnion(stored)
        ahead.drop(through: last)
        return true
    }

    /// Returns a time that was never issued: the system's time if that is greater than all issued and observed ones,
    /// otherwise the greatest of them plus one. If that isn't greater than `floor`, returns the first time after `floor`
    /// instead, and later times aren't affected.
    ///
    /// - Parameters:
    ///   - floor: the greatest time of the versions of the document that is changed; nil for a new document.
    ///   - now: the system's time in nanoseconds since 1970.
    /// - Returns: the time.
    /// - Throws: `clockExhausted` after the largest possible time, in the year 2262.
    package mutating func next(after floor: HybridTime? = nil, at now: UInt64) throws(VersionError) -> HybridTime {
        let wall = now & ~HybridTime.counterMask
        var next = ahead.free(from: wall > last ? wall : last &+ 1)
        let isAhead = floor.map { $0.rawValue >= next } ?? false
        if isAhead, let floor { next = ahead.free(from: floor.rawValue &+ 1) }
        guard let time = HybridTime(rawValue: next), time <= .latest else { throw .clockExhausted }
        if isAhead {
            ahead.insert(next)
            hasNewAhead = true
        } else {
            last = next
            ahead.drop(through: last)
        }
        return time
    }

    /// A Boolean value that says whether times ahead of the clock were issued that it hasn't passed.
    package var hasAheadTimes: Bool { !ahead.isEmpty }

    /// Advances the clock past all times that were issued ahead of it.
    package mutating func passAheadTimes() {
        last = max(last, ahead.last ?? 0)
        ahead = AheadTimes()
    }

    /// Checks a time in a peer's version, and advances the clock past it if it is at most `reach` ahead of `now`, the
    /// system's time in nanoseconds since 1970.
    ///
    /// - Throws: `implausibleTime` for a time that is out of bounds, `aheadOfClock` for one that is more than two minutes
    ///   ahead of `now`.
    package mutating func observe(_ time: HybridTime, at now: UInt64) throws(VersionError) {
        guard time >= .earliest, time <= .latest else { throw .implausibleTime }
        guard time.isPlausible(at: now) else { throw .aheadOfClock }
        if time.rawValue <= now || time.rawValue - now <= Self.reach { last = max(last, time.rawValue) }
    }

    /// Checks the times of all versions of a peer's vector, and advances the clock past those within its reach, or
    /// changes nothing if it throws. Versions of the source `revisionTrees` are ignored, since their numbers aren't
    /// times. `now` is the system's time in nanoseconds since 1970.
    ///
    /// - Throws: `implausibleTime` for a time that is out of bounds, `aheadOfClock` for one that is more than two minutes
    ///   ahead of `now`.
    package mutating func observe(_ vector: VersionVector, at now: UInt64) throws(VersionError) {
        var clock = self
        for version in vector.versions where version.source != .revisionTrees {
            try clock.observe(version.time, at: now)
        }
        self = clock
    }

    /// Returns the bound to store in the transaction in which times were issued or observed, and counts it as stored;
    /// nil if the bound stored in the database suffices. `now` is the system's time in nanoseconds since 1970.
    package mutating func boundToStore(at now: UInt64) -> UInt64? {
        guard last > stored else { return nil }
        let (ahead, overflow) = now.addingReportingOverflow(Self.lead)
        let bound = max(last, overflow ? last : min(ahead, HybridTime.latest.rawValue))
        (stored, ownBound) = (bound, bound)
        return bound
    }

    /// Returns the value to store in the transaction in which times were issued or observed: the bound, 8 bytes
    /// big-endian, and the times ahead of the clock. It counts as stored. Nil if the stored one suffices.
    package mutating func valueToStore(at now: UInt64) -> [UInt8]? {
        let bound = boundToStore(at: now)
        guard bound != nil || hasNewAhead else { return nil }
        (hasNewAhead, knownAhead) = (false, ahead.stored)
        let number = bound ?? stored
        return stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) } + knownAhead
    }
}

/// A time of a hybrid logical clock: a number of nanoseconds since 1970, with a counter in place of its low 16 bits.
/// Not zero.
package struct HybridTime: Sendable, Hashable, Comparable, LosslessStringConvertible {
    /// The smallest time that is valid in a peer's version, 18 minutes after the beginning of 1970. Smaller numbers
    /// have other meanings.
    package static let earliest = HybridTime(unchecked: 0x100_0000_0000)
    /// The largest time that a clock issues and that is valid in a peer's version, in the year 2262.
    package static let latest = HybridTime(unchecked: 0x7FFF_FFFF_FFFF_FFFF)
    /// The number of nanoseconds by which a time from a peer may exceed the system's time: two minutes.
    package static let tolerance: UInt64 = 120_000_000_000
    /// The mask of the low 16 bits of a raw value, which are the counter.
    static let counterMask: UInt64 = 0xFFFF

    /// The time as a 64-bit number.
    package let rawValue: UInt64

    private init(unchecked rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates a time; nil for zero.
    package init?(rawValue: UInt64) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// Parses a time; nil if the text isn't 1 to 16 lowercase hexadecimal digits without leading zeros.
    package init?(_ text: String) {
        self.init(digits: text.utf8.span, 0, text.utf8.count)
    }

    /// Parses a time in the bytes from `start` up to `end`; nil if these aren't 1 to 16 lowercase hexadecimal digits
    /// without leading zeros.
    init?(digits: borrowing Span<UInt8>, _ start: Int, _ end: Int) {
        guard start < end, end - start <= 16, digits[start] != UInt8(ascii: "0") else { return nil }
        var value: UInt64 = 0
        for index in start..<end {
            guard let digit = Hexadecimal.lowercaseValue(digits[index]) else { return nil }
            value = value << 4 | UInt64(digit)
        }
        rawValue = value
    }

    /// Returns whether the time is acceptable from a peer if the system's time is `now`, in nanoseconds since 1970.
    package func isPlausible(at now: UInt64) -> Bool {
        guard self >= .earliest, self <= .latest else { return false }
        return rawValue <= now || rawValue - now <= Self.tolerance
    }

    /// The time in lowercase hexadecimal digits.
    package var description: String { String(rawValue, radix: 16) }

    /// The number of hexadecimal digits of the time's text.
    var digitCount: Int { (UInt64.bitWidth - rawValue.leadingZeroBitCount + 3) / 4 }

    /// Appends the time in lowercase hexadecimal digits.
    func appendText(to text: inout GrowingBytes) {
        for shift in stride(from: 4 * (digitCount - 1), through: 0, by: -4) {
            text.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: rawValue >> UInt64(shift)) & 15))
        }
    }

    /// Returns whether a time is earlier than another.
    package static func < (left: HybridTime, right: HybridTime) -> Bool { left.rawValue < right.rawValue }
}

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
