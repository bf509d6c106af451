internal import SealiteJSON

/// The forms of Extended JSON v2.
public enum ExtendedJSONForm: Sendable, Hashable {
    /// A readable form of numbers and dates, in which integers lose their width.
    case relaxed
    /// A form that preserves every type.
    case canonical
}
