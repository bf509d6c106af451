public import SealiteCredentials
public import SealiteCrypto

/// Proves to a server who is calling.
///
/// The replicator asks before each handshake and tells how it went. An authenticator made from a store reads it each
/// time, so that a password changed there is used at the next handshake. Safe from any task.
public protocol Authenticator: Sendable {
    /// Returns what to show at the next handshake with an endpoint.
    ///
    /// - Parameter endpoint: the database on the server, as `https://host/database`.
    /// - Returns: the secrets.
    /// - Throws: an error whose ``AuthenticationError/isPassing`` tells whether asking again later may help.
    func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets

    /// Takes note that the server refused what was shown last.
    ///
    /// - Parameters:
    ///   - endpoint: the database on the server.
    ///   - status: the HTTP status, as 401.
    /// - Returns: true when another handshake may go better, because there is something new to show.
    /// - Throws: as ``secrets(for:)`` does, when what is new could not be had.
    func refused(by endpoint: CredentialService, status: Int) async throws(AuthenticationError) -> Bool

    /// Takes note that the server accepted what was shown last.
    ///
    /// - Parameters:
    ///   - endpoint: the database on the server.
    ///   - cookies: the values of `Set-Cookie` in its answer.
    func accepted(by endpoint: CredentialService, cookies: [SharedSecret]) async
}

extension Authenticator {
    /// Returns false: there is nothing new to show.
    public func refused(by endpoint: CredentialService, status: Int) async throws(AuthenticationError) -> Bool { false }

    /// Keeps nothing.
    public func accepted(by endpoint: CredentialService, cookies: [SharedSecret]) async {}
}
