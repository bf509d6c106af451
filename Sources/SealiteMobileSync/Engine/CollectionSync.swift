internal import SealiteBase
internal import SealiteDatabase
internal import SealiteReplicator
internal import SealiteValues

/// Syncs the documents of one collection: runs replicators as the set of synced documents, the sync frequency and the
/// network require it, and delivers change events and errors to the application.
actor CollectionSync {
    /// The application's settings of per-document sync, for the whole database.
    struct Settings: Sendable {
        var remote: MobileSyncRemote?
        /// The number of times that the remote was set, which shows whether it was set again: two remotes with the same
        /// URL may have different options.
        var remoteCount: UInt64 = 0
        var frequency = SyncFrequency.reactive
        var isOnline = true
    }

    private let documents: SyncedDocuments
    private let sessions: SyncSessions
    private let current = CurrentHandlers()
    private var handlers: SyncHandlers? { current.value }
    private var settings: Settings
    /// Counts the changes of the settings and the end of the work. If it has changed while a connection was being made,
    /// the connection isn't opened.
    private var changeCount: UInt64 = 0
    private var runner: Task<Void, Never>?
    private let teller: EventNotifier
    /// The time source for waits and passes: that of the database.
    private let time: any TimeSource
    private let work = Signal()
    /// Counts the events after which a waiting pass checks its condition again: steps of the work, and statuses of the
    /// open connection.
    private let turns = WaitableState<UInt64>(0)
    private var stopListening: (@Sendable () -> Void)?
    /// The connection that stays open with the frequency `reactive`; nil while there is none.
    private var main: OpenConnection?
    /// Waits for the end of the previous open connection. The next one starts after it, because two replicators of the
    /// same set of documents can't run at the same time.
    private var stopping: Task<Void, Never>?
    /// The task that sleeps and then raises the signal ``work``; nil if none was started.
    private var timer: Task<Void, Never>?
    /// The task that sleeps and then asks again for documents that couldn't be stored yet; nil if there are none.
    private var asking: Task<Void, Never>?
    /// The IDs of the documents that the open connection compares with the remote because the set of synced documents
    /// was never compared before, with the number of this lookup; no IDs if the set was compared before.
    private var compared: (ids: [String], count: UInt64) = ([], 0)
    private var lastPass: ContinuousClock.Instant?
    private var lastFailure: String?
    /// The pass that is running, whose result all concurrent calls of ``pass()`` receive.
    private var passing: Task<Void, any Error>?

    /// The time to wait before a lookup (the comparison of stale documents with the remote), so that documents that
    /// become stale within this time are looked up together.
    private static let gatheringTime = Duration.milliseconds(20)
    /// The time after which syncing is tried again if an error stopped it.
    private static let restTime = Duration.seconds(15)
    /// The time after which the remote is asked again for documents that couldn't be stored yet.
    private static let askingTime = Duration.seconds(300)

    init(_ collection: Collection, _ settings: Settings) {
        documents = SyncedDocuments(collection)
        sessions = SyncSessions(documents)
        teller = EventNotifier(documents, current)
        self.settings = settings
        time = collection.database.configuration.time
    }

    // MARK: - Configuring

    /// Sets the application's handlers; the first call starts the work. After an error, the former handlers stay, and
    /// without any the work isn't started.
    ///
    /// - Returns: false if the work has ended, in which case nothing is synced.
    func configure(_ handlers: SyncHandlers) async throws -> Bool {
        guard !work.isEnded else { return false }
        let (documents, keepsChanges) = (documents, handlers.tell != nil)
        let database = documents.collection.database
        if try await database.readShortly({ try documents.space() })?.keepsChanges != keepsChanges {
            try await database.write { _ in try documents.changeSpace { $0.keepsChanges = keepsChanges } }
        }
        guard !work.isEnded else { return false }
        current.value = handlers
        database.syncWatch.configure(documents.collection)
        await teller.start()
        // From here on nothing is awaited: a later end finds the listener and the runner.
        guard !work.isEnded else { return false }
        work.set()
        guard runner == nil else { return true }
        stopListening = database.syncWatch.listen(to: documents.collection) { [work, teller] news in
            if news.contains(.documents) { work.set() }
            if news.contains(.events) { teller.wake() }
        }
        runner = Task { [weak self, work] in
            while await work.wait() {
                guard let self else { return }
                await self.step()
            }
        }
        return true
    }

    func set(_ settings: Settings) async {
        let isSame = settings.remoteCount == self.settings.remoteCount && settings.isOnline
        self.settings = settings
        changeCount += 1
        if !isSame || settings.frequency != .reactive { await stopMain() }
        work.set()
        turn()
    }

    /// Ends the work, the open connection and the delivery of events. They can't be started again: `MobileSync` creates
    /// another `CollectionSync` for the next configuration of the collection.
    func end() async {
        stopListening?()
        work.end()
        changeCount += 1
        // The runner may be waiting for a pass, which ends now.
        turn()
        passing?.cancel()
        for task in [runner, timer, asking] { task?.cancel() }
        await stopMain()
        await runner?.value
        await teller.end()
        runner = nil
        current.value = nil
    }

    private nonisolated func turn() { turns.change { $0 &+= 1 } }

    // MARK: - Working

    private func step() async {
        defer { turn() }
        guard handlers != nil, settings.remote != nil, settings.isOnline, !work.isEnded else { return await stopMain() }
        do {
            switch settings.frequency {
            case .reactive: try await react()
            case .scheduled(let interval): try await passWhenDue(interval)
            case .onDemand: break
            }
        } catch let error as ReplicatorError where error.isTransient {
            // A transient error, such as a network that isn't available: tried again sooner than after `restTime`.
            wake(after: .seconds(1))
        } catch is MobileSyncError {
            // The remote was removed meanwhile.
        } catch is CancellationError {
            // The work has ended.
        } catch {
            await report(error)
            wake(after: Self.restTime)
        }
    }

    private func react() async throws {
        guard let stale = try await staleDocuments() else { return await stopMain() }
        if let main {
            let status = main.replicator.status
            guard status.activity != .stopped else {
                let failure = status.error
                await stopMain()
                if let failure { throw failure }
                return work.set()
            }
            if !main.hasCaughtUp, status.activity == .idle { try await caughtUp(main) }
            guard main.hasCaughtUp, !stale.isEmpty, [.idle, .busy].contains(status.activity) else { return }
            try? await time.sleep(for: Self.gatheringTime)
            try await lookUp()
        } else {
            try await startMain()
        }
    }

    private func startMain() async throws {
        await stopping?.value
        let count = changeCount
        try await askAgain()
        let (replicator, isNew) = try await replicator(isContinuous: true)
        compared = isNew ? try await beginLookup() : ([], 0)
        guard count == changeCount else { return work.set() }
        main = OpenConnection(replicator) { [weak self, work] isForWork in
            if isForWork { work.set() }
            self?.turn()
        }
        replicator.start(reset: isNew)
    }

    private func stopMain() async {
        if let main {
            self.main = nil
            main.replicator.stop()
            stopping = Task { await main.replicator.stopped() }
        }
        await stopping?.value
    }

    private func caughtUp(_ connection: OpenConnection) async throws {
        connection.hasCaughtUp = true
        lastFailure = nil
        try await endLookup(compared)
        compared = ([], 0)
    }

    private func beginLookup() async throws -> (ids: [String], count: UInt64) {
        let documents = documents
        return try await documents.collection.database.write { _ in try documents.beginLookup() }
    }

    private func endLookup(_ lookup: (ids: [String], count: UInt64)) async throws {
        let documents = documents
        if lookup.ids.isEmpty {
            // Usually no lookup has to be recorded; a read detects this without a transaction that writes.
            let space = try await documents.collection.database.readShortly { try documents.space() }
            if let space, space.isCaughtUp, !space.mayBeStale { return }
        }
        try await documents.collection.database.write { _ in try documents.endLookup(lookup.ids, lookup.count) }
    }

    /// Returns the IDs of the stale documents, which have to be compared with the remote; nil if no document is synced.
    private func staleDocuments() async throws -> [String]? {
        let documents = documents
        return try await documents.collection.database.readShortly {
            try documents.isEmpty() ? nil : documents.staleIDs()
        }
    }

    /// Marks the documents as stale whose revision of the remote couldn't be stored, so that a lookup asks for them again.
    private func askAgain(onlyYet: Bool = false) async throws {
        let documents = documents
        try await documents.collection.database.write { _ in try documents.askAgain(onlyYet: onlyYet) }
    }

    /// Asks again, after ``askingTime``, for the documents that couldn't be stored yet.
    private func askLater() {
        guard asking == nil, !work.isEnded else { return }
        asking = Task { [time] in
            try? await time.sleep(for: Self.askingTime)
            guard !Task.isCancelled else { return }
            asking = nil
            // After an error, the next start asks for them.
            try? await askAgain(onlyYet: true)
        }
    }

    /// Looks up the stale documents: compares each of them with the remote, in both directions, with a second
    /// replicator, while the open connection continues.
    private func lookUp() async throws {
        guard let stale = try await staleDocuments(), !stale.isEmpty else { return }
        let lookup = try await beginLookup()
        let (replicator, _) = try await replicator(isContinuous: false, ids: lookup.ids)
        try await run(replicator, reset: true)
        try await endLookup(lookup)
    }

    /// Runs a replicator to its end. Throws `CancellationError` if the task was cancelled, since a replicator that is
    /// stopped before its end reports no error.
    private func run(_ replicator: Replicator, reset: Bool) async throws {
        try await replicator.run(reset: reset)
        try Task.checkCancellation()
    }

    /// Creates a replicator for all synced documents, or with `ids` for a lookup of these documents.
    ///
    /// - Returns: the replicator, and whether no document of the set was ever compared with the remote.
    private func replicator(isContinuous: Bool, ids: [String]? = nil) async throws -> (Replicator, isNew: Bool) {
        guard let remote = settings.remote, handlers != nil else {
            throw MobileSyncError(
                .notConfigured,
                "no remote is set with MobileSync.connect(to:), or the collection's sync isn't configured")
        }
        let documents = documents
        let isNew = try await isNew(remote)
        var part = CollectionConfiguration(documents.collection)
        part.selection = MobileSelection(documents, sessions, isLookup: ids != nil) { [weak self] in
            Task { await self?.askLater() }
        }
        part.documentIDs = ids
        part.conflictResolver = MobileConflictResolver(documents: documents, handlers: current)
        var configuration = ReplicatorConfiguration(collections: [part], target: remote.target)
        remote.configure(&configuration)
        configuration.collections = [part]
        configuration.target = remote.target
        configuration.replicatorType = .pushAndPull
        configuration.continuous = isContinuous
        configuration.exclusion = ids == nil ? .named("mobile sync \(documents.collection.fullName)") : .none
        return (try Replicator(configuration), isNew)
    }

    /// Records the remote with which the documents are synced.
    ///
    /// - Returns: whether no document of the set was ever compared with this remote.
    private func isNew(_ remote: MobileSyncRemote) async throws -> Bool {
        let (documents, name) = (documents, remote.target.description)
        let database = documents.collection.database
        let isKnown = try await database.readShortly {
            guard let space = try documents.space(), space.isCaughtUp else { return false }
            return try space.remote == database.knownRemoteNumber(name)
        }
        if isKnown { return false }
        return try await database.write { _ in
            try documents.setRemote(try database.remoteNumber(name))
            return try documents.space()?.isCaughtUp != true
        }
    }

    /// Reports to the error listener that syncing stopped, unless the reason is the same as before.
    private func report(_ error: any Error) async {
        let error = MobileSyncError(stoppedBy: error)
        guard lastFailure != error.reason else { return }
        lastFailure = error.reason
        await handlers?.fail?(error, nil)
    }

    private func wake(after duration: Duration) {
        timer?.cancel()
        timer = Task { [work, time] in
            try? await time.sleep(for: duration)
            if !Task.isCancelled { work.set() }
        }
    }

    // MARK: - Passes

    private func passWhenDue(_ interval: Duration) async throws {
        let due = lastPass.map { $0 + interval } ?? time.now
        if due <= time.now {
            lastPass = time.now
            do {
                try await pass()
                lastFailure = nil
            } catch let error as ReplicatorError where error.isTransient {
                // The pass of the next interval tries again.
            } catch is MobileSyncError {
                // Syncing was paused meanwhile.
            } catch {
                await report(error)
            }
        }
        wake(after: max((lastPass ?? time.now) + interval - time.now, .zero))
    }

    /// Runs one pass: compares the synced documents with the remote, and sends and receives all changes once; with the
    /// frequency `reactive`, waits until the open connection has done this. Does nothing before the handlers are set,
    /// and after the work has ended.
    ///
    /// - Throws: `ReplicatorError` if the remote can't be reached; `MobileSyncError` if there is none, if the network
    ///   is set as unavailable, or if an error has stopped the open connection. The settings may change while it waits.
    func pass() async throws {
        guard !work.isEnded, handlers != nil else { return }
        if let passing { return try await passing.value }
        let task = Task<Void, any Error> {
            do {
                try await self.onePass()
            } catch is CancellationError {
                // The work has ended.
            }
        }
        passing = task
        defer { passing = nil }
        try await task.value
    }

    private func onePass() async throws {
        try requireOnline()
        guard try await staleDocuments() != nil else { return }
        if settings.frequency == .reactive {
            try await passOfConnection()
            if settings.frequency == .reactive || work.isEnded { return }
            // The open connection ends, and the pass is made without it.
            await stopping?.value
            try requireOnline()
        }
        try await askAgain()
        let (replicator, isNew) = try await replicator(isContinuous: false)
        if !isNew { try await lookUp() }
        let lookup = isNew ? try await beginLookup() : ([], 0)
        try await run(replicator, reset: isNew)
        try await endLookup(lookup)
        try await lookUp()
    }

    private func requireOnline() throws {
        guard settings.isOnline else {
            throw MobileSyncError(
                .stopped, "the network is set as unavailable; MobileSync.setOnline(true) changes that")
        }
    }

    /// Waits until the open connection has sent and received all changes, and no document is stale. Returns earlier if
    /// the frequency is no longer `reactive`, or the work has ended.
    private func passOfConnection() async throws {
        lastFailure = nil
        work.set()
        while settings.frequency == .reactive, !work.isEnded {
            try requireOnline()
            guard settings.remote != nil else {
                throw MobileSyncError(.notConfigured, "no remote is set; set one with MobileSync.connect(to:)")
            }
            let turn = turns.withLock { $0 }
            guard let stale = try await staleDocuments() else { return }
            if let main {
                let status = main.replicator.status
                if stale.isEmpty, main.hasCaughtUp, status.activity == .idle { return }
                if status.activity == .offline, let error = status.error { throw error }
            } else if let lastFailure {
                throw MobileSyncError(.stopped, lastFailure)
            }
            await turns.waitThroughCancellation { $0 != turn }
        }
    }

    // MARK: - Telling

    /// Waits until all change events and errors of the collection that are stored by now were delivered to the
    /// application, or couldn't be read. Does nothing before the handlers are set.
    func settle() async {
        if handlers != nil { await teller.settle() }
    }
}
