internal import SealiteBase
internal import SealiteCredentials
internal import SealiteDatabase
internal import SealiteFile
internal import SealiteProtocol
internal import SealiteTransport
internal import Synchronization

/// Runs one replication session over one connection: transfers messages between the multiplexer and the connection,
/// performs the session's requests in the database, and passes events to the session. Serialises access to the session
/// and the multiplexer.
actor SessionRunner<Session: ReplicationSession> {
    var session: Session
    var multiplexer: BLIPMultiplexer
    let attachments: AttachmentStore
    /// A separate queue for attachments, so that a large one doesn't delay documents.
    let attachmentWork = Offload("replicator.attachments")
    var fetches: [BLIPTicket: Fetch] = [:]
    var servings: [BLIPStream: BlobReader] = [:]
    /// Requests of the peer for attachments that aren't being sent yet, by the number of the request.
    var waitingServings: [(number: UInt64, request: GetAttachmentRequest)] = []
    var openingCount = 0
    /// The number of received bytes of attachments that aren't written to the database yet.
    var pieceByteCount = 0
    let connection: any MessageConnection
    /// The time source for the session's events and deadlines.
    let time: any TimeSource
    private let stores: [CollectionStore]
    private let report: @Sendable (SessionReport) -> Void
    private let reading: Offload
    private let writing: Offload
    private var tasks: [BLIPTicket: TaskID] = [:]
    /// A Boolean value that says whether changes of other processes are followed too.
    private let isPolling: Bool
    /// Those who follow collections' changes, by collection.
    private var watching: [Int: Task<Void, Never>] = [:]
    private var writer: CheckedContinuation<Void, Never>?
    var pausedReader: CheckedContinuation<Void, Never>?
    private var timer: (due: Moment, task: Task<Void, Never>)?
    var closing: (code: Int, error: SessionError?)?
    var isEnded = false
    var hasWriterEnded = false
    /// A Boolean value that says whether the connection hasn't accepted all sent messages yet.
    var isSending = false
    /// A Boolean value that says whether the peer has disconnected, although messages of it may be unread. Used on the
    /// passive side.
    var hasPeerLeft = false
    /// A flag that is set when the session has ended or, on the passive side, the peer has disconnected. There,
    /// requests to the database that haven't begun by then are dropped.
    let dropped = CancellationFlag()
    /// The number of bytes of memory that the unfinished requests to the database hold at present.
    var workByteCount = 0
    /// The memory counter that all connections of a listener share; nil on the side that connects.
    let memory: PeerMemory?
    /// The session's counters of swift-metrics; nil on the side that connects, and to count nothing.
    let metrics: ListenerMetrics?
    /// The number of bytes that this connection has added to `memory`.
    var countedByteCount = 0
    /// The number, from `PeerMemory.whenFree(_:)`, under which this session waits for memory; nil if it doesn't wait.
    var memoryWait: UInt64?
    /// Measures how long the session has been waiting for the peer without progress.
    var stalls: StallWatch
    var sentBatchCount: UInt64 = 0
    var receivedPieceCount: UInt64 = 0
    /// The number of the peer's requests so far.
    private(set) var requestCount: UInt64 = 0
    private var lastStatus: (status: SessionStatus, time: Moment)?
    /// The documents that are still to be reported to the owner.
    private var events: [DocumentEvent] = []
    /// The kinds of the database's failures that were reported to the owner.
    private var reportedFailures: Set<String> = []
    /// The number of performed steps of the session whose follow-up work `settle()` hasn't done yet.
    private var unsettledCount = 0
    private var hasMoreFrames = false

    /// An attachment that is being received.
    struct Fetch {
        let task: TaskID
        let blob: IncomingBlob
    }

    private static var batchByteCount: Int { 128 << 10 }
    /// The maximum number of steps of the session whose consequences are settled together.
    private static var settledTogether: Int { 64 }
    /// The time for which a stopping session waits for replies to work in progress.
    private static var stoppingTime: Duration { .seconds(5) }
    /// The time after which a closing connection is closed even if queued messages aren't sent.
    private static var closingTime: Duration { .seconds(10) }

    /// Creates a runner for collections of one database, at least one.
    init(
        _ session: Session, _ connection: any MessageConnection, stores: [CollectionStore], memory: PeerMemory? = nil,
        metrics: ListenerMetrics? = nil, queues: SessionQueues = SessionQueues(), stallLimit: Duration = .seconds(60),
        isPolling: Bool = true, report: @escaping @Sendable (SessionReport) -> Void
    ) throws(BLIPError) {
        self.session = session
        self.connection = connection
        self.stores = stores
        attachments = AttachmentStore(database: stores[0].database)
        time = stores[0].database.configuration.time
        self.memory = memory
        self.metrics = metrics
        (reading, writing) = (queues.reading, queues.writing)
        self.isPolling = isPolling
        stalls = StallWatch(limit: stallLimit)
        self.report = report
        var limits = BLIPLimits()
        limits.usesSmallWindow = Session.dropsWorkOfEndedConnections
        multiplexer = try BLIPMultiplexer(limits: limits)
    }

    private var now: Now { Now(moment: time.now, unixSeconds: time.unixSeconds) }

    // MARK: - Running

    /// Runs the session to its end, closes the connection, and returns how the session ended.
    func run() async -> SessionEnd {
        assert(tasks.isEmpty, "a session runs once; it may have been told to stop before")
        let writing = Task { await self.write() }
        let open = ChangeWatch(stores[0].database, collection: nil, isPolled: false)
        let watchingEnd = Task { await self.stopAtEnd(of: open) }
        if Session.dropsWorkOfEndedConnections {
            // A paused or busy reader doesn't notice the end of the connection, because it is queued behind unread
            // messages.
            connection.received.onEnd { [weak self, dropped] in
                dropped.isSet = true
                Task { await self?.peerLeft() }
            }
        }
        let guarding = Task { await self.guardAgainstStalls() }
        perform(session.start(at: now))
        let failure = await read()
        guarding.cancel()
        if let failure, closing == nil { await connection.close(code: failure.closeCode, reason: "") }
        watchingEnd.cancel()
        for task in watching.values { task.cancel() }
        finishUp()
        await writing.value
        await connection.close(code: 1_000, reason: "")
        if let closing { return .closed(closing.error) }
        return failure?.end
            ?? .disconnected(
                TransportError(
                    .closedByPeer(1_000), "the peer closed the connection with code 1000 before the replication ended"))
    }

    /// Ends the session in an orderly way and, after a timeout, without waiting for a peer that doesn't respond.
    func stop() {
        perform(session.stop(at: now))
        guard closing == nil, !isEnded else { return }
        Task { [weak self, time] in
            try? await time.sleep(for: Self.stoppingTime)
            await self?.giveUp()
        }
    }

    private func giveUp() {
        if !isEnded { close(1_000, nil) }
    }

    private struct Failure {
        let end: SessionEnd
        let closeCode: UInt16
    }

    private func read() async -> Failure? {
        do throws(TransportError) {
            while let frames = try await connection.received.nextBatch() {
                for (index, frame) in frames.enumerated() {
                    // `dropped` is read instead of `hasPeerLeft`, because it is set as soon as the peer disconnects,
                    // whereas `hasPeerLeft` is set when the actor is free.
                    let isDropped = Session.dropsWorkOfEndedConnections && dropped.isSet
                    hasMoreFrames = index < frames.count - 1 && !isDropped
                    if isDropped { continue }
                    if let failure = await take(frame) { return failure }
                }
            }
            return nil
        } catch {
            return Failure(end: .disconnected(error), closeCode: 1_000)
        }
    }

    /// Processes one BLIP frame, then waits if the database or the peer must catch up. Returns the failure that ends
    /// the session; nil if there is none.
    private func take(_ frame: [UInt8]) async -> Failure? {
        checkRoom()
        do throws(BLIPError) {
            for action in try multiplexer.receive(frame) { received(action) }
        } catch {
            return protocolFailure(error)
        }
        let mustPause = mustPauseReading()
        if !mustPause, hasMoreFrames { return nil }
        hasMoreFrames = false
        settle()
        await waitForRoom()
        return nil
    }

    private func protocolFailure(_ error: BLIPError) -> Failure {
        hasMoreFrames = false
        settle()
        let reason = "the peer broke the messaging protocol: \(error.description)"
        return Failure(end: .closed(SessionError(.protocolViolation, reason)), closeCode: 1_002)
    }

    private func finishUp() {
        assert(!isEnded, "a session ends once")
        isEnded = true
        dropped.isSet = true
        timer?.task.cancel()
        timer = nil
        _ = multiplexer.close()
        perform(session.disconnected())
        fetches = [:]
        servings = [:]
        waitingServings = []
        countMemory()
        if let memoryWait { memory?.forget(memoryWait) }
        wakeWriter()
        pausedReader.take()?.resume()
    }

    /// Follows a collection from its first scan on: a session that only receives documents needn't know of changes, and
    /// each commit would wake all that follow its collection.
    private func follow(_ index: Int) {
        guard watching[index] == nil, !isEnded else { return }
        let watch = ChangeWatch(
            stores[index].database, collection: stores[index].collection.number, isPolled: isPolling)
        watching[index] = Task { await self.follow(watch, index) }
    }

    private func follow(_ watch: ChangeWatch, _ index: Int) async {
        while await watch.wait() {
            guard !isEnded else { return }
            perform(session.localChanged(collection: index, at: now))
        }
    }

    /// Stops the session when the database is closed, which ends all watches.
    private func stopAtEnd(of watch: ChangeWatch) async {
        while await watch.wait() {}
        if !Task.isCancelled { stop() }
    }

    // MARK: - Receiving

    private func received(_ action: BLIPAction) {
        switch action {
        case .request(let request):
            assert(!isEnded, "what is received comes before the end")
            requestCount += 1
            if refusesRequests {
                multiplexer.reply(to: request.number, error: .unacknowledged)
            } else {
                perform(session.receive(request, at: now))
            }
        case .requestRejected(let request, let error): perform(session.reject(request, error, at: now))
        case .reply(let reply, let ticket):
            if let task = tasks.removeValue(forKey: ticket) {
                finish(task, .reply(reply))
            } else {
                fetchRefused(
                    ticket,
                    reply.error ?? BLIPErrorReply(code: 502, message: "the attachment was answered without its content")
                )
            }
        case .replyRejected(let error, let ticket):
            if let task = tasks.removeValue(forKey: ticket) {
                perform(session.rejectReply(to: task, error, at: now))
                resumeReader()
            } else {
                fetchRefused(ticket, BLIPErrorReply(code: error.status, message: error.reason))
            }
        case .replyPiece(let piece, let ticket): fetched(piece, ticket)
        case .replyEnded(let ticket): fetchEnded(ticket)
        case .replyBegan: break
        }
    }

    // MARK: - Sending

    func wakeWriter() { writer.take()?.resume() }

    private func write() async {
        while let frames = await nextFrames() {
            isSending = true
            guard (try? await connection.send(frames)) != nil else { break }
            isSending = false
            sentBatchCount += 1
        }
        assert(!hasWriterEnded, "the writer ends once")
        hasWriterEnded = true
        pausedReader.take()?.resume()
        if let closing { await connection.close(code: UInt16(clamping: closing.code), reason: "") }
    }

    /// Returns the next BLIP frames to send, waiting until there are any; nil if nothing more is to be sent.
    private func nextFrames() async -> [[UInt8]]? {
        while !isEnded {
            var batch: [[UInt8]] = []
            var byteCount = 0
            do throws(BLIPError) {
                while byteCount < Self.batchByteCount, let frame = try multiplexer.nextFrame() {
                    byteCount += frame.count
                    batch.append(frame)
                }
            } catch {
                return batch.isEmpty ? nil : batch
            }
            for stream in multiplexer.takeWantedBodies() { supply(stream) }
            startServing()
            resumeReader()
            if !batch.isEmpty { return batch }
            guard closing == nil else { return nil }
            precondition(writer == nil, "a connection has one writer")
            await withCheckedContinuation { writer = $0 }
        }
        return nil
    }

    // MARK: - Actions

    func finish(_ task: TaskID, _ result: TaskResult) {
        guard !isEnded else { return }
        switch result {
        case .store(.failed(let failure)), .attachment(.failed(let failure)): tell(failure)
        default: break
        }
        perform(session.finish(task, result, at: now))
        resumeReader()
    }

    /// Reports a failure of the database to the owner, unless one of this kind was reported before.
    func tell(_ failure: StoreFailure) {
        if reportedFailures.insert(failure.kind).inserted { report(.failed(failure)) }
    }

    private func perform(_ actions: [SessionAction]) {
        for action in actions { perform(action) }
        unsettledCount += 1
        // Small messages arrive by the hundred: their consequences are settled together.
        if !hasMoreFrames || unsettledCount >= Self.settledTogether { settle() }
    }

    /// Performs the work that follows a step of the session, or several steps at once: schedules tasks, reports
    /// documents and status, and wakes the writer.
    private func settle() {
        unsettledCount = 0
        schedule()
        tellDocuments()
        tellStatus()
        wakeWriter()
    }

    private func perform(_ action: SessionAction) {
        switch action {
        case .send(let message, let task): tasks[multiplexer.send(message)] = task
        case .sendOnly(let message): multiplexer.send(message)
        case .reply(let number, let message): multiplexer.reply(to: number, with: message)
        case .refuse(let number, let error): multiplexer.reply(to: number, error: error)
        case .store(let request, let collection, let task):
            // Before the scan, so that no later change is missed.
            if case .scan = request { follow(collection) }
            start(request, stores[collection], task)
        case .fetchAttachment(let request, let byteCount, _, let task): fetch(request, byteCount, task)
        case .serveAttachment(let number, let request, _): serve(number, request)
        case .proveAttachment(let number, let request, _): prove(number, request)
        case .documents(let told): events += told
        case .status(let status): tell(status)
        case .close(let code, let error): close(code, error)
        }
    }

    /// Queues a request to the database. On the passive side, a request that hasn't begun when the peer disconnects is
    /// dropped.
    private func start(_ request: StoreRequest, _ store: CollectionStore, _ task: TaskID) {
        let byteCount = request.heldByteCount
        workByteCount += byteCount
        let (dropped, metrics) = (dropped, metrics)
        let queue = request.isReading ? reading : writing
        queue.start(
            {
                if Session.dropsWorkOfEndedConnections, dropped.isSet { return StoreResult?.none }
                guard let metrics else { return store.perform(request) }
                return metrics.counting(request) { store.perform(request) }
            },
            then: { result in await self.finished(task, result, byteCount) })
    }

    private func finished(_ task: TaskID, _ result: StoreResult?, _ byteCount: Int) {
        assert(workByteCount >= byteCount, "each byte is counted once")
        workByteCount -= byteCount
        if let result { finish(task, .store(result)) }
    }

    func close(_ code: Int, _ error: SessionError?) {
        guard closing == nil else { return }
        closing = (code, error)
        pausedReader.take()?.resume()
        // A peer that doesn't read must not keep this side waiting.
        Task { [connection, time] in
            try? await time.sleep(for: Self.closingTime)
            await connection.close(code: UInt16(clamping: code), reason: "")
        }
    }

    // MARK: - Time and status

    private func schedule() {
        guard !isEnded, closing == nil, let deadline = session.deadline else { return }
        if let timer, timer.due <= deadline { return }
        timer?.task.cancel()
        let task = Task {
            try? await time.sleep(until: deadline)
            if !Task.isCancelled { self.wake() }
        }
        assert(timer.map { deadline < $0.due } ?? true, "only an earlier deadline replaces another")
        timer = (deadline, task)
    }

    private func wake() {
        assert(timer != nil, "the timer that fires is the last one that was set")
        timer = nil
        guard !isEnded, closing == nil else { return }
        if let deadline = session.deadline, deadline <= time.now {
            perform(session.wake(at: now))
        } else {
            schedule()
        }
    }

    private func tellDocuments() {
        guard !events.isEmpty else { return }
        report(.documents(events))
        events = []
    }

    private func tell(_ status: SessionStatus) {
        tellDocuments()
        lastStatus = (status, time.now)
        report(.status(status))
    }

    /// Reports the session's status to the owner if it has changed. If only the progress has changed, reports it only
    /// if the previous report is more than 200 ms old.
    private func tellStatus() {
        guard closing == nil, !isEnded else { return }
        let status = session.status
        guard let last = lastStatus else { return tell(status) }
        guard status != last.status else { return }
        if status.activity != last.status.activity || time.now - last.time > .milliseconds(200) { tell(status) }
    }
}

/// The way in which a session ended.
enum SessionEnd: Sendable {
    /// This side closed the connection, possibly because of an error.
    case closed(SessionError?)
    /// The peer closed the connection, or it was lost.
    case disconnected(TransportError)
}

/// A report of a running session to its owner, a replicator or a listener.
enum SessionReport: Sendable {
    case documents([DocumentEvent])
    case status(SessionStatus)
    /// A request to the database failed; the first failure of its kind in the session.
    case failed(StoreFailure)
}

/// A flag that is set once, when a connection or session has ended, and by which queued work finds that it is no longer
/// needed. Thread-safe.
final class CancellationFlag: Sendable {
    private let state = Mutex(false)
    var isSet: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
