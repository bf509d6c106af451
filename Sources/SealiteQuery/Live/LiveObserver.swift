internal import SealiteDatabase
internal import SealiteQueryLanguage
internal import Synchronization

/// An observer of a query, which observes from its first request for a result until it is released.
final class LiveObserver: Sendable {
    /// A result of the query, or the error that prevented it.
    enum Outcome: Sendable {
        case rows(LiveRows)
        case failure(any Error)
    }

    private enum State {
        case idle
        case observing(LiveQueryCoordinator, Int)
        case ended
    }

    let query: Query
    private let state = Mutex(State.idle)

    init(_ query: Query) { self.query = query }

    deinit { end() }

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

    /// Returns the next result that differs from the previously delivered one; nil once the observation has ended.
    ///
    /// - Throws: the first error, with which the observation ends.
    func nextRows() async throws -> LiveRows? {
        switch await next() {
        case .rows(let rows)?: return rows
        case .failure(let error)?:
            end()
            throw error
        case nil: return nil
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
    func restart() {
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
        query.add(self)
        return (hub, number)
    }
}

/// A weak reference to an observer of a query, which doesn't keep it alive.
struct WeakLiveObserver: Sendable {
    weak let observer: LiveObserver?
}
