/// A query of the query builder that has its results, but no data source yet.
@safe
// Sendable: it has no property of its own.
public final class Select: BuilderQuery, @unchecked Sendable {
    /// Returns the query with the data source from which it reads documents.
    public func from(_ source: any DataSourceProtocol) -> From {
        From(with { $0.source = source as? DataSource.Built })
    }
}
