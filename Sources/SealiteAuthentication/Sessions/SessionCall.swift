public import SealiteCredentials
public import SealiteCrypto

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
