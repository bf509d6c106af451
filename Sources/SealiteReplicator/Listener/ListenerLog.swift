internal import Logging
internal import SealiteDatabase
internal import SealiteFile
internal import SealiteProtocol
internal import SealiteTransport

/// Writes a listener's log. Lines identify peers by address, never by user. They contain no secrets and no content of
/// documents.
struct ListenerLog: Sendable {
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    func began(_ configuration: ListenerConfiguration, port: Int) {
        logger.info(
            "listening",
            metadata: [
                "interface": "\(configuration.networkInterface ?? "all")", "port": "\(port)",
                "tls": "\(configuration.isEncrypted)", "read_only": "\(configuration.readOnly)",
                "collections": .array(configuration.collections.map { "\($0.fullName)" }),
            ])
    }

    func ended() { logger.info("no longer listening") }

    func failed(_ error: ReplicatorError) { logger.error("listening failed", metadata: ["code": error.code.inLog]) }

    // MARK: - Peers

    func refused(_ refusal: HandshakeRefusal) {
        let code: Logger.MetadataValue =
            switch refusal.cause {
            case .request(let status): "http(\(status))"
            case .tls: "tls"
            }
        logger.warning("refused a peer", metadata: ["peer": "\(refusal.peerAddress)", "code": code])
    }

    func connected(_ peer: String) { logger.info("peer connected", metadata: ["peer": "\(peer)"]) }

    /// Logs that a peer refused documents that it pulled. Couchbase Lite, which refuses documents nested deeper than
    /// 100 levels for example, doesn't request such a document again.
    func peerRefused(_ count: UInt64, _ peer: String) {
        logger.warning("peer refused documents", metadata: ["peer": "\(peer)", "count": "\(count)"])
    }

    /// Logs that a delta was refused by this side or the peer, so that the whole document follows.
    func deltaRefused(_ reason: String, isSent: Bool, _ peer: String) {
        logger.info(
            "a delta was refused, the whole document follows",
            metadata: [
                "peer": "\(peer)", "direction": isSent ? "to the peer" : "from the peer", "reason": "\(reason)",
            ])
    }

    /// Logs that a request of a peer failed in the database. The reason isn't logged, since it may name files.
    func databaseFailed(_ failure: StoreFailure, _ peer: String) {
        logger.warning(
            "a request of a peer failed in the database", metadata: ["peer": "\(peer)", "code": "\(failure.kind)"])
    }

    func disconnected(
        _ peer: String, _ end: SessionEnd, requestCount: UInt64, deltas: DeltaCounts = DeltaCounts(),
        after duration: Duration
    ) {
        var metadata: Logger.Metadata = [
            "peer": "\(peer)", "requests": "\(requestCount)", "duration_ms": "\(duration.milliseconds)",
        ]
        let deltaCount = deltas.sent + deltas.received
        if deltaCount > 0 { metadata["deltas"] = "\(deltaCount)" }
        let error: ReplicatorError? =
            switch end {
            case .closed(let error): error.map { ReplicatorError($0) }
            case .disconnected(let error):
                error.code == .closedByPeer(1_000) ? nil : ReplicatorError(error, isContinuous: false)
            }
        guard let error else { return logger.info("peer disconnected", metadata: metadata) }
        metadata["code"] = error.code.inLog
        logger.warning("peer disconnected", metadata: metadata)
    }
}
