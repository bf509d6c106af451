/// A hybrid logical clock: it follows the system's clock where that goes forward, and counts where it doesn't, so that no time is given
/// twice and none is less than one before, whatever the system's clock does, across restarts and processes.
///
/// It reads no clock and stores nothing. Who owns it says what the system's clock says, in nanoseconds since 1970, and keeps a bound in
/// the database (Documentation/DocumentFormat.md §4.3):
///
/// ```swift
/// clock.resume(from: stored)                          // at the beginning of each transaction that writes
/// let time = try clock.next(at: now)                  // for each version
/// if let bound = clock.boundToStore(at: now) { … }    // before the transaction commits
/// ```
package struct HybridClock: Sendable {
    /// The nanoseconds by which a stored bound is ahead of the system's clock, so that it is stored seldom.
    package static let lead: UInt64 = 1_000_000_000

    /// The greatest time that was given or seen; 0 where none was.
    private(set) var last: UInt64
    /// The bound that the database has.
    private var stored: UInt64
    /// The bound that this clock gave to be stored last.
    private var ownBound: UInt64?

    /// Makes a clock that begins behind every time that the database has given.
    ///
    /// - Parameter stored: the bound that the database has; 0 where it has none.
    package init(stored: UInt64 = 0) {
        (last, self.stored) = (stored, stored)
    }

    /// Goes on behind the bound that the database has now: that of another process, or of a transaction before one that was undone.
    package mutating func resume(from bound: UInt64) {
        stored = bound
        // The clock knows its own times below its own bound; of another's it knows nothing but the bound.
        if bound != ownBound { last = max(last, bound) }
    }

    /// Returns the next time.
    ///
    /// - Throws: `clockExhausted` behind the last one that there is, in the year 2262.
    package mutating func next(at now: UInt64) throws(VersionError) -> HybridTime {
        let wall = now & ~HybridTime.counterMask
        let next = wall > last ? wall : last &+ 1
        guard let time = HybridTime(rawValue: next), time <= .latest else { throw .clockExhausted }
        last = next
        return time
    }

    /// Takes notice of a time in a peer's version: the next one is greater.
    ///
    /// - Throws: `implausibleTime` for one out of bounds or too far ahead.
    package mutating func observe(_ time: HybridTime, at now: UInt64) throws(VersionError) {
        guard time.isPlausible(at: now) else { throw .implausibleTime }
        last = max(last, time.rawValue)
    }

    /// Takes notice of the times of all versions of a peer's vector; of none where it throws. Those of `revisionTrees` are no times.
    ///
    /// - Throws: `implausibleTime` for one out of bounds or too far ahead.
    package mutating func observe(_ vector: VersionVector, at now: UInt64) throws(VersionError) {
        var clock = self
        for version in vector.versions where version.source != .revisionTrees {
            try clock.observe(version.time, at: now)
        }
        self = clock
    }

    /// Takes notice of a time that is stored already, however far ahead it is.
    package mutating func advance(to time: HybridTime) { last = max(last, min(time, .latest).rawValue) }

    /// Returns the bound to store in the transaction that gave times; nil while none is above the stored one.
    package mutating func boundToStore(at now: UInt64) -> UInt64? {
        guard last > stored else { return nil }
        let (ahead, overflow) = now.addingReportingOverflow(Self.lead)
        let bound = max(last, overflow ? last : min(ahead, HybridTime.latest.rawValue))
        (stored, ownBound) = (bound, bound)
        return bound
    }
}
