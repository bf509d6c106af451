public import SealiteCredentials
public import SealiteCrypto

/// An authenticator, which provides the secrets that prove a client's identity to a server.
///
/// The replicator requests the secrets before each handshake and reports its outcome. An authenticator with a store
/// reads it each time, so that a changed password is used at the next handshake. Safe from any task.
public protocol Authenticator: Sendable {
    /// Returns the secrets for the next handshake with an endpoint.
    ///
    /// - Parameter endpoint: the database on the server, as `https://host/database`.
    /// - Returns: the secrets.
    /// - Throws: an error whose ``AuthenticationError/isTransient`` says whether a later attempt may succeed.
    func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets

    /// Handles the server's refusal of the most recent secrets.
    ///
    /// - Parameters:
    ///   - endpoint: the database on the server.
    ///   - status: the HTTP status, such as 401.
    /// - Returns: true if another handshake may succeed, because there are new secrets.
    /// - Throws: the errors of ``secrets(for:)``, if new secrets aren't available.
    func refused(by endpoint: CredentialService, status: Int) async throws(AuthenticationError) -> Bool

    /// Handles the server's acceptance of the most recent secrets.
    ///
    /// - Parameters:
    ///   - endpoint: the database on the server.
    ///   - cookies: the values of `Set-Cookie` in the server's response.
    func accepted(by endpoint: CredentialService, cookies: [SharedSecret]) async
}

extension Authenticator {
    /// Returns false, because there are no new secrets.
    public func refused(by endpoint: CredentialService, status: Int) async throws(AuthenticationError) -> Bool { false }

    /// Ignores the cookies.
    public func accepted(by endpoint: CredentialService, cookies: [SharedSecret]) async {}
}
