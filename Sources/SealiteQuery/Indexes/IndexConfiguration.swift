/// The definition of an index, whose expressions are texts in SQL++.
public protocol IndexConfiguration: Sendable {}
