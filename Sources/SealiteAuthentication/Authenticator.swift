public import SealiteCredentials
public import SealiteCrypto

/// Proves to a server who is calling.
///
/// The replicator asks before each handshake and tells how it went. An authenticator made from a store reads it each
/// time, so that a password changed there is used at the next handshake. Safe from any task.
public protocol Authenticator: Sendable {
    /// What to show at the next handshake with an endpoint.
    ///
    /// - Parameter endpoint: the database on the server, as `https://host/database`.
    /// - Returns: the secrets, each to be taken out of its box once.
    /// - Throws: an error whose ``AuthenticationError/isPassing`` tells whether asking again later may help.
    func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets

    /// Told that the server refused what was shown last.
    ///
    /// - Parameters:
    ///   - endpoint: the database on the server.
    ///   - status: the HTTP status, as 401.
    /// - Returns: whether another handshake may go better, because there is something new to show.
    /// - Throws: as ``secrets(for:)`` does, when what is new could not be had.
    func refused(by endpoint: CredentialService, status: Int) async throws(AuthenticationError) -> Bool

    /// Told that the server accepted what was shown last.
    ///
    /// - Parameters:
    ///   - endpoint: the database on the server.
    ///   - cookies: the values of `Set-Cookie` in its answer.
    func accepted(by endpoint: CredentialService, cookies: [SecretBox]) async
}

extension Authenticator {
    /// There is nothing new to show.
    public func refused(by endpoint: CredentialService, status: Int) async throws(AuthenticationError) -> Bool { false }

    /// Nothing is kept.
    public func accepted(by endpoint: CredentialService, cookies: [SecretBox]) async {}
}

/// What one handshake shows. No description has any of it.
public struct HandshakeSecrets: Sendable {
    /// The value of the `Authorization` header; nil sends none.
    public var authorization: SecretBox?
    /// One `name=value` of the `Cookie` header; nil sends none.
    public var cookie: SecretBox?
    /// The certificates for mutual TLS, leaf first, as X.509 DER; empty offers none.
    public var certificates: [[UInt8]]
    /// The leaf's private key, as PKCS#8 DER; nil offers none.
    public var privateKey: SecretBox?

    /// Makes the secrets of a handshake.
    public init(
        authorization: SecretBox? = nil, cookie: SecretBox? = nil, certificates: [[UInt8]] = [],
        privateKey: SecretBox? = nil
    ) {
        self.authorization = authorization
        self.cookie = cookie
        self.certificates = certificates
        self.privateKey = privateKey
    }
}

extension HandshakeSecrets: CustomStringConvertible, CustomReflectable {
    /// Which kinds of proof there are.
    public var description: String {
        let kinds = [
            authorization.map { _ in "a header" }, cookie.map { _ in "a cookie" },
            privateKey.map { _ in "a certificate" },
        ]
        .compactMap { $0 }
        return kinds.isEmpty ? "(no secrets)" : "(secrets: \(kinds.joined(separator: ", ")))"
    }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
