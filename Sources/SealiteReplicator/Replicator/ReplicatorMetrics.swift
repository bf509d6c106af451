internal import CoreMetrics
internal import SealiteBase
internal import Synchronization

/// The measures of one replicator, reported through swift-metrics: no IDs of documents, no users, no URLs and no names of collections.
/// Thread-safe.
///
/// The names are listed in Documentation/Metrics.md. The handlers are made once, with the replicator, by the factory that
/// the program has set by then.
final class ReplicatorMetrics: Sendable {
    private struct State {
        var activity = ReplicatorStatus.Activity.stopped
        var pulled: UInt64 = 0
        var pushed: UInt64 = 0
    }

    private let activities: [ReplicatorStatus.Activity: Meter]
    private let pulled = Counter(
        label: "sealite_replicator_documents_total", dimensions: [("direction", "pulled")])
    private let pushed = Counter(
        label: "sealite_replicator_documents_total", dimensions: [("direction", "pushed")])
    private let reconnects = Counter(label: "sealite_replicator_reconnects_total")
    private let lastSuccess = Gauge(label: "sealite_replicator_last_success_timestamp_seconds")
    private let sessionErrors = CounterTable("sealite_replicator_session_errors_total", "code")
    private let documentErrors = CounterTable("sealite_replicator_document_errors_total", "code")
    private let time: any TimeSource
    private let state = Mutex(State())

    private init(_ time: any TimeSource) {
        self.time = time
        let shown: [ReplicatorStatus.Activity] = [.offline, .connecting, .idle, .busy]
        activities = Dictionary(
            uniqueKeysWithValues: shown.map {
                ($0, Meter(label: "sealite_replicators", dimensions: [("activity", $0.rawValue)]))
            })
    }

    /// Returns the measures of a replicator; nil if the program has no back end for metrics, so that nothing is measured.
    static func make(_ time: any TimeSource) -> ReplicatorMetrics? {
        MetricsSystem.factory is NOOPMetricsHandler ? nil : ReplicatorMetrics(time)
    }

    /// Counts what the replicator's engine reports.
    func take(_ event: ReplicatorEvent) {
        switch event {
        case .status(let activity, let progress, let error): take(activity, progress, error)
        case .documents(let documents):
            for (_, error) in documents { if let error { documentErrors.increment(error.inMetrics) } }
        case .conflict(_, let error, _): if let error { documentErrors.increment(error.inMetrics) }
        case .connected, .certificates, .lostCheckpoints, .replacedFile, .remoteCollections: break
        }
    }

    private func take(
        _ activity: ReplicatorStatus.Activity, _ progress: ReplicatorStatus.Progress, _ error: ReplicatorError?
    ) {
        let before = state.withLock { state in
            let before = state
            state = State(activity: activity, pulled: progress.pulledCount, pushed: progress.pushedCount)
            return before
        }
        if before.activity != activity {
            activities[before.activity]?.decrement()
            activities[activity]?.increment()
            if before.activity == .offline, activity == .connecting { reconnects.increment() }
        }
        // The progress of a new run begins at 0.
        let isNew = progress.pulledCount < before.pulled || progress.pushedCount < before.pushed
        let (pulledBefore, pushedBefore) = isNew ? (0, 0) : (before.pulled, before.pushed)
        if progress.pulledCount > pulledBefore { pulled.increment(by: progress.pulledCount - pulledBefore) }
        if progress.pushedCount > pushedBefore { pushed.increment(by: progress.pushedCount - pushedBefore) }
        switch (activity, error) {
        case (.stopped, let error?), (.offline, let error?): sessionErrors.increment(error.inMetrics)
        case (.stopped, nil) where before.activity != .stopped, (.idle, nil): lastSuccess.record(time.unixSeconds)
        default: break
        }
    }
}

extension ReplicatorError {
    /// The kind of the error as the value of a label. Numbers that a remote chooses are left out, except HTTP statuses.
    fileprivate var inMetrics: String {
        guard case .http(let status) = code else { return identifier }
        return (400...599).contains(status) ? "http-\(status)" : "http"
    }
}
