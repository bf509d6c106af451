internal import SealiteCredentials
internal import SealiteTransport

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
