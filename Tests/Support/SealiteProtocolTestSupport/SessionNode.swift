import SealiteProtocol
import SealiteRevisions

/// A session with its multiplexer and database: what the actor of a connection does, without a socket.
final class SessionNode<Session: ReplicationSession> {
    var session: Session
    let stores: [any SessionStore]
    let endpoint: Endpoint
    private(set) var events: [DocumentEvent] = []
    private(set) var closed: (code: Int, error: SessionError?)?
    private(set) var statuses: [SessionStatus] = []
    /// Requests that were sent, by profile.
    private(set) var sent: [BLIPOutgoing] = []
    /// Attachments that were written, however they ended.
    private(set) var fetchedCount = 0
    private var tasks: [BLIPTicket: TaskID] = [:]
    private var fetches: [BLIPTicket: Fetch] = [:]
    /// A Boolean value that says whether the database writes only when nothing else happens, like a slow disk.
    var writesLate = false
    private var storeQueue: [(StoreRequest, Int, TaskID)] = []
    private var now = Now(moment: ContinuousClock.now, unixSeconds: 1_700_000_000)

    private struct Fetch {
        let task: TaskID
        let digest: BlobDigest
        let collection: Int
        var content: [UInt8] = []
    }

    init(_ session: Session, _ stores: [any SessionStore], limits: BLIPLimits = BLIPLimits()) throws {
        self.session = session
        self.stores = stores
        endpoint = try Endpoint(limits: limits)
        for (index, store) in stores.enumerated() {
            store.observe { [weak self] in self?.changed.insert(index) }
        }
    }

    private var changed: Set<Int> = []

    var errors: [String: SessionError] {
        Dictionary(events.compactMap { event in event.error.map { (event.documentID, $0) } }, uniquingKeysWith: { $1 })
    }

    func start() { perform(session.start(at: now)) }

    func stop() { perform(session.stop(at: now)) }

    func disconnect() {
        _ = endpoint.multiplexer.close()
        perform(session.disconnected())
    }

    func receive(_ frame: [UInt8]) throws {
        for action in try endpoint.receive(frame) {
            switch action {
            case .request(let request): perform(session.receive(request, at: now))
            case .requestRejected(let request, let error): perform(session.reject(request, error, at: now))
            case .reply(let reply, let ticket):
                if let task = tasks.removeValue(forKey: ticket) {
                    perform(session.finish(task, .reply(reply), at: now))
                } else if let fetch = fetches.removeValue(forKey: ticket), let error = reply.error {
                    perform(session.finish(fetch.task, .attachment(.refused(error)), at: now))
                }
            case .replyPiece(let piece, let ticket):
                fetches[ticket]?.content += piece
                endpoint.multiplexer.acknowledgePieces(of: ticket)
            case .replyEnded(let ticket): finishFetch(ticket)
            case .replyRejected(let error, let ticket):
                if let task = tasks.removeValue(forKey: ticket) {
                    perform(session.rejectReply(to: task, error, at: now))
                }
            case .replyBegan: break
            }
        }
    }

    /// Does one thing that does not need the peer; false if there is none.
    func work() -> Bool {
        if let index = storeQueue.firstIndex(where: { !writesLate || $0.0.isReading }) {
            performStore(index)
            return true
        }
        if let index = changed.popFirst() {
            perform(session.localChanged(collection: index, at: now))
            return true
        }
        return false
    }

    /// Does one of the writes that `writesLate` held back; false if there is none.
    func write() -> Bool {
        guard !storeQueue.isEmpty else { return false }
        performStore(0)
        return true
    }

    private func performStore(_ index: Int) {
        let (request, collection, task) = storeQueue.remove(at: index)
        let result = stores[collection].perform(request)
        perform(session.finish(task, .store(result), at: now))
    }

    /// Lets the time of the session's next deadline come; false if it has none.
    func wake() -> Bool {
        guard closed == nil, let deadline = session.deadline else { return false }
        now.moment = max(now.moment, deadline)
        perform(session.wake(at: now))
        return true
    }

    private func finishFetch(_ ticket: BLIPTicket) {
        guard let fetch = fetches.removeValue(forKey: ticket) else { return }
        fetchedCount += 1
        let isRight = "sha1-" + TestDigest.sha1(fetch.content).base64 == fetch.digest.description
        if isRight { try? stores[fetch.collection].store(fetch.content, as: fetch.digest) }
        perform(session.finish(fetch.task, .attachment(isRight ? .stored : .corrupt), at: now))
    }

    private func perform(_ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .send(let message, let task):
                sent.append(message)
                tasks[endpoint.send(message)] = task
            case .sendOnly(let message):
                sent.append(message)
                endpoint.send(message)
            case .reply(let number, let message): endpoint.reply(to: number, with: message)
            case .refuse(let number, let error): endpoint.reply(to: number, error: error)
            case .store(let request, let collection, let task): storeQueue.append((request, collection, task))
            case .fetchAttachment(let request, _, let collection, let task):
                let ticket = endpoint.send(request.message, isStreamingReply: true)
                fetches[ticket] = Fetch(task: task, digest: request.digest, collection: collection)
            case .serveAttachment(let number, let request, let collection):
                if let content = try? stores[collection].content(request.digest) {
                    endpoint.reply(to: number, with: BLIPOutgoing(body: content, isCompressed: request.isCompressible))
                } else {
                    endpoint.reply(to: number, error: BLIPErrorReply(code: 404))
                }
            case .proveAttachment(let number, let request, let collection):
                if let content = try? stores[collection].content(request.digest) {
                    let proof = "sha1-" + TestDigest.sha1(request.hashedPrefix + content).base64
                    endpoint.reply(to: number, with: BLIPOutgoing(body: Array(proof.utf8)))
                } else {
                    endpoint.reply(to: number, error: BLIPErrorReply(code: 404))
                }
            case .documents(let documents): events += documents
            case .status(let status): statuses.append(status)
            case .close(let code, let error): closed = (code, error)
            }
        }
    }
}

/// An active and a passive session that talk to each other, with virtual time.
final class SessionPair {
    let active: SessionNode<ActiveSession>
    let passive: SessionNode<PassiveSession>

    init(
        _ configuration: SessionConfiguration, _ activeStores: [MemoryStore], _ passiveStores: [MemoryStore],
        isReadOnly: Bool = false
    ) throws {
        active = try SessionNode(ActiveSession(configuration), activeStores)
        let served = PassiveSession.Configuration(
            collections: configuration.collections.map(\.path), isReadOnly: isReadOnly)
        passive = try SessionNode(PassiveSession(served), passiveStores)
        active.start()
    }

    /// Runs until nothing happens any more, and lets time pass when nothing else does.
    func run() throws { try SessionRun.run(active, passive) }
}

extension SessionConfiguration {
    /// One collection, the default one unless told otherwise.
    static func one(
        push: Bool = true, pull: Bool = true, path: String = "_default", checkpointID: String = "cp-1",
        isContinuous: Bool = false
    ) -> SessionConfiguration {
        let collection = Collection(path: path, checkpointID: checkpointID, isPush: push, isPull: pull)
        return SessionConfiguration(collections: [collection], isContinuous: isContinuous)
    }
}

/// Runs two sessions that talk to each other.
enum SessionRun {
    /// Runs until nothing happens any more; `look` is called before each step.
    static func run<Left, Right>(
        _ left: SessionNode<Left>, _ right: SessionNode<Right>, stepLimit: Int = 1_000_000, look: () -> Void = {}
    ) throws {
        for _ in 0..<stepLimit {
            look()
            if left.closed != nil || right.closed != nil { return }
            if let frame = try left.endpoint.nextFrame() {
                try right.receive(frame)
            } else if let frame = try right.endpoint.nextFrame() {
                try left.receive(frame)
            } else if left.work() || right.work() || left.wake() || right.wake() {
                continue
            } else {
                return
            }
        }
        throw TranscriptError.malformed(stepLimit)
    }
}
