/// The reason why a version, a vector or a time is refused.
package enum VersionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text doesn't have the syntax of versions.
    case malformed
    /// A source has two versions in one vector.
    case duplicateSource
    /// A text or a vector exceeds the limit for reading.
    case tooLong
    /// A time is out of bounds, or too far ahead of the system's clock.
    case implausibleTime
    /// The clock can't issue another time, because it has reached the largest possible one.
    case clockExhausted

    package var description: String {
        switch self {
        case .malformed: "a version is malformed"
        case .duplicateSource: "a version vector names a source twice"
        case .tooLong: "a version vector is too long"
        case .implausibleTime: "a version's time is out of bounds, or too far ahead of the clock"
        case .clockExhausted: "the clock can't issue another time"
        }
    }
}
