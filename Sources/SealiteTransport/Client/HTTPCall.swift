internal import NIOCore
package import SealiteCredentials
package import SealiteCrypto

/// An HTTP request to a resource of a database that isn't an upgrade, such as a login. It has a connection of its own,
/// and redirects aren't followed, so no credential is sent to another server.
package struct HTTPCall: Sendable {
    /// The methods of HTTP that calls use.
    package enum Method: String, Sendable {
        case post = "POST"
        case delete = "DELETE"
    }

    /// The HTTP method of the call.
    package var method: Method
    /// The database on the server.
    package var endpoint: EndpointURL
    /// The last component of the path, after the database's name.
    package var resource: String
    /// The body, JSON; nil sends none.
    package var body: SharedSecret?
    /// `name=value` pairs of the `Cookie` header.
    package var cookies: [SharedSecret] = []
    /// The rule by which the server's certificate is accepted.
    package var trust = ServerTrust.system()
    /// A proxy to go through; nil connects directly.
    package var proxy: HTTPProxy?
    /// The time limit from the name look-up to the end of the response; at most a day.
    package var timeLimit: Duration = .seconds(30)
    /// A Boolean value that indicates whether body and cookies may be sent unencrypted to another machine.
    package var allowsUnencryptedCredentials = false

    /// The maximum size of the body of a successful response, in bytes.
    package static let bodyByteLimit = 64 << 10
    private static let longestTimeLimit = Duration.seconds(86_400)

    /// Creates a call without a body.
    package init(_ method: Method, _ resource: String, of endpoint: EndpointURL) {
        self.method = method
        self.resource = resource
        self.endpoint = endpoint
    }

    /// Sends the request and reads the response: completely if it is successful, otherwise the beginning. Cancelling
    /// the task ends the call.
    ///
    /// - Returns: the response, whatever its status is.
    /// - Throws: an error of the connection; `protocolViolation` for a response that is too long or upgrades the
    ///   connection.
    package func answer() async throws(TransportError) -> HTTPAnswer {
        var request = UpgradeRequest(to: endpoint)
        request.trust = trust
        request.proxy = proxy
        request.allowsUnencryptedCredentials = allowsUnencryptedCredentials
        request.credentials.cookies = cookies
        let target = DialTarget(endpoint, resource: resource)
        let limit = min(max(timeLimit, .zero), Self.longestTimeLimit)
        request.handshakeTimeout = limit
        let attempt = DialAttempt(request, to: target, deadline: .now() + TimeAmount(limit), call: self)
        guard case .answered(let answer) = try await attempt.run(), answer.status != 101 else {
            throw TransportError(
                .protocolViolation,
                "\(target.place) answered a request that asks for no upgrade with HTTP 101 (upgrade)")
        }
        return answer
    }
}
