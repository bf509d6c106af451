internal import CoreMetrics
internal import SealiteProtocol
internal import SealiteRevisions
internal import SealiteTransport
internal import Synchronization

/// The measures of one listener, reported through swift-metrics: no IDs of documents, no users, no addresses and no names of
/// collections. Thread-safe.
///
/// The names are listed in Documentation/Metrics.md. The handlers are made once, when the listener starts, by the factory
/// that the program has set by then.
final class ListenerMetrics: Sendable {
    /// The two directions, as seen from the listener.
    private struct Directions: Sendable {
        let received: Counter
        let sent: Counter

        init(_ label: String) {
            received = Counter(label: label, dimensions: [("direction", "received")])
            sent = Counter(label: label, dimensions: [("direction", "sent")])
        }
    }

    private let sockets = Meter(label: "sealite_listener_sockets")
    private let connections = Meter(label: "sealite_listener_connections")
    private let active = Meter(label: "sealite_listener_active_connections")
    private let accepted = Counter(label: "sealite_listener_accepted_total")
    private let authenticationFailures = Counter(label: "sealite_listener_authentication_failures_total")
    private let documents = Directions("sealite_listener_documents_total")
    private let deltas = Directions("sealite_listener_deltas_total")
    private let blobs = Directions("sealite_listener_blobs_total")
    private let bytes = Directions("sealite_listener_network_bytes_total")
    private let store = Timer(label: "sealite_listener_store_seconds")
    private let refusedPeers = CounterTable("sealite_listener_refused_total", "reason")
    private let refusedDocuments = CounterTable("sealite_listener_documents_refused_total", "code")

    private init() {}

    /// Returns the measures of a listener; nil if the program has no back end for metrics, so that nothing is measured.
    static func make() -> ListenerMetrics? {
        MetricsSystem.factory is NOOPMetricsHandler ? nil : ListenerMetrics()
    }

    // MARK: - Peers

    func refused(_ refusal: HandshakeRefusal) {
        switch refusal.cause {
        case .tls: refusedPeers.increment("tls")
        case .request(let status):
            refusedPeers.increment("\(status)")
            if status == 401 { authenticationFailures.increment() }
        }
    }

    func connected() {
        accepted.increment()
        connections.increment()
    }

    func disconnected() { connections.decrement() }

    func becameActive() { active.increment() }

    func becameIdle() { active.decrement() }

    // MARK: - Documents

    func receivedBlob() { blobs.received.increment() }

    func sentBlob() { blobs.sent.increment() }

    /// Performs a request of a session to the database, and counts its documents.
    func counting(_ request: StoreRequest, _ perform: () -> StoreResult) -> StoreResult {
        switch request {
        case .insert(let revisions, _):
            let start = SuspendingClock.now
            let result = perform()
            let duration = (SuspendingClock.now - start).components
            store.recordNanoseconds(duration.seconds &* 1_000_000_000 &+ duration.attoseconds / 1_000_000_000)
            if case .inserted(let outcomes) = result { count(revisions, outcomes) }
            return result
        case .loadRevisions:
            let result = perform()
            if case .revisions(let loaded) = result { count(loaded) }
            return result
        case .decide:
            let result = perform()
            if case .decided(let decisions) = result { count(decisions) }
            return result
        default: return perform()
        }
    }

    private func count(_ revisions: [IncomingRevision], _ outcomes: [RevisionOutcome]) {
        var (stored, deltaCount) = (0, 0)
        for (revision, outcome) in zip(revisions, outcomes) {
            switch outcome {
            case .inserted, .resurrected, .conflict:
                stored += 1
                if revision.deltaSource != nil { deltaCount += 1 }
            case .conflictRefused: refusedDocuments.increment("409")
            case .refused(let status, _): refusedDocuments.increment("\(status)")
            case .aheadOfClock: refusedDocuments.increment("ahead-of-clock")
            case .known, .deltaRefused, .needsAttachments, .accessRemoved: break
            }
        }
        if stored > 0 { documents.received.increment(by: stored) }
        if deltaCount > 0 { deltas.received.increment(by: deltaCount) }
    }

    private func count(_ loaded: [LoadedRevision]) {
        var (found, deltaCount) = (0, 0)
        for case .found(let revision) in loaded {
            found += 1
            if revision.delta != nil { deltaCount += 1 }
        }
        if found > 0 { documents.sent.increment(by: found) }
        if deltaCount > 0 { deltas.sent.increment(by: deltaCount) }
    }

    private func count(_ decisions: [ProposalDecision]) {
        for decision in decisions {
            switch decision {
            case .conflict: refusedDocuments.increment("409")
            case .refused(let status): refusedDocuments.increment("\(status)")
            case .wanted, .known: break
            }
        }
    }
}

extension ListenerMetrics: ServerObserver {
    func opened() { sockets.increment() }

    func closed() { sockets.decrement() }

    func received(byteCount: Int) { bytes.received.increment(by: byteCount) }

    func sent(byteCount: Int) { bytes.sent.increment(by: byteCount) }
}

/// Counters that differ in the value of one label, made when they are first needed. Thread-safe.
final class CounterTable: Sendable {
    private let label: String
    private let dimension: String
    private let factory: any MetricsFactory
    private let counters = Mutex<[String: Counter]>([:])
    /// The largest number of values; a further one is counted as `other`.
    private static let limit = 50

    init(_ label: String, _ dimension: String) {
        (self.label, self.dimension) = (label, dimension)
        factory = MetricsSystem.factory
    }

    func increment(_ value: String, by amount: Int = 1) {
        let counter = counters.withLock { counters in
            if let counter = counters[value] { return counter }
            let name = counters.count < Self.limit ? value : "other"
            let counter = counters[name] ?? Counter(label: label, dimensions: [(dimension, name)], factory: factory)
            counters[name] = counter
            return counter
        }
        counter.increment(by: amount)
    }
}
