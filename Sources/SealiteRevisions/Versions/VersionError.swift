/// The reason that a version, a vector or a time isn't taken.
package enum VersionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It isn't written as versions are.
    case malformed
    /// A source has two versions in one vector.
    case duplicateSource
    /// A text or a vector is longer than what is read.
    case tooLong
    /// A time is out of bounds, or too far ahead of the system's clock.
    case implausibleTime
    /// There is no time behind the last one.
    case clockExhausted

    package var description: String {
        switch self {
        case .malformed: "a version is malformed"
        case .duplicateSource: "a version vector names a source twice"
        case .tooLong: "a version vector is too long"
        case .implausibleTime: "a version's time is out of bounds, or ahead of the clock"
        case .clockExhausted: "there are no times left"
        }
    }
}
