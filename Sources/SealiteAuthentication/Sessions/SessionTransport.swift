public import SealiteCredentials
public import SealiteCrypto

/// Carries the calls of a ``SessionClient``, for servers that are known otherwise than by an issuer. Safe from any task.
public protocol SessionTransport: Sendable {
    /// Sends a call on a connection of its own and reads the answer. It follows no redirects.
    ///
    /// - Throws: `untrusted`, `unreachable`, `badAnswer`, `unencrypted`, `cancelled`.
    func send(_ call: SessionCall) async throws(AuthenticationError) -> HTTPAnswer
}

/// A request to `/{database}/_session`. No description has its secrets.
public struct SessionCall: Sendable {
    /// The work of a call, as the method of HTTP.
    public enum Method: String, Sendable {
        /// Asks for a session.
        case logIn = "POST"
        /// Ends one.
        case logOut = "DELETE"
    }

    /// The method.
    public let method: Method
    /// The database on the server, as `https://host/database`.
    public let endpoint: CredentialService
    /// The body, `application/json`, with name and password; nil sends none.
    public let body: SharedSecret?
    /// One `name=value` of the `Cookie` header; nil sends none.
    public let cookie: SharedSecret?
    /// Time for the call, from the name look-up to the end of the answer.
    public let timeLimit: Duration
    /// A Boolean value that indicates whether it may go unencrypted to another machine.
    public let allowsUnencrypted: Bool
}

extension SessionCall: CustomStringConvertible, CustomReflectable {
    /// Method and endpoint.
    public var description: String { "\(method.rawValue) \(endpoint)/_session" }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
