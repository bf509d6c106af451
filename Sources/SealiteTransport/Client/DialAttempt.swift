internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket
internal import SealiteBase
internal import SealiteEndpoints
internal import Synchronization

/// One attempt to connect to a target: opens a connection, sends the WebSocket upgrade or another HTTP request, and
/// waits for the response.
struct DialAttempt: Sendable {
    /// The outcomes of an attempt that didn't fail: an upgraded connection, or a response that upgraded nothing.
    enum Outcome: Sendable {
        case connected(WebSocketConnection)
        case answered(HTTPAnswer)
    }

    private let request: UpgradeRequest
    private let target: DialTarget
    private let deadline: NIODeadline
    private let call: HTTPCall?
    private let record = HandshakeRecord()

    /// Creates an attempt; nothing is sent before `run()`.
    ///
    /// - Parameters:
    ///   - request: credentials, trust, proxy and limits.
    ///   - target: the destination.
    ///   - deadline: the time at which the attempt fails.
    ///   - call: the request to send instead of an upgrade; nil upgrades.
    init(_ request: UpgradeRequest, to target: DialTarget, deadline: NIODeadline, call: HTTPCall? = nil) {
        self.request = request
        self.target = target
        self.deadline = deadline
        self.call = call
    }

    /// The certificates that the server presented, leaf first, as X.509 DER; empty without TLS and before the
    /// handshake.
    var serverCertificates: [[UInt8]] { record.certificates }

    /// Connects, sends the request and returns the upgraded connection or the server's response. Cancelling the task
    /// ends the attempt.
    func run() async throws(TransportError) -> Outcome {
        try checkExposure()
        let message =
            if let call {
                try ClientRequest(call, with: request, to: target)
            } else {
                try ClientRequest(upgrading: request, to: target)
            }
        let tls = target.isEncrypted ? try NIOSSLContext.client(identity: request.credentials.identity) : nil
        let outcome = ResultPromise<Outcome>()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let timeout = loop.scheduleTask(deadline: deadline) {
            let limit = TimeAmount(request.handshakeTimeout).nanoseconds / 1_000_000
            outcome.give(
                .failure(
                    TransportError(
                        .timedOut,
                        "\(target.place) didn't accept the connection and answer the request in time: "
                            + "all steps together, redirects included, may take \(limit) ms")))
        }
        defer { timeout.cancel() }
        let work = DialWork()
        try start(work, on: loop, sending: message, tls: tls).whenComplete { result in
            outcome.give(result.mapError { explained($0) })
        }
        defer { work.closeUnlessOpen() }
        do throws(TransportError) {
            let result = await withTaskCancellationHandler {
                await outcome.result()
            } onCancel: {
                outcome.give(.failure(TransportError(.cancelled, "connecting to \(target.place) was cancelled")))
            }
            let value = try result.get()
            if case .connected = value { work.keep() }
            return value
        } catch {
            var error = error
            if error.serverCertificates.isEmpty { error.serverCertificates = record.certificates }
            throw error
        }
    }

    /// A Boolean value that indicates whether the request would send a secret unencrypted although its caller doesn't
    /// allow that.
    private var revealsSecret: Bool {
        (request.hasSecrets || call?.body != nil) && !target.isEncrypted && !request.allowsUnencryptedCredentials
    }

    /// Throws `unencryptedCredential` if a secret would be sent unencrypted without permission, except within this
    /// machine.
    private func checkExposure() throws(TransportError) {
        guard revealsSecret else { return }
        guard target.isLoopback, request.proxy == nil else {
            throw TransportError(
                .unencryptedCredential,
                "a credential would be sent unencrypted to \(target.place)"
                    + (request.proxy == nil ? "" : " through a proxy")
                    + ": use TLS (wss or https), or allow unencrypted credentials in the configuration")
        }
    }

    /// Returns the error to report: the reason for which the server's certificate was refused, if it was, rather than
    /// the failure of TLS that followed.
    private func explained(_ error: any Error) -> TransportError {
        if let fault = record.fault { return fault }
        let read = TransportError(error, place: target.place)
        // With TLS 1.3 the server rejects this side's certificate after the handshake, possibly without an alert.
        // Servers differ in the alert; whether a client certificate was sent is known to this side.
        switch (read.code, request.credentials.identity == nil) {
        case (.clientCertificateRejected, true):
            return TransportError(
                .clientCertificateRequired, "\(target.place) wants a client certificate, and none was given")
        case (.clientCertificateRequired, false):
            return TransportError(.clientCertificateRejected, "\(target.place) refuses the client certificate")
        default: return read
        }
    }

    private func start(
        _ work: DialWork, on loop: any EventLoop, sending message: ClientRequest, tls: NIOSSLContext?
    ) throws(TransportError) -> EventLoopFuture<Outcome> {
        let host = request.proxy?.host ?? target.host
        let port = request.proxy?.port ?? target.port
        var bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(max(.milliseconds(1), deadline - .now()))
            .channelOption(.autoRead, value: false)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        if let name = request.networkInterface {
            bootstrap = bootstrap.bind(to: try NetworkInterface.address(named: name, toReach: host))
        }
        return bootstrap.connect(host: host, port: port).flatMap { channel in
            work.opened(channel)
            return open(channel, sending: message, tls: tls)
        }
    }

    /// Opens the proxy's tunnel if there is a proxy, starts TLS if the target uses it, and sends the request. Runs on
    /// the channel's event loop.
    private func open(
        _ channel: any Channel, sending message: ClientRequest, tls: NIOSSLContext?
    ) -> EventLoopFuture<Outcome> {
        // A name such as localhost isn't sufficient: it must also have been resolved to a loopback address.
        if revealsSecret, !(channel.remoteAddress?.ipAddress.map(EndpointURL.isLoopback) ?? false) {
            return channel.eventLoop.makeFailedFuture(
                TransportError(
                    .unencryptedCredential,
                    "a credential would be sent unencrypted: the name in \(target.place) has an address of another "
                        + "machine; use TLS (wss or https), or allow unencrypted credentials in the configuration"))
        }
        let tunnel = request.proxy.map { connectThrough($0, channel) } ?? channel.eventLoop.makeSucceededVoidFuture()
        return tunnel.flatMapThrowing {
            if let tls { try secure(channel, with: tls) }
        }.flatMap { call == nil ? upgrade(channel, message) : send(message, on: channel) }
    }

    private func secure(_ channel: any Channel, with context: NIOSSLContext) throws {
        let record = record
        let trust = request.trust
        let host = target.host
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        let handler = try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host) {
            certificates, promise in
            let chain = certificates.compactMap { try? $0.toDERBytes() }
            record.certificates = chain
            // Off the event loop: the check reads the system's roots from disk.
            Task {
                do throws(TransportError) {
                    try trust.check(chain, host: host)
                    promise.succeed(.certificateVerified)
                } catch {
                    record.fault = error
                    promise.succeed(.failed)
                }
            }
        }
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    // MARK: - HTTP

    private func connectThrough(_ proxy: HTTPProxy, _ channel: any Channel) -> EventLoopFuture<Void> {
        let tunnel: ClientRequest
        do throws(TransportError) {
            tunnel = try ClientRequest(through: proxy, with: request, to: target)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return ask(tunnel, on: channel, place: proxy.place) { head, _ in
            guard (200..<300).contains(head.status.code) else {
                let status = Int(head.status.code)
                throw TransportError(
                    .proxyRefused(status),
                    "\(proxy.place) answered the request for a tunnel to \(target.place) with HTTP \(status)")
            }
        }
    }

    private func upgrade(_ channel: any Channel, _ upgrade: ClientRequest) -> EventLoopFuture<Outcome> {
        ask(upgrade, on: channel, place: target.place) { head, answer in
            guard head.status == .switchingProtocols else {
                channel.close(promise: nil)
                return .answered(answer)
            }
            do {
                let chosen = try upgrade.check(head, offered: request.subprotocols, place: target.place)
                return .connected(try takeOver(channel, answer: answer, subprotocol: chosen))
            } catch {
                channel.close(promise: nil)
                throw error
            }
        }
    }

    private func send(_ call: ClientRequest, on channel: any Channel) -> EventLoopFuture<Outcome> {
        ask(call, on: channel, place: target.place, reading: .whole(byteLimit: HTTPCall.bodyByteLimit)) { _, answer in
            channel.close(promise: nil)
            return .answered(answer)
        }
    }

    /// Sends a request and calls `body` with the response once the HTTP handlers were removed from the pipeline.
    private func ask<Value: Sendable>(
        _ message: ClientRequest, on channel: any Channel, place: String,
        reading extent: AnswerHandler.Extent = .beginning,
        _ body: @escaping @Sendable (HTTPResponseHead, HTTPAnswer) throws -> Value
    ) -> EventLoopFuture<Value> {
        let promise = channel.eventLoop.makePromise(of: (head: HTTPResponseHead, body: [UInt8]).self)
        let http = ClientHTTPHandlers(ClientRequest.Encoder(message), limits: request.limits)
        let handler = AnswerHandler(message.head, reading: extent, place: place, promise: promise)
        let bound = NIOLoopBound((http, handler), eventLoop: channel.eventLoop)
        do {
            try http.add(to: channel.pipeline.syncOperations, with: handler)
        } catch {
            promise.fail(error)
        }
        // Until the first request the channel doesn't read.
        channel.setOption(.autoRead, value: true).whenComplete { _ in }
        return promise.futureResult.flatMap { answer in
            let (http, handler) = bound.value
            let whole = HTTPAnswer(answer.head, cookies: http.cookies, body: answer.body)
            let pipeline = channel.pipeline.syncOperations
            // Bytes that directly follow the response are held back until their handlers are installed: nothing may be
            // written before the decoder was removed.
            let holder = NIOLoopBound(ReadHolder(), eventLoop: channel.eventLoop)
            do {
                try pipeline.addHandler(holder.value)
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
            return http.remove(from: pipeline, with: handler).flatMapThrowing {
                defer { channel.pipeline.syncOperations.removeHandler(holder.value, promise: nil) }
                return try body(answer.head, whole)
            }
        }
    }

    private func takeOver(_ channel: any Channel, answer: HTTPAnswer, subprotocol: String) throws -> WebSocketConnection
    {
        guard channel.isActive else {
            throw TransportError(
                .lost, "\(target.place) closed the connection right after it had accepted the WebSocket upgrade")
        }
        let pipeline = channel.pipeline.syncOperations
        let handler = WebSocketHandler(
            isClient: true, limits: request.limits, heartbeat: request.heartbeat, place: target.place)
        var info = ConnectionInfo(
            subprotocol: subprotocol, answer: answer, peerCertificates: record.certificates,
            peerAddress: channel.remoteAddress.map(NetworkInterface.text) ?? "")
        if let tls = try? pipeline.handler(type: NIOSSLClientHandler.self) {
            info.tlsVersion = tls.tlsVersion.map(NetworkInterface.text)
        }
        try pipeline.addWebSocket(handler, limits: request.limits)
        return WebSocketConnection(channel: channel, handler: handler, info: info)
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// Adds the handlers of a WebSocket connection.
    func addWebSocket(_ handler: WebSocketHandler, limits: ConnectionLimits) throws {
        try addHandlers([
            ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: limits.messageByteCount)),
            WebSocketFrameEncoder(),
        ])
        try addHandler(handler)
    }
}

/// The channel of an unfinished attempt to connect, which is closed unless the attempt becomes a connection.
/// Thread-safe.
final class DialWork: Sendable {
    private struct State {
        var channel: (any Channel)?
        var isKept = false
        var isOver = false
    }
    private let state = Mutex(State())

    /// Records the channel; closes it if the attempt is over.
    func opened(_ channel: any Channel) {
        let isLate = state.withLock { state in
            state.channel = channel
            return state.isOver
        }
        if isLate { channel.close(promise: nil) }
    }

    /// Leaves the channel to the connection that the attempt became.
    func keep() { state.withLock { $0.isKept = true } }

    /// Ends the attempt and closes the channel unless it was kept.
    func closeUnlessOpen() {
        let channel = state.withLock { state in
            state.isOver = true
            return state.isKept ? nil : state.channel
        }
        channel?.close(promise: nil)
    }
}

/// A result that tasks wait for. Several callers may set it; only the first call has an effect. Thread-safe.
final class ResultPromise<Value: Sendable>: Sendable {
    private let state = WaitableState<Result<Value, TransportError>?>(nil)

    /// Sets the result; returns false if there is one already.
    @discardableResult
    func give(_ result: Result<Value, TransportError>) -> Bool {
        state.change { state in
            guard state == nil else { return false }
            state = result
            return true
        }
    }

    /// Waits for the result. Cancelling the task doesn't end the wait; to end it, the caller's cancellation handler
    /// calls `give(_:)`.
    func result() async -> Result<Value, TransportError> {
        while true {
            if let result = state.withLock({ $0 }) { return result }
            await state.waitThroughCancellation { $0 != nil }
        }
    }

    /// Waits for the result and returns its value.
    func value() async throws(TransportError) -> Value { try await result().get() }
}
