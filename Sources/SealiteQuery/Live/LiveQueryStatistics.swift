public import SealiteDatabase

/// Statistics of the live queries of a `Database` since it was opened.
public struct LiveQueryStatistics: Sendable, Equatable {
    /// The present number of observers.
    public var observers = 0
    /// The current number of queries that are run for observers; equal queries count once.
    public var sharedQueries = 0
    /// The number of runs of queries.
    public var executions = 0
    /// The number of times that a query's condition was evaluated for a changed document.
    public var evaluatedChanges = 0
    /// The number of evaluations after which the query didn't have to be run.
    public var skippedChanges = 0
}

extension Database {
    /// The statistics of live queries.
    public var liveQueryStatistics: LiveQueryStatistics { LiveQueryCoordinator.of(self).statistics }
}
