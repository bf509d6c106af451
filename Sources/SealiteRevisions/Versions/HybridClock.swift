/// A hybrid logical clock. Its times follow the system's clock while that clock advances, and are counted up otherwise.
/// They are therefore unique and increasing across restarts and processes, even if the system's clock is set back.
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

    /// The greatest time that was issued or observed, as a raw value; 0 if there is none.
    private(set) var last: UInt64
    /// The bound stored in the database: no time that the clock issued or observed in a committed transaction is
    /// greater.
    private var stored: UInt64
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
    package mutating func resume(from bound: UInt64) {
        stored = bound
        // Below the bound that it has set itself, the clock knows which times it has issued; below the bound of another
        // process, it must assume that all times were issued.
        if bound != ownBound { last = max(last, bound) }
    }

    /// Returns a time that is greater than all issued and observed ones: the system's time if that is greater,
    /// otherwise the greatest of them plus one.
    ///
    /// - Parameter now: the system's time in nanoseconds since 1970.
    /// - Returns: the time.
    /// - Throws: `clockExhausted` after the largest possible time, in the year 2262.
    package mutating func next(at now: UInt64) throws(VersionError) -> HybridTime {
        let wall = now & ~HybridTime.counterMask
        let next = wall > last ? wall : last &+ 1
        guard let time = HybridTime(rawValue: next), time <= .latest else { throw .clockExhausted }
        last = next
        return time
    }

    /// Advances the clock past a time in a peer's version. `now` is the system's time in nanoseconds since 1970.
    ///
    /// - Throws: `implausibleTime` for a time that is out of bounds, `aheadOfClock` for one that is more than two minutes
    ///   ahead of `now`.
    package mutating func observe(_ time: HybridTime, at now: UInt64) throws(VersionError) {
        guard time >= .earliest, time <= .latest else { throw .implausibleTime }
        guard time.isPlausible(at: now) else { throw .aheadOfClock }
        last = max(last, time.rawValue)
    }

    /// Advances the clock past the times of all versions of a peer's vector, or changes nothing if it throws. Versions
    /// of the source `revisionTrees` are ignored, since their numbers aren't times. `now` is the system's time in
    /// nanoseconds since 1970.
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

    /// Advances the clock past a time that the database already has, however far ahead of the system's clock it is.
    package mutating func advance(to time: HybridTime) { last = max(last, min(time, .latest).rawValue) }

    /// Returns the bound to store in the transaction in which times were issued or observed, and counts it as stored;
    /// nil if the bound stored in the database suffices. `now` is the system's time in nanoseconds since 1970.
    package mutating func boundToStore(at now: UInt64) -> UInt64? {
        guard last > stored else { return nil }
        let (ahead, overflow) = now.addingReportingOverflow(Self.lead)
        let bound = max(last, overflow ? last : min(ahead, HybridTime.latest.rawValue))
        (stored, ownBound) = (bound, bound)
        return bound
    }
}
