import Dispatch
import Glibc
import SealiteReplicator
import Synchronization

/// Runs a replicator for the command line: tells how far it is, which documents failed, and how it ended.
final class SyncRun: Sendable {
    private struct Failure: Hashable {
        let scope: String
        let collection: String
        let id: String
        let isPush: Bool
    }

    private struct State {
        var pushed = 0
        var pulled = 0
        /// The documents whose last attempt failed.
        var failed: Set<Failure> = []
        var signal: CInt?
        /// What it was doing when the signal came.
        var activityAtSignal: ReplicatorStatus.Activity?
    }

    private let replicator: Replicator
    private let reporter: SyncReporter
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "sealite.sync")

    init(_ configuration: ReplicatorConfiguration, json: Bool) throws {
        reporter = SyncReporter(json: json)
        do throws(ReplicatorError) {
            replicator = try Replicator(configuration)
        } catch {
            throw ToolError(error)
        }
    }

    /// Syncs to the end; throws unless everything went through.
    func run(reset: Bool) throws {
        let tokens = [
            replicator.addDocumentReplicationListener(queue: queue) { self.took($0) },
            replicator.addChangeListener(queue: queue) { self.reporter.report($0) },
        ]
        let done = DispatchSemaphore(value: 0)
        Signals.handling(by: { self.stop($0) }) {
            Task {
                _ = try? await self.replicator.run(reset: reset)
                done.signal()
            }
            done.wait()
        }
        queue.sync {}
        for token in tokens { token.remove() }
        try finish()
    }

    /// Stops in order at the first signal; the second ends the process.
    private func stop(_ number: CInt) -> Bool {
        let isFirst = state.withLock { state in
            guard state.signal == nil else { return false }
            state.signal = number
            state.activityAtSignal = replicator.status.activity
            return true
        }
        if isFirst { replicator.stop() }
        return isFirst
    }

    private func took(_ replication: DocumentReplication) {
        for document in replication.documents {
            let place = Failure(
                scope: document.scope, collection: document.collection, id: document.id, isPush: replication.isPush)
            state.withLock { state in
                if document.error != nil {
                    state.failed.insert(place)
                    return
                }
                state.failed.remove(place)
                if replication.isPush { state.pushed += 1 } else { state.pulled += 1 }
            }
            if let error = document.error { reporter.report(document, isPush: replication.isPush, error) }
        }
    }

    private func finish() throws {
        let status = replicator.status
        let state = state.withLock { $0 }
        reporter.summary(
            pushed: state.pushed, pulled: state.pulled, failed: state.failed.count, bytes: status.progress.completed)
        if let error = status.error { throw ToolError(error) }
        guard state.failed.isEmpty else {
            throw ToolError(
                .failed, code: "documents-failed", "\(state.failed.count) documents could not be replicated")
        }
        // A continuous sync that had caught up is done when it is told to end.
        if let signal = state.signal, !(replicator.configuration.continuous && state.activityAtSignal == .idle) {
            throw EndedBySignal(number: signal)
        }
    }
}

/// Tells how a sync goes: a line on a terminal, JSON lines with `--json`, else only what goes wrong.
///
/// Called on one queue.
private final class SyncReporter: Sendable {
    private struct State {
        var begin = ContinuousClock.now
        var last = ContinuousClock.now - .seconds(1)
        var isDrawn = false
        var activity: ReplicatorStatus.Activity?
        var error: ReplicatorError?
    }

    private let isJSON: Bool
    private let state = Mutex(State())

    init(json: Bool) { isJSON = json }

    func report(_ status: ReplicatorStatus) {
        let isNew = state.withLock { state in
            let isNew = state.activity != status.activity || state.error != status.error
            (state.activity, state.error) = (status.activity, status.error)
            return isNew
        }
        if isJSON {
            guard isNew else { return }
            Console.print(
                JSONValue.object([
                    ("activity", .text(status.activity.rawValue)),
                    ("error", status.error.map { .text($0.reason) } ?? .null),
                ]).encoded)
        } else if Console.notesGoToTerminal {
            draw(status, isNew: isNew)
        } else if isNew, status.activity == .offline, let error = status.error {
            Console.note("offline: \(error.reason.withoutControls)\n")
        }
    }

    private func draw(_ status: ReplicatorStatus, isNew: Bool) {
        state.withLock { state in
            let now = ContinuousClock.now
            guard isNew || now - state.last >= .milliseconds(100) else { return }
            state.last = now
            let seconds = max((now - state.begin) / .seconds(1), 0.001)
            let documents = status.progress.documentCount
            let reason = status.error.map { ": \($0.reason.withoutControls)" } ?? ""
            Console.note(
                "\r\u{1B}[K\(status.activity.rawValue)\(reason)  \(documents) documents, "
                    + "\(Int(Double(documents) / seconds))/s, "
                    + "\(Int(Double(status.progress.completed) / seconds / 1_024)) KiB/s")
            state.isDrawn = true
        }
    }

    func report(_ document: ReplicatedDocument, isPush: Bool, _ error: ReplicatorError) {
        let way = isPush ? "push" : "pull"
        if isJSON {
            Console.print(
                JSONValue.object([
                    ("document", .text(document.id)), ("collection", .text(document.collection)),
                    ("scope", .text(document.scope)), ("way", .text(way)), ("error", .text(error.reason)),
                ]).encoded)
        } else {
            clear()
            let name = CollectionName(scope: document.scope, name: document.collection)
            Console.note("\(way) \(name) \"\(document.id)\": \(error.reason)".withoutControls + "\n")
        }
    }

    func summary(pushed: Int, pulled: Int, failed: Int, bytes: UInt64) {
        clear()
        guard isJSON else {
            return Console.print("pushed \(pushed), pulled \(pulled), failed \(failed)")
        }
        Console.print(
            JSONValue.object([
                ("pushed", .integer(Int64(pushed))), ("pulled", .integer(Int64(pulled))),
                ("failed", .integer(Int64(failed))), ("bytes", .integer(Int64(clamping: bytes))),
            ]).encoded)
    }

    private func clear() {
        let isDrawn = state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if isDrawn { Console.note("\r\u{1B}[K") }
    }
}

extension ToolError {
    /// An error of a replicator or listener.
    init(_ error: ReplicatorError) {
        if let authentication = error.authentication {
            self.init(authentication)
            return
        }
        let (status, code): (ExitStatus, String) =
            switch error.code {
            case .http(401): (.wrongKey, "credentials-rejected")
            case .http(403): (.failed, "forbidden")
            case .connection(let code): Self.meaning(of: code)
            case .http: (.unavailable, "refused")
            case .remote, .protocolViolation: (.failed, "remote-failed")
            case .credentialsUnavailable: (.unavailable, "credentials-unavailable")
            case .collectionNotFound: (.noInput, "no-such-collection")
            case .storage: (.inputOutput, "storage")
            case .alreadyRunning: (.tryAgain, "already-running")
            case .invalidConfiguration: (.usage, "usage")
            case .corruptAttachment, .conflict, .resolverFailed: (.failed, "documents-failed")
            }
        self.init(status, code: code, error.reason, hint: Self.hint(error.code))
    }

    private static func meaning(of code: TransportError.Code) -> (ExitStatus, String) {
        switch code {
        case .clientCertificateRequired: (.wrongKey, "client-certificate-required")
        case .clientCertificateRejected: (.wrongKey, "credentials-rejected")
        case .unencryptedCredential, .invalidURL, .invalidHeader: (.usage, "usage")
        case .unknownIssuer, .pinMismatch, .notSelfSigned, .wrongHost, .certificateExpired, .certificateNotYetValid,
            .certificateUntrusted:
            (.unavailable, "server-not-trusted")
        default: (.unavailable, "connection")
        }
    }

    private static func hint(_ code: ReplicatorError.Code) -> String? {
        switch code {
        case .http(401): "store the credential with 'sealite credential set'"
        case .connection(.unknownIssuer), .connection(.notSelfSigned):
            "name the server's public key with --pin, or its issuer with --ca"
        case .connection(.clientCertificateRequired): "store one with 'sealite credential set URL --identity FILE'"
        default: nil
        }
    }
}
