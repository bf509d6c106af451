public import SealiteCredentials
public import SealiteCrypto

/// Mutual TLS: a certificate with its private key in each handshake, without an `Authorization` header or a cookie.
public struct ClientCertificateAuthenticator: Authenticator {
    private enum Source: Sendable {
        case store(StoreAuthenticator)
        case value(TransportIdentity)
    }
    private let source: Source

    /// Creates an authenticator that reads the identity from a store at each handshake; the parameters are those of
    /// ``BasicAuthenticator``.
    public init(
        store: any CredentialStore, account: String? = nil, service: CredentialService? = nil,
        access: CredentialAccess = .silent
    ) {
        source = .store(StoreAuthenticator(asking: store, account: account, service: service, access: access))
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
