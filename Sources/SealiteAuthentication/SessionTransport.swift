public import SealiteCredentials
public import SealiteCrypto
internal import SealiteTransport

/// Transmits the calls of a ``SessionClient``. A custom transport allows servers whose certificate isn't issued by a
/// trusted issuer. Safe from any task.
public protocol SessionTransport: Sendable {
    /// Sends a call on a separate connection and reads the response. It follows no redirects.
    ///
    /// - Throws: `untrusted`, `unreachable`, `unknownHost`, `badAnswer`, `unencrypted`, `unusable`, `cancelled`. A
    ///   status that reports an error is returned, not thrown.
    func send(_ call: SessionCall) async throws(AuthenticationError) -> HTTPAnswer
}

/// A request that logs in to a database on a server or out of it, sent to `/{database}/_session`. Descriptions don't
/// contain its secrets.
public struct SessionCall: Sendable {
    /// The operation of a call, as an HTTP method.
    public enum Method: String, Sendable {
        /// Requests a session.
        case logIn = "POST"
        /// Ends a session.
        case logOut = "DELETE"
    }

    /// The HTTP method of the call.
    public let method: Method
    /// The database on the server, as `https://host/database`.
    public let endpoint: CredentialService
    /// The body, `application/json`, with the name and the password; nil sends none.
    public let body: SharedSecret?
    /// A `name=value` pair for the `Cookie` header; nil sends none.
    public let cookie: SharedSecret?
    /// The time limit of the call, from the name lookup to the end of the response.
    public let timeLimit: Duration
    /// A Boolean value that indicates whether the call may be sent unencrypted to another machine.
    public let allowsUnencrypted: Bool
}

extension SessionCall: CustomStringConvertible, CustomReflectable {
    /// A text with the method and the endpoint.
    public var description: String { "\(method.rawValue) \(endpoint)/_session" }
    /// An empty mirror, so that `dump` and the debugger show no secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The transport of a `SessionClient` that connects as a replicator does. It writes a request into one buffer, which is
/// wiped, and removes cookies from a response before the response is decoded.
struct DialedSessionTransport: SessionTransport {
    let trust: ServerTrust
    let proxy: HTTPProxy?

    func send(_ call: SessionCall) async throws(AuthenticationError) -> HTTPAnswer {
        do throws(TransportError) {
            return try await request(call).answer()
        } catch {
            throw AuthenticationError(error, endpoint: call.endpoint)
        }
    }

    private func request(_ call: SessionCall) throws(TransportError) -> HTTPCall {
        var request = HTTPCall(
            call.method == .logIn ? .post : .delete, "_session", of: try EndpointURL(call.endpoint))
        request.body = call.body
        request.cookies = call.cookie.map { [$0] } ?? []
        request.trust = trust
        request.proxy = proxy
        request.timeLimit = call.timeLimit
        request.allowsUnencryptedCredentials = call.allowsUnencrypted
        return request
    }
}

extension AuthenticationError {
    /// Creates the error of a login or logout for which the transport got no valid answer.
    init(_ error: TransportError, endpoint: CredentialService) {
        switch error.code {
        case .cancelled: self.init(.cancelled, "the request to log in to \(endpoint) or out of it was cancelled")
        case .unencryptedCredential: self.init(.unencrypted, error.reason)
        case .certificateExpired, .certificateNotYetValid, .unknownIssuer, .wrongHost, .pinMismatch, .notSelfSigned,
            .certificateUntrusted:
            self.init(
                .untrusted, error.reason,
                hint: "check the certificate; trust its issuer's certificate, or pin the server's")
        case .badIdentity: self.init(.unusable, error.reason)
        case .tlsFailed: self.init(.badAnswer, error.reason, hint: "check the address, and whether the port serves TLS")
        case .clientCertificateRequired, .clientCertificateRejected:
            self.init(.badAnswer, error.reason, hint: "a login presents no client certificate")
        case .protocolViolation, .invalidURL, .invalidHeader: self.init(.badAnswer, error.reason)
        case .proxyRefused: self.init(.unreachable, error.reason, hint: "check the proxy")
        default:
            self.init(
                error.code == .unknownHost ? .unknownHost : .unreachable,
                "\(endpoint) can't be reached: \(error.reason)",
                hint: "check the address and the network, and try again")
        }
    }
}
