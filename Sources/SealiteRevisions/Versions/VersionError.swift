/// The reason why a version, a vector or a time is refused.
package enum VersionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text doesn't have the syntax of versions.
    case malformed
    /// A source has two versions in one vector, of which neither is a merged version older than the current one.
    case duplicateSource
    /// A text or a vector exceeds the limit for reading.
    case tooLong
    /// A time is out of bounds.
    case implausibleTime
    /// A time is too far ahead of the system's clock.
    case aheadOfClock
    /// The clock can't issue another time, because it has reached the largest possible one.
    case clockExhausted

    package var description: String {
        switch self {
        case .malformed: "a version or a version vector is malformed"
        case .duplicateSource: "a version vector has two versions of the same source"
        case .tooLong:
            "a version vector has more than \(VersionText.maximumByteCount) bytes or \(VersionVector.maximumReadCount) versions"
        case .implausibleTime: "the time of a version is invalid"
        case .aheadOfClock:
            "the version is dated more than \(HybridTime.tolerance / 1_000_000_000) seconds ahead of the receiving computer's clock"
        case .clockExhausted: "the clock for new versions has reached its latest possible time, in the year 2262"
        }
    }
}
