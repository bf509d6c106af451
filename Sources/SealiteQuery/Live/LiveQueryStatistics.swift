public import SealiteDatabase

/// Statistics of the live queries of a `Database` since it was opened.
public struct LiveQueryStatistics: Sendable, Equatable {
    /// The current number of observers.
    public var observers = 0
    /// The current number of different queries that observers share.
    public var sharedQueries = 0
    /// The number of times that queries were run for observers.
    public var executions = 0
    /// The number of times that a query's condition was evaluated for a changed document.
    public var evaluatedChanges = 0
    /// The number of these evaluations that showed that the change doesn't affect the query's result.
    public var skippedChanges = 0
}

extension Database {
    /// The statistics of live queries.
    public var liveQueryStatistics: LiveQueryStatistics { LiveQueryCoordinator.of(self).statistics }
}
