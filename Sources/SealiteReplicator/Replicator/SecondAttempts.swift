internal import SealiteBase
internal import SealiteDatabase
internal import SealiteFile
internal import SealiteJSON
internal import SealiteProtocol
internal import SealiteRevisions
internal import SealiteTransport

/// Asks the remote again for documents that couldn't be stored in earlier sessions: when a session begins, and during a
/// continuous one for documents that can be stored once the clock is right, the disk has space, or nothing is busy.
///
/// Each attempt uses a connection of its own, because a peer accepts only one subscription to a collection on a
/// connection. An object serves one session.
actor SecondAttempts {
    private let configuration: ReplicatorConfiguration
    private let connector: Connector
    private let time: any TimeSource
    private let log: ReplicatorLog
    /// Receives the reports of documents, with the positions of their collections in the replicator's configuration,
    /// and the last status of each attempt.
    private let report: @Sendable (SessionReport) async -> Void
    private let work = Offload("replicator.attempts")
    private var runner: SessionRunner<ActiveSession>?
    private var repeating: Task<Void, Never>?
    private var hasNewFailure = false
    private var isStopping = false

    /// The time after which the first attempt during a session begins; each later one begins after twice the time, at
    /// most `maximumAttemptDelay`.
    private static let firstWait: Duration = .seconds(10)

    /// Creates an object that opens connections by calling `dial`.
    ///
    /// - Throws: `invalidConfiguration`.
    init(
        _ configuration: ReplicatorConfiguration, dialing dial: @escaping Dial, log: ReplicatorLog,
        tell: @escaping @Sendable (ReplicatorEvent) -> Void, report: @escaping @Sendable (SessionReport) async -> Void
    ) throws(ReplicatorError) {
        (self.configuration, self.log, self.report) = (configuration, log, report)
        time = configuration.database.configuration.time
        connector = try Connector(configuration, dialing: dial, log: log, tell: tell)
    }

    /// Asks for the documents once. An attempt that fails after it has connected leaves its documents to the next one.
    ///
    /// - Returns: the error if the connection couldn't be opened, or the database not be read; otherwise nil.
    func run(onlyCuredByTime: Bool = false) async -> ReplicatorError? {
        let configuration = configuration
        do {
            let attempts = try await work.run { try configuration.secondAttempts(onlyCuredByTime: onlyCuredByTime) }
            for attempt in attempts where !isStopping { try await run(attempt) }
            return nil
        } catch {
            return error as? ReplicatorError ?? ReplicatorError(storage: error)
        }
    }

    /// Called when a document of the remote couldn't be stored for a reason that time can cure: in a continuous
    /// replication, attempts follow until none is left.
    func noteFailure() {
        hasNewFailure = true
        guard configuration.continuous, !isStopping, repeating == nil else { return }
        repeating = Task { await self.repeatAttempts() }
    }

    /// Ends the attempts, and returns when they have ended.
    func stop() async {
        isStopping = true
        repeating?.cancel()
        await connector.stop()
        await runner?.stop()
        await repeating?.value
    }

    private func repeatAttempts() async {
        let configuration = configuration
        var wait = min(Self.firstWait, configuration.maximumAttemptDelay)
        while !isStopping {
            do { try await time.sleep(for: wait) } catch { break }
            wait = min(wait * 2, configuration.maximumAttemptDelay)
            hasNewFailure = false
            _ = await run(onlyCuredByTime: true)
            let left = try? await work.run { try configuration.secondAttempts(onlyCuredByTime: true).count }
            if left == 0, !hasNewFailure { break }
        }
        repeating = nil
    }

    private func run(_ attempt: SecondAttempt) async throws {
        let connection = try await connector.connect()
        let (reports, continuation) = AsyncStream.makeStream(of: SessionReport.self)
        let runner: SessionRunner<ActiveSession>
        do {
            let configuration = configuration
            let (session, stores) = try await work.run { (try attempt.session(), try configuration.stores()) }
            runner = try SessionRunner(
                ActiveSession(session), connection, stores: attempt.positions.map { stores[$0] }
            ) { continuation.yield($0) }
        } catch {
            await connection.close(code: 1_000, reason: "")
            throw error
        }
        self.runner = runner
        if isStopping { await runner.stop() }
        let report = report
        let taking = Task {
            for await case .documents(let events) in reports {
                await report(.documents(events.map { attempt.located($0) }))
            }
        }
        _ = await runner.run()
        self.runner = nil
        continuation.finish()
        await taking.value
        let status = await runner.session.status
        log.sessionEnded(status)
        await report(.status(status))
    }
}

/// One attempt to pull documents that couldn't be stored.
struct SecondAttempt: Sendable {
    /// The configuration of a replication that only pulls these documents, without a checkpoint.
    private let configuration: ReplicatorConfiguration
    /// The positions of its collections in the replicator's configuration.
    let positions: [Int]

    /// The limits on the documents of one attempt in a collection: a listener accepts at most twice as many, and as
    /// many bytes.
    private static let (idCount, byteCount) = (5_000, 512 << 10)

    /// Creates an attempt for documents, given by the positions of their collections.
    init(_ replicator: ReplicatorConfiguration, _ ids: [Int: [String]]) {
        positions = ids.keys.sorted()
        assert(!positions.isEmpty && positions.allSatisfy { replicator.collections.indices.contains($0) })
        var configuration = replicator
        configuration.collections = positions.map { position in
            var part = replicator.collections[position]
            (part.documentIDs, part.channels) = (ids[position], nil)
            return part
        }
        (configuration.replicatorType, configuration.continuous) = (.pull, false)
        configuration.asksForCollections = false
        self.configuration = configuration
    }

    func session() throws -> SessionConfiguration {
        var session = try configuration.session(isReset: false, retriesRefused: false)
        assert(session.collections.count == positions.count, "events are located by the positions")
        for index in session.collections.indices { session.collections[index].isSecondAttempt = true }
        return session
    }

    /// Returns an event of the attempt's session with the position of its collection in the replicator's configuration.
    func located(_ event: DocumentEvent) -> DocumentEvent {
        var event = event
        event.collection = positions[event.collection]
        return event
    }

    /// Divides ids into lists of which each fits into one attempt.
    static func lists(of ids: [String]) -> [[String]] {
        var lists: [[String]] = []
        var room = 0
        for id in ids {
            if room < id.utf8.count || lists.last?.count ?? idCount >= idCount {
                lists.append([])
                room = byteCount
            }
            lists[lists.count - 1].append(id)
            room -= id.utf8.count
        }
        assert(lists.allSatisfy { !$0.isEmpty && $0.count <= idCount }, "each list fits into one attempt")
        return lists
    }
}

extension ReplicatorConfiguration {
    /// Returns the refusals of the remote's documents of a collection that this side couldn't store; none for a
    /// replicator that doesn't pull, and none with a selection, which stores them itself. Blocks.
    func unstored(_ own: CollectionConfiguration) throws -> [(refusal: Refusal, time: Int64)] {
        guard replicatorType.isPull, own.selection == nil,
            let remote = try database.knownRemoteNumber(target.description)
        else { return [] }
        let ids = own.documentIDs.map { Set($0.map(ExactText.init)) }
        return try ReplicatedCollection(collection: own.collection, remote: remote).refusals(by: .local)
            .filter { ids?.contains(ExactText($0.refusal.documentID)) ?? true }
    }

    /// Returns the attempts that ask for all documents that couldn't be stored, or for those of which the reason can be
    /// cured by time. Blocks.
    func secondAttempts(onlyCuredByTime: Bool) throws -> [SecondAttempt] {
        var attempts: [[Int: [String]]] = []
        for (position, own) in collections.enumerated() {
            let wanted = try unstored(own).filter { $0.refusal.isCuredByTime || !onlyCuredByTime }
            for (number, list) in SecondAttempt.lists(of: wanted.map(\.refusal.documentID)).enumerated() {
                if number == attempts.count { attempts.append([:]) }
                attempts[number][position] = list
            }
        }
        return attempts.map { SecondAttempt(self, $0) }
    }
}
