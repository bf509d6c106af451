/// An index that was defined with the builder.
public protocol Index: Sendable {}
