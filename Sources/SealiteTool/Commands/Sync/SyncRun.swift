import Dispatch
import Glibc
import SealiteReplicator
import Synchronization

/// Runs a replicator for the command line, and reports its progress, the documents that failed, and its outcome.
final class SyncRun: Sendable {
    private struct Failure: Hashable {
        let scope: String
        let collection: String
        let id: String
        let isPush: Bool

        init(scope: String, collection: String, id: String, isPush: Bool) {
            (self.scope, self.collection, self.id, self.isPush) = (scope, collection, id, isPush)
        }

        init(_ document: ReplicatedDocument, isPush: Bool) {
            self.init(scope: document.scope, collection: document.collection, id: document.id, isPush: isPush)
        }
    }

    private struct State {
        /// The documents whose last attempt failed.
        var failed: Set<Failure> = []
        /// The documents that the remote refused as conflicts, which a later pull may resolve.
        var conflicts: [Failure: (document: ReplicatedDocument, error: ReplicatorError)] = [:]
        var signal: CInt?
        /// A Boolean value that says whether the replicator had once caught up when the signal arrived.
        var hasCaughtUp = false
    }

    private let replicator: Replicator
    private let reporter: SyncReporter
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "sealite.sync")

    init(_ configuration: ReplicatorConfiguration, reporter: SyncReporter) throws {
        self.reporter = reporter
        do throws(ReplicatorError) {
            replicator = try Replicator(configuration)
        } catch {
            throw ToolError(error)
        }
    }

    /// The positions, in the configuration's list and counted from 0, of the collections that the remote doesn't have.
    var missingCollections: [Int] { replicator.status.error?.missingCollections ?? [] }

    /// Runs the sync to its end; throws if the replicator or any document failed.
    ///
    /// - Parameters:
    ///   - reset: whether all documents are compared again.
    ///   - mayLackCollections: whether the run ends without an error if the remote lacks collections.
    /// - Returns: false if the remote lacks collections, so that nothing was synced.
    /// - Throws: the error of the replicator or of documents that failed, or `EndedBySignal`.
    func run(reset: Bool, mayLackCollections: Bool = false) throws -> Bool {
        let tokens = [
            replicator.addDocumentReplicationListener(queue: queue) { self.took($0) },
            replicator.addChangeListener(queue: queue) { status in
                self.reporter.report(status)
                guard status.activity == .idle else { return }
                self.state.withLock { $0.hasCaughtUp = true }
                self.reportConflicts()
            },
        ]
        let done = DispatchSemaphore(value: 0)
        Signals.handling(by: { self.stop($0) }) {
            Task {
                _ = try? await self.replicator.run(reset: reset)
                done.signal()
            }
            done.wait()
        }
        queue.sync { reportConflicts() }
        for token in tokens { token.remove() }
        if mayLackCollections, !missingCollections.isEmpty { return false }
        try finish()
        return true
    }

    /// Stops the replicator properly at the first signal and returns true; returns false at the second one, which ends
    /// the process.
    private func stop(_ number: CInt) -> Bool {
        let isFirst = state.withLock { state in
            guard state.signal == nil else { return false }
            state.signal = number
            if replicator.status.activity == .idle { state.hasCaughtUp = true }
            return true
        }
        guard isFirst else { return false }
        // Nothing was agreed with the remote yet.
        if [.connecting, .offline].contains(replicator.status.activity) { reporter.names = nil }
        replicator.stop()
        return true
    }

    private func took(_ replication: DocumentReplication) {
        for document in replication.documents {
            let place = Failure(document, isPush: replication.isPush)
            guard let error = document.error else {
                succeeded(place)
                if let conflict = document.resolvedConflict { reporter.report(document, conflict) }
                continue
            }
            let isConflict = replication.isPush && error.code == .conflict
            state.withLock { state in
                state.failed.insert(place)
                if isConflict { state.conflicts[place] = (document, error) }
            }
            if !isConflict { reporter.report(document, isPush: replication.isPush, error) }
        }
    }

    private func succeeded(_ place: Failure) {
        state.withLock { state in
            state.failed.remove(place)
            // A document that was pulled, or whose conflict was resolved, is no conflict any more.
            let pushed = Failure(scope: place.scope, collection: place.collection, id: place.id, isPush: true)
            if state.conflicts.removeValue(forKey: pushed) != nil { state.failed.remove(pushed) }
        }
    }

    /// Reports the documents that the remote refused as conflicts and that weren't resolved since.
    private func reportConflicts() {
        let conflicts = state.withLock { state in
            defer { state.conflicts = [:] }
            return state.conflicts.values.sorted { $0.document.id < $1.document.id }
        }
        for (document, error) in conflicts { reporter.report(document, isPush: true, error) }
    }

    private func finish() throws {
        let status = replicator.status
        var state = state.withLock { $0 }
        // Refusals of earlier runs are included that this run didn't offer again.
        let refused = try replicator.configuration.refusedDocuments()
        for document in refused {
            state.failed.insert(
                Failure(
                    scope: document.scope, collection: document.collection, id: document.id, isPush: document.isPush))
        }
        let interruption = try state.signal == nil || isDone(state) ? nil : state.signal
        // If the sync ends with an error, numbers that are all zero aren't printed.
        let isWorthTelling = status.error == nil || status.progress.documentCount > 0 || !state.failed.isEmpty
        reporter.summary(
            isShown: isWorthTelling, status.progress, failed: state.failed.count, refused,
            isInterrupted: interruption != nil)
        if let error = status.error { throw ToolError(error) }
        guard state.failed.isEmpty else {
            throw ToolError(
                .failed, code: "documents-failed", "\(counted(state.failed.count, "document")) could not be replicated",
                hint: hint(refused))
        }
        if let interruption { throw EndedBySignal(number: interruption) }
    }

    /// Returns whether a sync that a signal ended counts as finished: a continuous one that had caught up with the remote,
    /// and that leaves no change here unsent. What it was doing at the signal doesn't matter: it may have been receiving
    /// a change that the next sync receives too, or saving a checkpoint.
    private func isDone(_ state: State) throws -> Bool {
        let configuration = replicator.configuration
        guard configuration.continuous, state.hasCaughtUp else { return false }
        guard configuration.replicatorType != .pull else { return true }
        return try waiting { [replicator] in
            for part in replicator.configuration.collections
            where try await !replicator.pendingDocumentIDs(in: part.collection).isEmpty { return false }
            return true
        }
    }

    /// Returns the next step for documents that were refused by either side; nil if there are none.
    private func hint(_ refused: [RefusedDocument]) -> String? {
        guard !refused.isEmpty else { return nil }
        let (pushed, pulled) = (refused.count { $0.isPush }, refused.count { !$0.isPush })
        var kinds: [String] = []
        if pushed > 0 { kinds.append("the \(counted(pushed, "document")) that the remote has refused") }
        if pulled > 0 { kinds.append("the \(counted(pulled, "document")) of the remote that could not be stored") }
        var steps = ["'sealite sync-status' lists \(kinds.joined(separator: " and ")), and why"]
        if refused.contains(where: { $0.code == .aheadOfClock }) {
            steps.insert(
                "set this computer's clock, or that of the computer that saved the documents, and sync again", at: 0)
        }
        if refused.contains(where: { $0.isPush && $0.code == .http(409) }) {
            // A pull brings the remote's revision. Only that of a document which was purged here has been pulled before.
            steps.append(
                replicator.configuration.replicatorType != .push
                    ? "--reset compares all documents again, also those of which the remote has another revision"
                        + " because they were purged here and made again"
                    : "without --push a sync pulls the other revisions that the remote has, and resolves the conflicts")
        }
        return steps.joined(separator: "; ")
    }
}

/// The collections that `sealite sync` syncs: those that were named, or all of the local database that the remote has.
struct SyncedCollections {
    private let configuration: ReplicatorConfiguration
    private let isChosen: Bool
    private let reporter: SyncReporter

    /// Creates the collections of a configuration; `isChosen` says whether the command line names them.
    init(_ configuration: ReplicatorConfiguration, isChosen: Bool, output: OutputOptions) {
        self.configuration = configuration
        self.isChosen = isChosen
        reporter = SyncReporter(json: output.json)
    }

    func run(reset: Bool) throws {
        var configuration = configuration
        let limit = ReplicatorConfiguration.maximumCollectionCount
        guard configuration.collections.count <= limit else {
            throw ToolError.usage(
                "one sync takes at most \(limit) collections, and the database has \(configuration.collections.count)",
                hint: "name some of them with --collection, and sync the others in further runs")
        }
        configuration.asksForCollections = !isChosen
        guard !isChosen else {
            _ = try SyncRun(configuration, reporter: reporter).run(reset: reset)
            return
        }
        reporter.names = Names(here: configuration.collections.map { CollectionArgument($0.collection).description })
        let first = try SyncRun(configuration, reporter: reporter)
        // If there is only one collection and the remote lacks it, the run itself reports the remote's error.
        let mayLack = configuration.collections.count > 1
        if try first.run(reset: reset, mayLackCollections: mayLack) { return }
        let missing = Set(first.missingCollections)
        let kept = configuration.collections.indices.filter { !missing.contains($0) }
        guard !kept.isEmpty else {
            throw ToolError(
                .noInput, code: "no-such-collection", "the remote has none of the database's collections",
                hint:
                    "name a collection of the remote with --collection; 'sealite collection list' lists those of the database"
            )
        }
        configuration.collections = kept.map { configuration.collections[$0] }
        reporter.names?.synced = configuration.collections.map { CollectionArgument($0.collection).description }
        _ = try SyncRun(configuration, reporter: reporter).run(reset: reset)
    }

    /// The names of collections that are reported once a session has begun.
    struct Names: Sendable {
        /// The collections of the local database.
        let here: [String]
        /// The collections that are synced; all of the local database unless the remote lacks some.
        var synced: [String]

        init(here: [String]) {
            self.here = here
            synced = here
        }
    }
}
