import Glibc
import SealiteDatabase
import SealiteMobileSync
import SealiteReplicator
import Synchronization

/// Syncs the individually synced documents of a database for the command line; the set of their ids stays stored in the
/// database.
struct KeptSyncRun {
    private let configuration: ReplicatorConfiguration
    private let ids: [String]
    private let json: Bool

    init(_ configuration: ReplicatorConfiguration, ids: [String], json: Bool) {
        (self.configuration, self.ids, self.json) = (configuration, ids, json)
    }

    /// Syncs once, or until a signal is received; throws if the sync or a document failed. If `reset` is true, paused
    /// documents are resumed, and all documents are compared with the remote again.
    func run(reset: Bool) throws {
        let collections = configuration.collections
        for part in collections {
            let documents = SyncedDocuments(part.collection)
            try documents.add(ids)
            if reset { try documents.resumeAll() }
        }
        let database = collections[0].collection.database
        let (configuration, sync) = (configuration, MobileSync.of(database))
        let stopped = Mutex<ToolError?>(nil)
        let signal = StoppingSignal()
        let stop = TaskStop()
        try Signals.handling(by: { number in
            guard signal.note(number) else { return false }
            stop.cancel()
            // Without it, a connection that is being opened would be waited for.
            if !configuration.continuous { Task { await sync.stop() } }
            return true
        }) {
            try waiting(stoppedBy: stop) { [json] in
                await sync.setFrequency(configuration.continuous ? .reactive : .onDemand)
                await sync.connect(
                    to: MobileSyncRemote(configuration.target) { made in
                        let (collections, type) = (made.collections, made.replicatorType)
                        made = configuration
                        (made.collections, made.replicatorType) = (collections, type)
                    })
                for part in collections {
                    try await sync.configure(part.collection, part.conflictResolver) { error, id in
                        Self.report(error, id, part.collection, json: json)
                    }
                }
                do {
                    if configuration.continuous {
                        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
                    } else {
                        try await sync.syncNow()
                    }
                } catch is CancellationError {
                    // A signal ended it.
                } catch {
                    stopped.withLock { $0 = ToolError(any: error) }
                }
                await sync.settle()
                await sync.stop()
            }
        }
        try finish(stopped.withLock { $0 }, signal.number)
    }

    private static func report(
        _ error: MobileSyncError, _ id: String?, _ collection: SealiteDatabase.Collection, json: Bool
    ) {
        let name = CollectionArgument(collection)
        guard json else {
            return Console.note("\(name)\(id.map { " \"\($0)\"" } ?? ""): \(error.reason)".withoutControls + "\n")
        }
        Console.print([
            "document": id, "collection": collection.name, "scope": collection.scopeName, "code": error.code.rawValue,
            "error": error.reason,
        ])
    }

    private func finish(_ error: ToolError?, _ signal: CInt?) throws {
        var (synced, uncommitted, paused, failed) = (0, 0, 0, 0)
        for part in configuration.collections {
            let records = try SyncedDocuments(part.collection).records().map(\.record)
            synced += records.count
            uncommitted += records.count { $0.pending != nil }
            paused += records.count { $0.pause != nil }
            failed += records.count { $0.pending != nil || $0.pause != nil }
        }
        let interruption = configuration.continuous ? nil : signal
        if json {
            Console.print([
                "synced": synced, "uncommitted": uncommitted, "paused": paused, "interrupted": interruption != nil,
            ])
        } else {
            let before = interruption == nil ? "" : SyncReporter.interruption
            Console.print("\(before)synced \(synced), uncommitted \(uncommitted), paused \(paused)")
        }
        // An error after the signal is that of the sync that it ended.
        if let interruption { throw EndedBySignal(number: interruption) }
        if let error { throw error }
        guard failed == 0 else {
            throw ToolError(
                .failed, code: "documents-failed", "\(counted(failed, "document")) could not be synced",
                hint: "'sealite sync-status' lists them, and why"
                    + (paused > 0 ? "; once the reasons are mended, --reset syncs the paused ones again" : ""))
        }
    }
}
