import SealiteReplicator
import Synchronization

/// Reports the progress of a sync: a line on a terminal, JSON lines with `--json`, otherwise only failures. Called on
/// one queue.
final class SyncReporter: Sendable {
    private struct State {
        var begin = ContinuousClock.now
        var last = ContinuousClock.now - .seconds(1)
        var isDrawn = false
        var activity: ReplicatorStatus.Activity?
        var error: ReplicatorError?
        var lostCheckpoints: [String] = []
        var hasReplacedFile = false
        /// The names of collections to report; nil if they were reported already, or needn't be reported.
        var names: SyncedCollections.Names?
    }

    /// The names of the collections, which are reported once a session runs.
    var names: SyncedCollections.Names? {
        get { state.withLock { $0.names } }
        set { state.withLock { $0.names = newValue } }
    }

    private let isJSON: Bool
    private let state = Mutex(State())

    init(json: Bool) { isJSON = json }

    func report(_ status: ReplicatorStatus) {
        reportLostCheckpoints(status)
        reportReplacedFile(status)
        reportCollections(status)
        let isNew = state.withLock { state in
            let isNew = state.activity != status.activity || state.error != status.error
            (state.activity, state.error) = (status.activity, status.error)
            return isNew
        }
        if isJSON {
            guard isNew else { return }
            Console.print([
                "activity": status.activity.rawValue, "error": status.error?.reason,
                "code": status.error.map { ToolError($0).code },
            ])
        } else if Console.isQuiet {
            return
        } else if Console.notesGoToTerminal {
            draw(status, isNew: isNew)
        } else if isNew, status.activity == .offline, let error = status.error {
            Console.note("\(Self.word(status)): \(error.reason.withoutControls)\n")
        }
    }

    /// Reports, once for each collection, that the remote has lost its replication checkpoint.
    private func reportLostCheckpoints(_ status: ReplicatorStatus) {
        let new = state.withLock { state in
            defer { state.lostCheckpoints = status.lostCheckpoints }
            return status.lostCheckpoints.filter { !state.lostCheckpoints.contains($0) }
        }
        for collection in new {
            tell(
                "the remote has lost its replication checkpoint of \(collection): "
                    + "all documents are compared and offered again", json: ["lostCheckpoint": collection])
        }
    }

    /// Reports, once, that the database's file was replaced by an older copy of itself.
    private func reportReplacedFile(_ status: ReplicatorStatus) {
        let isNew = state.withLock { state in
            defer { state.hasReplacedFile = status.hasReplacedFile }
            return status.hasReplacedFile && !state.hasReplacedFile
        }
        guard isNew else { return }
        tell(
            "the database is an older copy of itself, put in its own place: what it has lost is pulled again, and "
                + "documents that were edited since may conflict; use 'sealite restore' to put a backup back",
            json: ["replacedFile": true])
    }

    private func reportCollections(_ status: ReplicatorStatus) {
        guard status.activity == .busy || status.activity == .idle || status.activity == .stopped, status.error == nil
        else { return }
        let names = state.withLock { state in
            defer { state.names = nil }
            return state.names
        }
        guard let names else { return }
        let there = status.remoteCollections ?? []
        report(
            collections: names.synced, onlyHere: names.here.filter { !names.synced.contains($0) },
            onlyThere: there.filter { !names.here.contains($0) })
    }

    /// Reports which collections are synced, and which exist on one side only.
    func report(collections: [String], onlyHere: [String], onlyThere: [String]) {
        var parts = ["\(collections.count == 1 ? "collection" : "collections") \(collections.joined(separator: ", "))"]
        if !onlyHere.isEmpty { parts.append("only here: \(onlyHere.joined(separator: ", "))") }
        if !onlyThere.isEmpty { parts.append("only there: \(onlyThere.joined(separator: ", "))") }
        tell(
            parts.joined(separator: "; "), unlessQuiet: true,
            json: ["collections": collections, "onlyHere": onlyHere, "onlyThere": onlyThere])
    }

    /// Returns the word for what the replicator does. Without a usable credential store it waits too, but the network
    /// isn't what it waits for.
    private static func word(_ status: ReplicatorStatus) -> String {
        let waitsForStore = status.activity == .offline && status.error?.code == .credentialsUnavailable
        return waitsForStore ? "waiting" : status.activity.rawValue
    }

    private func draw(_ status: ReplicatorStatus, isNew: Bool) {
        state.withLock { state in
            let now = ContinuousClock.now
            guard isNew || now - state.last >= .milliseconds(100) else { return }
            state.last = now
            let seconds = max((now - state.begin) / .seconds(1), 0.001)
            let documents = status.progress.documentCount
            let reason = status.error.map { ": \($0.reason.withoutControls)" } ?? ""
            Console.draw(
                "\r\u{1B}[K\(Self.word(status))\(reason)  \(counted(documents, "document")), "
                    + "\(Int(Double(documents) / seconds))/s, "
                    + "\(Int(Double(status.progress.completed) / seconds / 1_024)) KiB/s")
            state.isDrawn = true
        }
    }

    func report(_ document: ReplicatedDocument, isPush: Bool, _ error: ReplicatorError) {
        let way = isPush ? "push" : "pull"
        let name = CollectionArgument(scope: document.scope, name: document.collection)
        tell(
            "\(way) \(name) \"\(document.id)\": \(error.reason)",
            json: [
                "document": document.id, "collection": document.collection, "scope": document.scope, "way": way,
                "error": error.reason,
            ])
    }

    /// Reports the resolution of a conflict: the side whose document was kept, and the revision that was discarded.
    func report(_ document: ReplicatedDocument, _ conflict: ResolvedConflict) {
        let end =
            switch conflict.winner {
            case .local: "the local document was kept, revision \(conflict.remoteRevisionID) of the remote discarded"
            case .remote where document.flags.contains(.deleted):
                "the remote's deletion was kept, local revision \(conflict.localRevisionID) discarded"
            case .remote: "the remote's document was kept, local revision \(conflict.localRevisionID) discarded"
            case .merged: "both were merged"
            case .deleted:
                "the document was deleted (local revision \(conflict.localRevisionID),"
                    + " revision \(conflict.remoteRevisionID) of the remote)"
            }
        let name = CollectionArgument(scope: document.scope, name: document.collection)
        tell(
            "conflict \(name) \"\(document.id)\": \(end)", unlessQuiet: true,
            json: [
                "conflict": document.id, "collection": document.collection, "scope": document.scope,
                "winner": conflict.winner.rawValue, "local": conflict.localRevisionID,
                "remote": conflict.remoteRevisionID,
            ])
    }

    /// Prints the numbers of documents by outcome: with `--json` all of them; otherwise, if `isShown` is true, those of
    /// pushed, pulled and failed documents, and further ones that aren't zero. `isInterrupted` says whether a signal
    /// ended the sync before its end, so that the numbers aren't taken for those of a complete one.
    func summary(
        isShown: Bool, _ progress: ReplicatorStatus.Progress, failed: Int, _ refused: [RefusedDocument],
        isInterrupted: Bool
    ) {
        let refusedCount = refused.count { $0.isPush }
        let unstoredCount = refused.count - refusedCount
        clear()
        guard isJSON else {
            guard isShown else { return }
            var parts = ["pushed \(progress.pushedCount)"]
            if progress.alreadyThereCount > 0 { parts.append("already there \(progress.alreadyThereCount)") }
            parts.append("pulled \(progress.pulledCount)")
            if progress.removedCount > 0 { parts.append("removed \(progress.removedCount) (access lost)") }
            if progress.unrequestedCount > 0 { parts.append("not requested \(progress.unrequestedCount) (refused)") }
            if progress.resolvedConflictCount > 0 {
                parts.append("conflicts resolved \(progress.resolvedConflictCount)")
            }
            var kinds: [String] = []
            if refusedCount > 0 { kinds.append("\(refusedCount) refused by the remote") }
            if unstoredCount > 0 { kinds.append("\(unstoredCount) not stored") }
            parts.append("failed \(failed)" + (kinds.isEmpty ? "" : " (\(kinds.joined(separator: ", ")))"))
            return Console.print((isInterrupted ? Self.interruption : "") + parts.joined(separator: ", "))
        }
        Console.print([
            "pushed": progress.pushedCount, "alreadyThere": progress.alreadyThereCount, "pulled": progress.pulledCount,
            "removed": progress.removedCount, "unrequested": progress.unrequestedCount,
            "conflictsResolved": progress.resolvedConflictCount, "failed": failed, "deltas": progress.deltaCount,
            "deltaBytesSaved": progress.deltaSavedByteCount, "deltaFallbacks": progress.deltaFallbackCount,
            "refused": refusedCount, "notStored": unstoredCount, "bytes": progress.completed,
            "interrupted": isInterrupted,
        ])
    }

    /// The words before the numbers of a sync that a signal ended before its end.
    static let interruption = "interrupted, not everything is synced: "

    /// Writes an event: an object with `--json`, otherwise a line below the progress.
    private func tell(
        _ text: @autoclosure () -> String, unlessQuiet: Bool = false, json object: @autoclosure () -> JSONValue
    ) {
        guard !isJSON else { return Console.print(object()) }
        guard !unlessQuiet || !Console.isQuiet else { return }
        clear()
        Console.note(text().withoutControls + "\n")
    }

    private func clear() {
        let isDrawn = state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if isDrawn { Console.draw("\r\u{1B}[K") }
    }
}
