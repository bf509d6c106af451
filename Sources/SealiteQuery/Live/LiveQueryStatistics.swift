public import SealiteDatabase

/// Statistics of the live queries of a `Database` since it was opened.
public struct LiveQueryStatistics: Sendable, Equatable {
    /// The current number of observers of live queries.
    public var observers = 0
    /// The current number of different live queries; observers of equal queries share one.
    public var sharedQueries = 0
    /// The number of times that live queries were run for observers.
    public var executions = 0
    /// The number of times that a changed document was examined for whether it affects the result of a live query.
    public var evaluatedChanges = 0
    /// The number of times that such an examination of a changed document showed that it doesn't affect the result of a
    /// live query.
    public var skippedChanges = 0
}

extension Database {
    /// The statistics of the live queries of this object since the database was opened.
    public var liveQueryStatistics: LiveQueryStatistics { LiveQueryCoordinator.of(self).statistics }
}
