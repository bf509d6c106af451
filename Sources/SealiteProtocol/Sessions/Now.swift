/// The current time, passed to a session by its owner.
package struct Now: Sendable, Hashable {
    /// The monotonic time, for intervals.
    package var moment: Moment
    /// The wall-clock time in seconds since 1970, for people.
    var unixSeconds: UInt64

    package init(moment: Moment, unixSeconds: UInt64) {
        self.moment = moment
        self.unixSeconds = unixSeconds
    }
}
