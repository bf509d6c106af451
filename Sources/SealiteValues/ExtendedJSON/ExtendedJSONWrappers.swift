/// The treatment of an object that starts with a wrapper's name, such as `$oid`, and isn't a valid wrapper.
public enum ExtendedJSONWrappers: Sendable, Hashable {
    /// The text is refused.
    case strict
    /// The object is an ordinary document.
    case lenient
}
