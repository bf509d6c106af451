/// The treatment of an object that starts with the name of a wrapper (an object that represents a value of a type that
/// JSON lacks), such as `$oid`, but isn't a valid wrapper.
public enum ExtendedJSONWrappers: Sendable, Hashable {
    /// The text is refused.
    case strict
    /// The object is an ordinary document.
    case lenient
}
