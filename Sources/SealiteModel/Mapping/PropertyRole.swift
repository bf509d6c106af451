internal import SealiteValues

/// The role of a property in its object type.
enum PropertyRole {
    case primaryKey, required, optional
    /// A property that applications no longer declare.
    case removed
}
