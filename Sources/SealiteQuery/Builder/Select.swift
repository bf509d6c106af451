/// A query without its data source.
@safe
// Sendable: it has no property of its own.
public final class Select: BuilderQuery, @unchecked Sendable {
    /// Adds the source of the documents.
    public func from(_ source: any DataSourceProtocol) -> From {
        From(with { $0.source = source as? DataSource.Built })
    }
}
