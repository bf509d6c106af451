/// The definition of an index with texts in SQL++.
public protocol IndexConfiguration: Sendable {}
