public import SealiteCredentials
public import SealiteCrypto

/// Mutual TLS: a certificate and its private key in each handshake, and no header.
public struct ClientCertificateAuthenticator: Authenticator {
    private enum Source: Sendable {
        case store(CredentialSource)
        case value(TransportIdentity)
    }
    private let source: Source

    /// Reads the identity from a store at each handshake; the parameters are ``BasicAuthenticator``'s.
    public init(
        store: any CredentialStore, account: String? = nil, service: CredentialService? = nil,
        access: CredentialAccess = .silent
    ) {
        source = .store(CredentialSource(store: store, service: service, account: account, access: access))
    }

    /// Keeps an identity in locked memory as long as it lives.
    ///
    /// - Parameters:
    ///   - certificates: the chain, leaf first, as X.509 DER.
    ///   - privateKey: the leaf's key, as PKCS#8 DER.
    public init(certificates: [[UInt8]], privateKey: consuming SecretBytes) {
        source = .value(TransportIdentity(certificates: certificates, privateKey: privateKey))
    }

    /// Reads what to show; see ``Authenticator/secrets(for:)``.
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
