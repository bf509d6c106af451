internal import SealiteDatabase
internal import SealiteQueryLanguage
internal import Synchronization

/// An observer of a query, which observes from its first request for a result until it is released.
final class LiveObserver: Sendable {
    /// A result of the query, or the error that prevented it.
    typealias Outcome = Swift.Result<LiveRows, any Error>

    private enum State {
        case idle
        case observing(LiveQueryCoordinator, Int)
        case ended
    }

    let query: Query
    private let state = Mutex(State.idle)

    init(_ query: Query) { self.query = query }

    deinit {
        end()
        let id = ObjectIdentifier(self)
        query.settings.withLock { $0.observers.removeAll { $0.id == id } }
    }

    /// Returns the next result or error that differs from the previously delivered one; nil once the observation has
    /// ended.
    func next() async -> Outcome? {
        do {
            guard let (hub, number) = try begin() else { return nil }
            let outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { hub.next(number, $0) }
            } onCancel: {
                end()
            }
            if outcome == nil { end() }
            return outcome
        } catch {
            end()
            return .failure(error)
        }
    }

    /// Returns what `read` makes of the next result that differs from the previously delivered one; nil once the
    /// observation has ended.
    ///
    /// - Throws: the first error, also of `read`, with which the observation ends.
    func next<Output>(_ read: (LiveRows) throws -> Output) async throws -> Output? {
        do {
            return try await next().map { try read($0.get()) }
        } catch {
            end()
            throw error
        }
    }

    /// Ends the observation; a pending and every further request for a result gets nil.
    func end() {
        let before = state.withLock { state in
            defer { state = .ended }
            return state
        }
        if case .observing(let hub, let number) = before { hub.leave(number) }
    }

    /// Restarts the observation, if it has begun, with the query's present parameters. The next result is delivered
    /// even if it equals the previous one.
    private func restart() {
        guard case .observing(let hub, let number) = state.withLock({ $0 }), let (source, key) = try? query.liveKey()
        else { return }
        hub.move(number, to: source, key)
    }

    private func begin() throws -> (LiveQueryCoordinator, Int)? {
        switch state.withLock({ $0 }) {
        case .ended: return nil
        case .observing(let hub, let number): return (hub, number)
        case .idle: break
        }
        let (source, key) = try query.liveKey()
        guard source.database.path != nil else { throw DatabaseError(.notOpen, "the database is closed") }
        let hub = LiveQueryCoordinator.of(source.database)
        let number = hub.join(source, key)
        let isEnded = state.withLock { state in
            if case .ended = state { return true }
            state = .observing(hub, number)
            return false
        }
        if isEnded {
            hub.leave(number)
            return nil
        }
        let observer = (id: ObjectIdentifier(self), restart: { @Sendable [weak self] () -> Void in self?.restart() })
        query.settings.withLock { $0.observers.append(observer) }
        return (hub, number)
    }
}

extension Query {
    /// Returns the syntax tree of the query with its database, and the key that equal queries have in common when they
    /// are observed.
    func liveKey() throws -> (source: QueryDefinition, key: LiveKey) {
        let source = try source()
        let settings = settings.withLock { $0 }
        let key = LiveKey(
            text: source.tree.description, parameters: Parameters(parameters: settings.parameters),
            rowLimit: settings.rowLimit, timeLimit: settings.timeLimit, throttle: settings.throttle)
        return (source, key)
    }
}
