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
public final class LiveResults<Row: Decodable & Sendable>: Observable {
    // Written without the macro `@Observable`: in its code, `KeyPath` would be the query builder's type instead of
    // Swift's.
    private struct State {
        var rows: [Row] = []
        var isLoading = true
        var error: (any Error)?
    }

    private let registrar = ObservationRegistrar()
    private var state = State()
    private let following: Following

    /// The task that updates the rows; it is cancelled when this object is released.
    private final class Following: Sendable {
        let task: Task<Void, Never>
        init(_ task: Task<Void, Never>) { self.task = task }
        deinit { task.cancel() }
    }

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
        let box = WeakBox<LiveResults>()
        let updates = query.updates
        following = Following(
            Task.detached {
                for await change in updates {
                    let outcome = Swift.Result { try change.results.map(read) ?? [] }
                    await box.object?.take(change.error.map { .failure($0) } ?? outcome)
                }
            })
        box.object = self
    }

    /// The decoded rows of the newest result; empty before the first one. An error doesn't remove earlier rows.
    public var rows: [Row] {
        registrar.access(self, keyPath: \.rows)
        return state.rows
    }

    /// A Boolean value that says whether neither a result nor an error has arrived yet.
    public var isLoading: Bool {
        registrar.access(self, keyPath: \.isLoading)
        return state.isLoading
    }

    /// The error that prevented the newest result; nil if there is none.
    public var error: (any Error)? {
        registrar.access(self, keyPath: \.error)
        return state.error
    }

    private func take(_ outcome: Swift.Result<[Row], any Error>) {
        if state.isLoading { registrar.withMutation(of: self, keyPath: \.isLoading) { state.isLoading = false } }
        switch outcome {
        case .success(let rows):
            registrar.withMutation(of: self, keyPath: \.rows) { state.rows = rows }
            if state.error != nil { registrar.withMutation(of: self, keyPath: \.error) { state.error = nil } }
        case .failure(let error):
            registrar.withMutation(of: self, keyPath: \.error) { state.error = error }
        }
    }
}

/// A reference that doesn't keep its object alive, used on the main actor.
@MainActor
private final class WeakBox<Object: AnyObject> {
    weak var object: Object?
    nonisolated init() {}
}
