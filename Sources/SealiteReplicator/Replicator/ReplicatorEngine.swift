internal import SealiteBase
internal import SealiteProtocol
internal import SealiteTransport
internal import SealiteFile
internal import SealiteCredentials
internal import SealiteDatabase

/// Runs a replicator's sessions: connects, runs a session, waits and retries, until all is done or it is stopped.
actor ReplicatorEngine {
    private let configuration: ReplicatorConfiguration
    private let dial: Dial
    private let database: Database
    private let tell: @Sendable (ReplicatorEvent) -> Void
    private let conflicts: ConflictWorker
    /// The time source for retries.
    private let time: any TimeSource
    private let log: ReplicatorLog
    private let work = Offload("replicator.engine")
    private var runner: SessionRunner<ActiveSession>?
    private var connector: Connector?
    /// Asks again, in the present session, for documents that couldn't be stored.
    private var attempts: SecondAttempts?
    private var waiting: Task<Void, Never>?
    private var isStopping = false
    private var isRunning = false
    private var runNumber = 0
    /// The number of the last run that was stopped, which may not have begun.
    private var stoppedNumber = 0
    private var progress = ReplicatorStatus.Progress()
    private var progressBefore = ReplicatorStatus.Progress()
    /// The number of conflicts that had been resolved when the run began.
    private var resolvedBefore = 0
    /// The last session's final status; nil if no connection was established.
    private var lastStatus: SessionStatus?
    /// A Boolean value that says whether a session of this run has caught up. The following sessions of a one-shot run
    /// don't offer refused documents again, and don't ask for them.
    private var hasCaughtUp = false
    /// A Boolean value that says whether the remote has accepted a connection in this run.
    private var wasAccepted = false
    /// The time at which the remote first refused credentials since a session last made progress; nil if it hasn't.
    private var refusedSince: Moment?
    /// The indices of the collections whose replication checkpoint the remote lost, as found in this run.
    private var lostCheckpoints: Set<Int> = []
    /// A Boolean value that says whether a session of this run found that the database's file was replaced by an older
    /// copy of itself.
    private var hasReplacedFile = false
    /// The names of the remote's collections, as found in this run; nil before, or if it doesn't return them.
    private var remoteCollections: [String]?

    /// The maximum number of additional sessions that a one-shot replicator runs in order to push the resolutions of
    /// conflicts from the previous session.
    private static let followUpLimit = 5
    /// The time for which the replicator presents credentials again that the remote refuses after having accepted them
    /// in this run: a server that starts may answer 401 until it has read its databases.
    private static let refusalTolerance: Duration = .seconds(120)

    init(
        _ configuration: ReplicatorConfiguration, dialing dial: @escaping Dial, database: Database,
        tell: @escaping @Sendable (ReplicatorEvent) -> Void
    ) {
        self.configuration = configuration
        self.dial = dial
        self.database = database
        self.tell = tell
        time = database.configuration.time
        let log = ReplicatorLog(configuration)
        self.log = log
        conflicts = ConflictWorker(configuration.collections) { event, error, resolved in
            log.documents([(event, error)])
            tell(.conflict(event, error, resolved))
        }
    }

    // MARK: - Running

    /// Runs until everything is replicated, an error ends it, or `stop` is called. `number` identifies the run.
    func run(_ number: Int, isReset: Bool) async {
        guard !isRunning else { return }
        assert(number > runNumber, "runs are numbered in their order")
        assert(runner == nil && connector == nil && waiting == nil, "a run has ended before the next begins")
        runNumber = number
        (isRunning, isStopping) = (true, stoppedNumber == number)
        (progress, progressBefore) = (.init(), .init())
        resolvedBefore = await conflicts.resolvedCount
        (hasCaughtUp, lostCheckpoints, hasReplacedFile, remoteCollections) = (false, [], false, nil)
        (wasAccepted, refusedSince) = (false, nil)
        tell(.status(.connecting, progress, nil))
        let start = Moment.now
        log.began(isReset: isReset)
        var failure: ReplicatorError?
        do throws(ReplicatorError) {
            let lock = try await locked()
            failure = await replicate(isReset: isReset)
            _ = consume lock
        } catch {
            failure = error
        }
        isRunning = false
        log.ended(progress, isStopping ? nil : failure, after: .now - start)
        tell(.status(.stopped, progress, isStopping ? nil : failure))
    }

    /// Ends a run, given its number, in an orderly way, even if it hasn't begun.
    func stop(_ number: Int) async {
        stoppedNumber = max(stoppedNumber, number)
        guard number == runNumber else { return }
        isStopping = true
        waiting?.cancel()
        await connector?.stop()
        await attempts?.stop()
        await runner?.stop()
    }

    private func locked() async throws(ReplicatorError) -> TargetLock? {
        guard let path = database.path else { throw ReplicatorError(.storage, "the database is closed") }
        var target = configuration.target.description
        switch configuration.exclusion {
        case .target: break
        case .named(let name): target += " \(name)"
        case .none: return nil
        }
        let name = target
        let result = await work.run { () -> Result<TargetLock, ReplicatorError> in
            do throws(ReplicatorError) {
                return .success(try TargetLock(databasePath: path, target: name))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func replicate(isReset: Bool) async -> ReplicatorError? {
        let connector: Connector
        do throws(ReplicatorError) {
            connector = try Connector(configuration, dialing: dial, log: log, tell: tell)
        } catch {
            return error
        }
        assert(self.connector == nil, "a run has one connector")
        self.connector = connector
        defer { self.connector = nil }
        var isReset = isReset
        var policy = RetryPolicy(isContinuous: configuration.continuous)
        if configuration.maximumAttemptCount > 0 { policy.maximumAttempts = configuration.maximumAttemptCount }
        policy.maximumWait = configuration.maximumAttemptDelay
        var followUpCount = 0
        var resolvedCount = resolvedBefore
        while !isStopping {
            tell(.status(.connecting, progress, nil))
            let failure = await session(connector, isReset: isReset)
            await conflicts.drain()
            await countConflicts()
            progressBefore = progress
            if isStopping { return nil }
            if lastStatus?.hasProgressed == true {
                policy.progressed()
                refusedSince = nil
            }
            if lastStatus?.hasCaughtUp == true { hasCaughtUp = true }
            // The next session is a reset too unless this one has saved the checkpoints of all collections: otherwise a
            // checkpoint from before the reset would be used.
            if lastStatus?.hasSavedAllCheckpoints == true { isReset = false }
            guard let failure else {
                let resolved = await conflicts.resolvedCount
                followUpCount += 1
                guard resolved > resolvedCount, followUpCount <= Self.followUpLimit, await hasPendingDocuments() else {
                    return nil
                }
                (resolvedCount, isReset) = (resolved, false)
                continue
            }
            guard failure.isTransient || toleratesRefusal(failure), let wait = policy.nextWait() else { return failure }
            log.waits(wait, because: failure)
            tell(.status(.offline, progress, failure))
            await pause(wait)
        }
        return nil
    }

    /// Returns whether an error is a refusal of credentials that the remote accepted earlier in this run, and the first
    /// such refusal is recent enough for a retry.
    private func toleratesRefusal(_ failure: ReplicatorError) -> Bool {
        guard wasAccepted, failure.code == .http(401) else { return false }
        let first = refusedSince ?? time.now
        refusedSince = first
        let left = Self.refusalTolerance - (time.now - first)
        guard left > .zero else { return false }
        log.toleratesRefusal(for: left)
        return true
    }

    /// Returns whether the replicator pushes, and documents wait to be pushed.
    private func hasPendingDocuments() async -> Bool {
        guard configuration.replicatorType.isPush else { return false }
        for index in configuration.collections.indices {
            if let pending = try? await pendingDocuments(index, limit: 1), !pending.isEmpty { return true }
        }
        return false
    }

    private func pause(_ duration: Duration) async {
        let task = Task { [time] in _ = try? await time.sleep(for: duration) }
        assert(waiting == nil, "one pause is made at a time")
        waiting = task
        if isStopping { task.cancel() }
        await task.value
        waiting = nil
    }

    /// Retries immediately if the engine waits between two sessions.
    func retryNow() { waiting?.cancel() }

    // MARK: - One session

    /// Connects and runs one session to its end. Returns the error that ended it; nil if everything is replicated, or
    /// the session was stopped.
    private func session(_ connector: Connector, isReset: Bool) async -> ReplicatorError? {
        lastStatus = nil
        do {
            // Conflicts of earlier runs, and one that was stored after the last session ended and not been reported.
            if configuration.replicatorType.isPull { try await conflicts.addExisting() }
        } catch {
            return ReplicatorError(storage: error)
        }
        let attempts: SecondAttempts
        do throws(ReplicatorError) {
            attempts = try SecondAttempts(configuration, dialing: dial, log: log, tell: tell) { [weak self] report in
                await self?.takeOfAttempt(report)
            }
        } catch {
            return error
        }
        assert(self.attempts == nil, "a session has its own attempts")
        self.attempts = attempts
        let failure = await session(connector, attempts, isReset: isReset)
        self.attempts = nil
        await attempts.stop()
        return failure
    }

    private func session(
        _ connector: Connector, _ attempts: SecondAttempts, isReset: Bool
    ) async -> ReplicatorError? {
        // A reset pulls everything in any case.
        if retriesRefused, !isReset, let failure = await attempts.run() { return failure }
        if isStopping { return nil }
        let connection: any MessageConnection
        do throws(ReplicatorError) {
            connection = try await connector.connect()
        } catch {
            return error
        }
        wasAccepted = true
        log.connected(connection.info.tlsVersion)
        tell(.connected(connection.info))
        // Reports are processed in order, all of them before the session counts as ended.
        let (reports, continuation) = AsyncStream.makeStream(of: SessionReport.self)
        let runner: SessionRunner<ActiveSession>
        do {
            runner = try await makeRunner(connection, isReset: isReset) { continuation.yield($0) }
        } catch {
            await connection.close(code: 1_000, reason: "")
            return ReplicatorError(storage: error)
        }
        assert(self.runner == nil, "one session runs at a time")
        self.runner = runner
        if isStopping { await runner.stop() }
        let taking = Task { for await report in reports { await self.take(report) } }
        let end = await runner.run()
        let status = await runner.session.status
        lastStatus = status
        log.sessionEnded(status)
        continuation.yield(.status(status))
        continuation.finish()
        await taking.value
        self.runner = nil
        switch end {
        case .closed(let error):
            return error.map { ReplicatorError($0).explained(configuration.database.versioning) }
        case .disconnected(let error): return ReplicatorError(error, isContinuous: configuration.continuous)
        }
    }

    /// A Boolean value that says whether the next session offers refused documents again, and asks for them again: each
    /// session of a continuous replication does, and of a one-shot run those until one has caught up.
    private var retriesRefused: Bool { configuration.continuous || !hasCaughtUp }

    private func makeRunner(
        _ connection: any MessageConnection, isReset: Bool, report: @escaping @Sendable (SessionReport) -> Void
    ) async throws -> SessionRunner<ActiveSession> {
        let configuration = configuration
        let retriesRefused = retriesRefused
        let (session, stores) = try await work.run {
            (
                try configuration.session(isReset: isReset, retriesRefused: retriesRefused),
                try configuration.stores()
            )
        }
        return try SessionRunner(
            ActiveSession(session), connection, stores: stores, isPolling: configuration.continuous, report: report)
    }

    /// Processes a report of an attempt to pull documents that couldn't be stored. Its status is the last one.
    private func takeOfAttempt(_ report: SessionReport) async {
        guard case .status(let status) = report else { return await take(report) }
        (progressBefore, progress) = (progressBefore + status, progress + status)
    }

    private func take(_ report: SessionReport) async {
        switch report {
        case .documents(let all):
            for event in all where event.deltaRefusal != nil { log.deltaRefused(event) }
            let events = all.filter { $0.deltaRefusal == nil }
            if events.contains(where: { !$0.isPush && $0.error?.isCuredByTime == true }) {
                await attempts?.noteFailure()
            }
            let isResolved = { (event: DocumentEvent) in event.error?.code == .conflict && !event.isPush }
            for event in events where isResolved(event) { await conflicts.add(event.collection, event.documentID) }
            let told = events.filter { !isResolved($0) }.map { ($0, $0.error.map { ReplicatorError($0) }) }
            log.documents(told)
            if !told.isEmpty { tell(.documents(told)) }
        case .status(let status):
            if !status.lostCheckpoints.isSubset(of: lostCheckpoints) {
                log.lostCheckpoints(status.lostCheckpoints.subtracting(lostCheckpoints))
                lostCheckpoints.formUnion(status.lostCheckpoints)
                tell(.lostCheckpoints(lostCheckpoints))
            }
            if status.hasNewSource, !hasReplacedFile {
                hasReplacedFile = true
                log.replacedFile()
                tell(.replacedFile)
            }
            if let names = status.remoteCollections, names != remoteCollections {
                remoteCollections = names
                tell(.remoteCollections(names))
            }
            progress = progressBefore + status
            await countConflicts()
            guard !isStopping else { return }
            tell(.status(status.replicatorActivity, progress, nil))
        // The error of the session, or of the document, says so.
        case .failed: break
        }
    }

    private func countConflicts() async {
        progress.resolvedConflictCount = UInt64(clamping: await conflicts.resolvedCount - resolvedBefore)
    }

    // MARK: - Pending documents

    /// Returns the ids of documents whose current revision waits to be pushed, in a collection given by its position in
    /// the configuration. The search ends when `limit` ids are found; the result may exceed `limit` somewhat.
    func pendingDocuments(_ index: Int, limit: Int = .max) async throws -> Set<String> {
        let configuration = configuration
        return try await work.run { try configuration.pendingDocuments(index, limit: limit) }
    }

    /// Returns the documents that the remote has refused and still doesn't have.
    func refusedDocuments() async throws -> [RefusedDocument] {
        let configuration = configuration
        return try await work.run { try configuration.refusedDocuments() }
    }
}

extension SessionStatus {
    var replicatorActivity: ReplicatorStatus.Activity {
        switch activity {
        case .connecting: .connecting
        case .idle: .idle
        case .busy: .busy
        }
    }
}
