public import Observation

/// The rows of a query for a user interface: an observable object whose rows are updated until it is released.
///
/// ```swift
/// import Observation
/// import SealiteQuery
///
/// @MainActor func follow(_ query: Query) {
///     let adults = LiveResults(query, as: Person.self)
///     withObservationTracking { show(adults.rows) } onChange: { print("the next rows are about to come") }
/// }
/// ```
@MainActor
@Observable
public final class LiveResults<Row: Decodable & Sendable> {
    /// The decoded rows of the newest result; empty before the first one. An error doesn't remove earlier rows.
    public private(set) var rows: [Row] = []
    /// A Boolean value that says whether neither a result nor an error has arrived yet.
    public private(set) var isLoading = true
    /// The error that prevented the newest result; nil if there is none.
    public private(set) var error: (any Error)?
    /// The task that updates the rows; it is cancelled when this object is released.
    @ObservationIgnored private var following: Task<Void, Never>?

    /// Starts to observe a query, whose rows are decoded as values of a type.
    ///
    /// - Parameters:
    ///   - query: the query.
    ///   - type: the type of a row; see ``Result/data(as:dataKey:)``.
    ///   - dataKey: the column with the object whose members are the properties of a row; nil if the columns are the
    ///     properties.
    public convenience init(_ query: Query, as type: Row.Type = Row.self, dataKey: String? = nil) {
        self.init(query) { try $0.data(as: Row.self, dataKey: dataKey) }
    }

    /// Starts to observe a query; a closure decodes each of its results.
    package init(_ query: Query, _ read: @escaping @Sendable (ResultSet) throws -> [Row]) {
        let updates = query.updates
        following = Task.detached { [weak self] in
            for await change in updates {
                let outcome = Swift.Result { try change.results.map(read) ?? [] }
                await self?.take(change.error.map { .failure($0) } ?? outcome)
            }
        }
    }

    deinit { following?.cancel() }

    private func take(_ outcome: Swift.Result<[Row], any Error>) {
        if isLoading { isLoading = false }
        switch outcome {
        case .success(let rows):
            self.rows = rows
            if error != nil { error = nil }
        case .failure(let error): self.error = error
        }
    }
}
