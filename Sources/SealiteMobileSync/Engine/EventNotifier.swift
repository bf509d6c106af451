internal import SealiteBase
internal import SealiteDatabase
internal import SealiteValues

/// Delivers the stored events and errors of a collection's documents to the application, one after the other.
///
/// Delivered events are removed in batches: after ``batchCount`` events (100), or ``removalTime`` (100 ms) after a
/// delivery. A removal is a commit, and one for each event would delay the commits that later events wait for.
///
/// If the events can't be read, the error listener receives the reason, and the delivery is tried again after
/// ``restTime`` (15 s).
actor EventNotifier {
    /// The numbers of rounds that have begun and that have ended. Each round delivers all stored events.
    private struct Rounds {
        var begun: UInt64 = 0
        var ended: UInt64 = 0
    }

    private let documents: SyncedDocuments
    private let handlers: CurrentHandlers
    private let time: any TimeSource
    private let news = Signal()
    private let rounds = WaitableState(Rounds())
    private var task: Task<Void, Never>?
    /// The numbers of the last delivered event and of the last event that was removed from the database.
    private var (told, removed): (UInt64, UInt64) = (0, 0)
    private var isRemoving = false
    /// The reason for which the last round ended early; nil if it delivered all events.
    private var lastFailure: String?
    /// The task that sleeps and then starts a round; nil if none was started.
    private var timer: Task<Void, Never>?

    /// The maximum number of events that are read together, and the number of delivered events from which on they are
    /// removed from the database without waiting for more.
    private static let batchCount = 100
    /// The time after which delivered events are removed.
    private static let removalTime = Duration.milliseconds(100)
    /// The time after which delivery is tried again if the events couldn't be read.
    private static let restTime = Duration.seconds(15)

    init(_ documents: SyncedDocuments, _ handlers: CurrentHandlers) {
        (self.documents, self.handlers) = (documents, handlers)
        time = documents.collection.database.configuration.time
    }

    // MARK: - Running

    /// Starts the delivery of the stored events and of all later ones.
    func start() {
        news.set()
        guard task == nil else { return }
        task = Task { [weak self, news] in
            while await news.wait() {
                guard let self else { return }
                await self.round()
            }
        }
    }

    /// Starts a round of delivery. If a round is running, the new one follows it.
    nonisolated func wake() { news.set() }

    /// Ends the delivery, and returns when the application's handler has returned, if one is being called.
    func end() async {
        news.end()
        await task?.value
        task = nil
        timer?.cancel()
        await removeTold()
        rounds.change { $0.ended = .max }
    }

    /// Waits until all events that are stored by now were delivered to the application, or couldn't be read, and
    /// removes the delivered ones from the database.
    func settle() async {
        let next = rounds.withLock { $0.begun } + 1
        news.set()
        await rounds.waitThroughCancellation { $0.ended >= next }
        await removeTold()
    }

    // MARK: - Telling

    private func round() async {
        let number = rounds.change { rounds in
            rounds.begun += 1
            return rounds.begun
        }
        do {
            try await tellAll()
            lastFailure = nil
        } catch let error as DatabaseError where error.code == .notOpen {
            // The application closed the database. The events are delivered when it is open again.
        } catch {
            await report(error)
            wakeLater()
        }
        rounds.change { $0.ended = max($0.ended, number) }
    }

    private func tellAll() async throws {
        while let current = handlers.value {
            let events = try await waiting()
            guard !events.isEmpty else { return }
            for event in events {
                guard !news.isEnded else { return }
                await tell(event, current)
                told = event.number
            }
            guard !news.isEnded else { return }
            await removeLater()
        }
    }

    /// Returns the next events after the last delivered one.
    private func waiting() async throws -> [SyncEvent] {
        let (documents, told) = (documents, told)
        return try await documents.collection.database.readShortly {
            try documents.events(after: told, limit: Self.batchCount)
        }
    }

    private func tell(_ event: SyncEvent, _ handlers: SyncHandlers) async {
        let id = DocumentKey.value(of: event.documentID)
        switch event.content {
        case .failure(let pause): await handlers.fail?(MobileSyncError(pause), id)
        case .change:
            do {
                try await handlers.tell?(event)
            } catch {
                let reason =
                    "a change event isn't delivered, since its document can't be decoded as the type of the collection's documents (an error of the type \(type(of: error)))"
                await handlers.fail?(MobileSyncError(.unreadableDocument, reason), id)
            }
        }
    }

    /// Reports to the error listener that the delivery stopped, unless the reason is the same as before.
    private func report(_ error: any Error) async {
        let error = MobileSyncError(stoppedBy: error)
        guard lastFailure != error.reason else { return }
        lastFailure = error.reason
        await handlers.value?.fail?(error, nil)
    }

    private func wakeLater() {
        timer?.cancel()
        timer = Task { [news, time] in
            try? await time.sleep(for: Self.restTime)
            if !Task.isCancelled { news.set() }
        }
    }

    // MARK: - Removing

    private func removeLater() async {
        if told - removed >= UInt64(Self.batchCount) { return await removeTold() }
        guard !isRemoving else { return }
        isRemoving = true
        Task { [weak self, time] in
            try? await time.sleep(for: Self.removalTime)
            await self?.removeTold()
        }
    }

    private func removeTold() async {
        isRemoving = false
        let (documents, last) = (documents, told)
        guard last > removed else { return }
        let isDone: Void? = try? await documents.collection.database.write { _ in
            try documents.removeEvents(through: last)
        }
        if isDone != nil { removed = max(removed, last) }
    }
}

/// A signal for one waiting task. If the signal is set while no task waits, the next wait returns immediately; several
/// signals before a wait count as one.
final class Signal: Sendable {
    private struct State {
        var isSet = false
        var isEnded = false
    }

    private let state = WaitableState(State())

    var isEnded: Bool { state.withLock { $0.isEnded } }

    func set() { state.change { $0.isSet = true } }

    func end() { state.change { $0.isEnded = true } }

    /// Waits until the signal is set or ended, even if the task is cancelled, and resets it.
    ///
    /// - Returns: false once the signal has ended, even if it was also set.
    func wait() async -> Bool {
        await state.waitThroughCancellation { state in
            guard state.isSet || state.isEnded else { return false }
            state.isSet = false
            return true
        }
        return !isEnded
    }
}

extension Database {
    /// Reads a few rows from one snapshot of the database: on the task's own thread if no connection has to be waited
    /// for, otherwise on a thread of the database.
    func readShortly<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
        if let result = try readIfIdle(body) { return result }
        return try await read(body)
    }
}
