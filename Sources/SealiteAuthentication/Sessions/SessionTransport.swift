public import SealiteCredentials
public import SealiteCrypto

/// Carries the calls of a ``SessionClient`` where it isn't to do that itself: for servers that are known otherwise than by an
/// issuer. Safe from any task.
public protocol SessionTransport: Sendable {
    /// Sends a call on a connection of its own and reads the answer. It follows no redirects.
    ///
    /// - Throws: `untrusted`, `unreachable`, `badAnswer`, `unencrypted`, `cancelled`.
    func send(_ call: SessionCall) async throws(AuthenticationError) -> SessionAnswer
}

/// A request to `/{database}/_session`. No description has its secrets.
public struct SessionCall: Sendable {
    /// What the call does, as the method of HTTP.
    public enum Method: String, Sendable {
        /// Asks for a session.
        case logIn = "POST"
        /// Ends one.
        case logOut = "DELETE"
    }

    /// What the call does.
    public let method: Method
    /// The database on the server, as `https://host/database`.
    public let endpoint: CredentialService
    /// The body, `application/json`, with name and password; nil sends none.
    public let body: SecretBox?
    /// One `name=value` of the `Cookie` header; nil sends none.
    public let cookie: SecretBox?
    /// Time for the call, from the name look-up to the end of the answer.
    public let timeLimit: Duration
    /// Whether it may go unencrypted to another machine.
    public let allowsUnencrypted: Bool
}

extension SessionCall: CustomStringConvertible, CustomReflectable {
    /// Method and endpoint.
    public var description: String { "\(method.rawValue) \(endpoint)/_session" }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a ``SessionCall`` is answered with.
public struct SessionAnswer: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The values of `Set-Cookie`, in order.
    public let cookies: [SecretBox]

    /// Makes an answer.
    public init(status: Int, cookies: [SecretBox]) {
        self.status = status
        self.cookies = cookies
    }
}
