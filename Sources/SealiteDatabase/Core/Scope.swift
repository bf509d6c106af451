internal import GRDB

/// A scope: a namespace of collections. It exists while it has a collection; `_default` always exists.
public struct Scope: Sendable {
    /// The database that contains the scope.
    public let database: Database
    /// The scope's name.
    public let name: String
}
