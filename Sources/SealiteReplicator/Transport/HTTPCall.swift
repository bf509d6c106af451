internal import NIOCore
internal import NIOHTTP1
public import SealiteAuthentication
internal import SealiteCredentials
internal import SealiteCrypto

/// A request that isn't an upgrade, on a connection of its own.
struct HTTPCall: Sendable {
    let method: HTTPMethod
    /// JSON; nil for none.
    let body: SharedSecret?

    /// The head, with the general ones of an upgrade's headers.
    func head(path: String, _ headers: UpgradeHeaders) -> HTTPRequestHead {
        var fields = headers.general
        fields.add(name: "Connection", value: "close")
        fields.add(name: "Accept", value: "application/json")
        if let body {
            fields.add(name: "Content-Type", value: "application/json")
            fields.add(name: "Content-Length", value: String(body.byteCount))
        }
        return HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: fields)
    }
}

extension SessionClient {
    /// A client for servers that are known as a replicator knows them: by a pin, as self-signed, through a proxy. Give it to the
    /// `SessionAuthenticator` of a replicator with the same trust, so that sessions are renewed at the same server.
    ///
    /// - Parameters:
    ///   - trust: whom to take for the server.
    ///   - proxy: a proxy to go through; nil goes straight.
    ///   - timeLimit: time for one call, from the name look-up to the end of the answer.
    ///   - allowsUnencrypted: whether a password or session may go unencrypted to another machine.
    public init(
        trust: ServerTrust, proxy: HTTPProxy? = nil, timeLimit: Duration = .seconds(30), allowsUnencrypted: Bool = false
    ) {
        self.init(
            over: DialedSessionTransport(trust: trust, proxy: proxy), timeLimit: timeLimit,
            allowsUnencrypted: allowsUnencrypted)
    }
}

/// Sends the calls of a `SessionClient` as a dialer would open a connection.
struct DialedSessionTransport: SessionTransport {
    let trust: ServerTrust
    let proxy: HTTPProxy?

    func send(_ call: SessionCall) async throws(AuthenticationError) -> SessionAnswer {
        do throws(TransportError) {
            return try await answer(to: call)
        } catch {
            throw AuthenticationError(error, endpoint: call.endpoint)
        }
    }

    private func answer(to call: SessionCall) async throws(TransportError) -> SessionAnswer {
        let text = call.endpoint.canonical
        // `https` becomes `wss`, `http` becomes `ws`.
        let endpoint = try EndpointURL((text.hasPrefix("https") ? "wss" : "ws") + text.drop { $0 != ":" })
        var request = UpgradeRequest(to: endpoint)
        request.trust = trust
        request.proxy = proxy
        request.allowsUnencryptedCredentials = call.allowsUnencrypted
        if let cookie = call.cookie?.take() { request.credentials.cookies = [SharedSecret(cookie)] }
        var target = DialTarget(endpoint)
        target.path = endpoint.path + "/_session"
        var body: SharedSecret?
        if let secret = call.body?.take() { body = SharedSecret(secret) }
        let attempt = DialAttempt(
            request, to: target, deadline: .now() + TimeAmount(call.timeLimit),
            call: HTTPCall(method: HTTPMethod(rawValue: call.method.rawValue), body: body))
        guard case .answered(let answer) = try await attempt.run() else {
            throw TransportError(.protocolViolation, "\(target.place) upgraded a connection that it was not asked to")
        }
        return SessionAnswer(status: answer.status, cookies: answer.cookies.map { SecretBox($0.duplicate()) })
    }
}

extension AuthenticationError {
    /// Why a call didn't come about.
    init(_ error: TransportError, endpoint: CredentialService) {
        switch error.code {
        case .cancelled: self.init(.cancelled, "the login was cancelled")
        case .unencryptedCredential: self.init(.unencrypted, error.reason)
        case .certificateExpired, .certificateNotYetValid, .unknownIssuer, .wrongHost, .pinMismatch, .notSelfSigned,
            .certificateUntrusted, .tlsFailed, .clientCertificateRequired, .clientCertificateRejected:
            self.init(.untrusted, error.reason, hint: "check the certificate, or pin it")
        case .protocolViolation, .invalidURL, .invalidHeader: self.init(.badAnswer, error.reason)
        case .proxyRefused: self.init(.unreachable, error.reason, hint: "check the proxy")
        default:
            self.init(
                .unreachable, "\(endpoint) can't be reached: \(error.reason)",
                hint: "check the address and the network, and try again")
        }
    }
}
