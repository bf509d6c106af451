internal import Logging
internal import SealiteCredentials
internal import SealiteDatabase
internal import SealiteFile
internal import SealiteProtocol

/// Writes a replicator's log.
///
/// Lines contain peers, collections, codes, counts and times. Reasons of errors are excluded, since they may include
/// the remote's text. Document ids appear only in lines of level `debug`, since many applications use names or
/// addresses as ids.
struct ReplicatorLog: Sendable {
    private let logger: Logger
    /// The names of the collections, by their index in the session.
    private let collections: [String]
    private let direction: String
    private let isContinuous: Bool

    init(_ configuration: ReplicatorConfiguration) {
        var logger = configuration.logger
        logger[metadataKey: "peer"] = "\(configuration.peerName)"
        self.logger = logger
        collections = configuration.collections.map(\.collection.fullName)
        direction = configuration.replicatorType.rawValue
        isContinuous = configuration.continuous
    }

    // MARK: - Runs

    func began(isReset: Bool) {
        logger.info(
            "replication begins",
            metadata: [
                "collections": .array(collections.map { "\($0)" }), "direction": "\(direction)",
                "continuous": "\(isContinuous)", "reset": "\(isReset)",
            ])
    }

    func ended(_ progress: ReplicatorStatus.Progress, _ error: ReplicatorError?, after duration: Duration) {
        var counts = Self.counts(progress.documentCount, progress.completed)
        counts["duration_ms"] = "\(duration.milliseconds)"
        guard let error else { return logger.info("replication ended", metadata: counts) }
        counts["code"] = error.code.inLog
        logger.error("replication failed", metadata: counts)
    }

    func waits(_ wait: Duration, because error: ReplicatorError) {
        logger.warning(
            "replication is offline and will be tried again",
            metadata: ["code": error.code.inLog, "wait_ms": "\(wait.milliseconds)"])
    }

    // MARK: - Sessions

    func connects() { logger.debug("connecting") }

    func connected(_ tlsVersion: String?) {
        logger.debug("connected", metadata: tlsVersion.map { ["tls": "\($0)"] } ?? [:])
    }

    func refused(_ error: TransportError) {
        logger.warning(
            "the remote refused the handshake; it is tried once more with renewed credentials",
            metadata: ["code": ReplicatorError.Code(error.code).inLog])
    }

    func toleratesRefusal(for rest: Duration) {
        logger.warning(
            "the remote refused credentials that it had accepted; they are sent again for at most two minutes",
            metadata: ["rest_ms": "\(rest.milliseconds)"])
    }

    func sessionEnded(_ status: SessionStatus) {
        logger.debug("session ended", metadata: Self.counts(status.documentCount, status.completedByteCount))
        guard status.outcomes.unrequested > 0 else { return }
        logger.warning(
            "the remote sent revisions that were not requested; they were refused",
            metadata: ["count": "\(status.outcomes.unrequested)"])
    }

    func lostCheckpoints(_ indices: Set<Int>) {
        let names = indices.sorted().filter(collections.indices.contains).map { collections[$0] }
        logger.warning(
            "the remote has lost its checkpoints; all documents are compared again",
            metadata: ["collections": .array(names.map { "\($0)" })])
    }

    func replacedFile() {
        logger.warning(
            "the database's file was replaced by an older copy of itself; edits since are compared with what it has lost"
        )
    }

    /// Logs the documents that couldn't be replicated: the number for each error, and at level `debug` their ids.
    /// Events without an error are ignored.
    func documents(_ events: [(event: DocumentEvent, error: ReplicatorError?)]) {
        var counts: [Fault: Int] = [:]
        for (event, error) in events {
            guard let error, collections.indices.contains(event.collection) else { continue }
            let fault = Fault(collection: event.collection, isPush: event.isPush, code: error.code)
            counts[fault, default: 0] += 1
            logger.debug("document not replicated", metadata: metadata(fault, ["document": "\(event.documentID)"]))
        }
        for (fault, count) in counts {
            logger.warning("documents not replicated", metadata: metadata(fault, ["count": "\(count)"]))
        }
    }

    /// Logs that a delta was refused by one side, so that the whole document follows.
    func deltaRefused(_ event: DocumentEvent) {
        guard let reason = event.deltaRefusal, collections.indices.contains(event.collection) else { return }
        logger.info(
            "a delta was refused, the whole document follows",
            metadata: [
                "collection": "\(collections[event.collection])", "direction": event.isPush ? "push" : "pull",
                "reason": "\(reason)",
            ])
    }

    private struct Fault: Hashable {
        let collection: Int
        let isPush: Bool
        let code: ReplicatorError.Code
    }

    private func metadata(_ fault: Fault, _ more: Logger.Metadata) -> Logger.Metadata {
        let shared: Logger.Metadata = [
            "collection": "\(collections[fault.collection])", "direction": fault.isPush ? "push" : "pull",
            "code": fault.code.inLog,
        ]
        return shared.merging(more) { $1 }
    }

    private static func counts(_ documents: UInt64, _ bytes: UInt64) -> Logger.Metadata {
        ["documents": "\(documents)", "bytes": "\(bytes)"]
    }
}
