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
