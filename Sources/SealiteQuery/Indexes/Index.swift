/// The definition of an index, made with `IndexBuilder`.
public protocol Index: Sendable {}
