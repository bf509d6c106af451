internal import NIOCore
internal import NIOHTTP1
package import SealiteCrypto
package import SealiteEndpoints
internal import SealiteJSON

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

extension HTTPAnswer {
    /// Creates the response from a decoded head and the body.
    ///
    /// - Parameters:
    ///   - head: the head, from which the values of cookies have been taken.
    ///   - cookies: the values of `Set-Cookie`.
    ///   - body: the part of the body that was received.
    init(_ head: HTTPResponseHead, cookies: [SharedSecret], body: [UInt8]) {
        let headers = head.headers.filter { $0.name.lowercased() != "set-cookie" }
        self.init(
            status: Int(head.status.code), headers: headers.map { HTTPField($0.name, $0.value) }, cookies: cookies,
            message: printable(Self.message(in: body, type: head.headers["Content-Type"].first ?? "")))
    }

    /// Returns the text of an error: the `reason` in Sync Gateway's JSON, plain text, or the text of an HTML page
    /// without its tags; empty for any other content.
    private static func message(in body: [UInt8], type: String) -> String {
        if type.lowercased().hasPrefix("application/json") {
            var reason = ""
            var reader = JSONMemberReader<JSONError>(body)
            // If the JSON is invalid or truncated after the `reason`, the reason is shown nevertheless.
            try? reader.object { (name, reader) throws(JSONError) in
                guard name == "reason", try reader.peek() == .string else {
                    _ = try reader.rawValue()
                    return
                }
                reason = try reader.string()
            }
            return reason
        }
        let text = String(decoding: body, as: UTF8.self)
        guard type.lowercased().hasPrefix("text/html") else {
            return type.lowercased().hasPrefix("text/") ? trimmed(text) : ""
        }
        var words = ""
        var isTag = false
        for character in text {
            if character == "<" { isTag = true }
            if !isTag { words.append(character.isWhitespace ? " " : character) }
            if character == ">" {
                isTag = false
                words.append(" ")
            }
        }
        return words.split(separator: " ").joined(separator: " ")
    }

    private static func trimmed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
