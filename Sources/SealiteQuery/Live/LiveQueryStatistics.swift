public import SealiteDatabase

/// The work that the live queries of a `Database` have done since it was opened.
public struct LiveQueryStatistics: Sendable, Equatable {
    /// The number of observers now.
    public var observers = 0
    /// The number of queries now that are run for them: equal ones count once.
    public var sharedQueries = 0
    /// The number of times that a query was run.
    public var executions = 0
    /// The number of times that a query's condition was looked at for a changed document.
    public var evaluatedChanges = 0
    /// The number of those times after which the query needn't be run.
    public var skippedChanges = 0
}

extension Database {
    /// The work of live queries.
    public var liveQueryStatistics: LiveQueryStatistics { LiveHub.of(self).statistics }
}
