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

/// Basic authentication (RFC 7617): a name and a password in the `Authorization` header of each handshake.
public struct BasicAuthenticator: Authenticator {
    private enum Source: Sendable {
        case store(CredentialSource)
        case values(name: String, password: SharedSecret)
    }
    private let source: Source

    /// Creates an authenticator that reads the password from a store at each handshake.
    ///
    /// - Parameters:
    ///   - store: the store with the password.
    ///   - account: the user's name; nil for the only account that the store has for the endpoint.
    ///   - service: the service of the stored credential; nil for the endpoint of the handshake.
    ///   - access: the rule for prompts, and the time limit of the store.
    public init(
        store: any CredentialStore, account: String? = nil, service: CredentialService? = nil,
        access: CredentialAccess = .silent
    ) {
        source = .store(CredentialSource(store, account, service, access))
    }

    /// Creates an authenticator with a name and a password, which it keeps in locked memory during its lifetime.
    public init(username: String, password: consuming SecretBytes) {
        source = .values(name: username, password: SharedSecret(password))
    }

    /// Returns the secrets for a handshake; see ``Authenticator/secrets(for:)``.
    public func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
        switch source {
        case .values(let name, let password):
            return try .basic(name, password.secret)
        case .store(let source):
            let match = try await source.match(for: endpoint, [.password])
            return try match.secrets(of: try match.chosen(of: [.password]))
        }
    }
}

/// Authentication with a bearer token (RFC 6750) in the `Authorization` header of each handshake.
public struct BearerAuthenticator: Authenticator {
    private let source: CredentialSource

    /// Creates an authenticator that reads the token from a store at each handshake; the parameters are those of
    /// ``BasicAuthenticator``.
    public init(
        store: any CredentialStore, account: String? = nil, service: CredentialService? = nil,
        access: CredentialAccess = .silent
    ) {
        source = CredentialSource(store, account, service, access)
    }

    /// Returns the secrets for a handshake; see ``Authenticator/secrets(for:)``.
    public func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
        let match = try await source.match(for: endpoint, [.bearer])
        return try match.secrets(of: try match.chosen(of: [.bearer]))
    }
}

/// Mutual TLS: a certificate with its private key in each handshake, without an `Authorization` header or a cookie.
public struct ClientCertificateAuthenticator: Authenticator {
    private enum Source: Sendable {
        case store(CredentialSource)
        case value(TransportIdentity)
    }
    private let source: Source

    /// Creates an authenticator that reads the identity from a store at each handshake; the parameters are those of
    /// ``BasicAuthenticator``.
    public init(
        store: any CredentialStore, account: String? = nil, service: CredentialService? = nil,
        access: CredentialAccess = .silent
    ) {
        source = .store(CredentialSource(store, account, service, access))
    }

    /// Creates an authenticator with an identity, which it keeps in locked memory during its lifetime.
    ///
    /// - Parameters:
    ///   - certificates: the chain, leaf first, as X.509 DER.
    ///   - privateKey: the leaf's key, as PKCS#8 DER.
    public init(certificates: [[UInt8]], privateKey: consuming SecretBytes) {
        source = .value(TransportIdentity(certificates: certificates, privateKey: privateKey))
    }

    /// Returns the secrets for a handshake; see ``Authenticator/secrets(for:)``.
    public func secrets(for endpoint: CredentialService) async throws(AuthenticationError) -> HandshakeSecrets {
        switch source {
        case .value(let identity):
            return HandshakeSecrets(identity: identity)
        case .store(let source):
            let match = try await source.match(for: endpoint, [.clientIdentity])
            return try match.secrets(of: try match.chosen(of: [.clientIdentity]))
        }
    }
}
