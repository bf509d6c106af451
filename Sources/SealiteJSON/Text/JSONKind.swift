/// The kinds of JSON values.
public enum JSONKind: Sendable, Hashable { case object, array, string, number, boolean, null }
