internal import NIOCore
package import SealiteEndpoints

/// The input of a handshake: the endpoint, the credentials, the trust. Callers make one for each attempt.
package struct UpgradeRequest: Sendable {
    /// The database to connect to.
    package var endpoint: EndpointURL
    /// The subprotocols offered, the preferred first.
    package var subprotocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]
    /// The value of `User-Agent`.
    package var userAgent = "Sealite"
    /// Further headers. An `Authorization` among them replaces that of the credentials; a `Cookie` is joined with
    /// theirs.
    package var headers: [HTTPField] = []
    /// The credentials of this client.
    package var credentials = HandshakeSecrets()
    /// The rule by which the server's certificate is accepted.
    package var trust = ServerTrust.system()
    /// A proxy to go through; nil connects directly.
    package var proxy: HTTPProxy?
    /// The name or an address of the local interface to use; nil lets the system choose.
    package var networkInterface: String?
    /// The time limit of the handshake, from the name look-up to the response, including redirects.
    package var handshakeTimeout: Duration = .seconds(60)
    /// The time after which an idle peer is sent a ping; the connection is lost if the peer doesn't respond within the
    /// same time again.
    package var heartbeat: Duration = .seconds(300)
    /// The limits on the memory that the peer makes this side use.
    package var limits = ConnectionLimits()
    /// A Boolean value that indicates whether credentials may be sent unencrypted to another machine.
    package var allowsUnencryptedCredentials = false

    /// Creates a request with the defaults.
    package init(to endpoint: EndpointURL) { self.endpoint = endpoint }

    /// A Boolean value that indicates whether the request holds a credential that an unencrypted connection would
    /// reveal.
    var hasSecrets: Bool { credentials.hasHeaders || headers.contains(where: \.isSecret) }
}

/// Opens the connection of a request: by `UpgradeRequest.connection()`, or in tests one end of a `MessagePipe`.
/// Cancelling the task ends the attempt.
package typealias Dial = @Sendable (UpgradeRequest) async throws(TransportError) -> any MessageConnection

extension UpgradeRequest {
    /// Opens a connection on a socket and upgrades it to WebSocket: name look-up, proxy, TLS, upgrade, redirects.
    /// Cancelling the task ends the attempt.
    ///
    /// Redirects (301, 302, 303, 307, 308) are followed. Unless they lead to the same host and port, or to the same
    /// host with TLS added, they lose the credentials, the client identity and the further headers.
    ///
    /// - Throws: a `TransportError`; its `answer` is the server's response, and its `serverCertificates` are the
    ///   certificates that the server presented.
    package func connection() async throws(TransportError) -> any MessageConnection {
        let deadline = NIODeadline.now() + TimeAmount(handshakeTimeout)
        var request = self
        var target = DialTarget(endpoint)
        var redirectCount = 0
        while true {
            if Task.isCancelled { throw TransportError(.cancelled, "connecting to \(target.place) was cancelled") }
            let attempt = DialAttempt(request, to: target, deadline: deadline)
            let answer: HTTPAnswer
            switch try await attempt.run() {
            case .connected(let connection): return connection
            case .answered(let given): answer = given
            }
            do throws(TransportError) {
                let next = try redirected(from: target, by: answer, after: redirectCount)
                if !target.sharesCredentials(with: next) {
                    request.credentials = HandshakeSecrets()
                    request.headers = []
                }
                target = next
                redirectCount += 1
            } catch {
                var error = error
                error.answer = answer
                error.serverCertificates = attempt.serverCertificates
                throw error
            }
        }
    }

    /// Returns the target to which a response redirects; throws for any other response, and for a redirect that isn't
    /// followed. `count` is the number of redirects that were followed before.
    private func redirected(
        from target: DialTarget, by answer: HTTPAnswer, after count: Int
    ) throws(TransportError) -> DialTarget {
        guard [301, 302, 303, 307, 308].contains(answer.status) else { throw Self.refusal(answer, by: target) }
        guard let location = answer["Location"] else {
            throw TransportError(
                .invalidRedirect, "\(target.place) redirects (HTTP \(answer.status)) without the header Location")
        }
        let next = try target.redirected(to: location)
        guard count < limits.redirectCount else {
            throw TransportError(
                .tooManyRedirects,
                "\(next.place) redirects again after \(limits.redirectCount) redirects, the most that are followed")
        }
        return next
    }

    /// Returns the error for a response that is neither an upgrade nor a redirect.
    private static func refusal(_ answer: HTTPAnswer, by target: DialTarget) -> TransportError {
        let words = answer.message.isEmpty ? "" : ": \(answer.message)"
        return switch answer.status {
        case 200..<300:
            TransportError(
                .protocolViolation,
                "\(target.place) answered with HTTP \(answer.status) instead of upgrading the connection to "
                    + "WebSocket: the URL may not be that of a database to sync with")
        // nginx finishes TLS without an acceptable certificate, and reports the failure over HTTP with this text.
        case 400 where answer.message.contains("No required SSL certificate"):
            TransportError(
                .clientCertificateRequired, "\(target.place) wants a client certificate, and none was given")
        case 400 where answer.message.contains("The SSL certificate error"):
            TransportError(.clientCertificateRejected, "\(target.place) refuses the client certificate")
        default:
            TransportError(.http(answer.status), "\(target.place) refused with HTTP \(answer.status)\(words)")
        }
    }
}
