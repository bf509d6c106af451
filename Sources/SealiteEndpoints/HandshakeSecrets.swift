public import SealiteCrypto

/// The secrets that one handshake presents. No description contains any of them.
public struct HandshakeSecrets: Sendable {
    /// The value of the `Authorization` header, such as `Basic …`; nil sends none.
    public var authorization: SharedSecret?
    /// The `name=value` pairs of the `Cookie` header.
    public var cookies: [SharedSecret]
    /// A certificate and its key for mutual TLS; nil offers none.
    public var identity: TransportIdentity?

    /// Creates the secrets of a handshake; none by default.
    public init(
        authorization: SharedSecret? = nil, cookies: [SharedSecret] = [], identity: TransportIdentity? = nil
    ) {
        self.authorization = authorization
        self.cookies = cookies
        self.identity = identity
    }

    /// Creates the secrets of Basic authentication (RFC 7617).
    ///
    /// - Throws: `badIdentity` for a user name with a colon.
    package static func basic(user: String, password: borrowing SecretBytes) throws(TransportError) -> Self {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw TransportError(.badIdentity, "a user name for Basic authentication can't hold a colon")
        }
        let plain = SecretBytes.joined("\(user):", password, "")
        return HandshakeSecrets(authorization: SharedSecret(SecretBytes.base64("Basic ", plain)))
    }

    /// Creates the secrets of a bearer token (RFC 6750).
    package static func bearer(_ token: borrowing SecretBytes) -> Self {
        HandshakeSecrets(authorization: SharedSecret(SecretBytes.joined("Bearer ", token, "")))
    }

    /// Creates the secrets of a session cookie.
    package static func cookie(name: String, value: borrowing SecretBytes) -> Self {
        HandshakeSecrets(cookies: [SharedSecret(SecretBytes.joined("\(name)=", value, ""))])
    }

    /// A Boolean value that indicates whether the secrets include a header value (`Authorization` or a cookie), which
    /// an unencrypted connection would reveal.
    package var hasHeaders: Bool { authorization != nil || !cookies.isEmpty }
}

extension HandshakeSecrets: CustomStringConvertible, CustomReflectable {
    /// A text with the kinds of secrets that are present.
    public var description: String {
        let kinds = [
            authorization.map { _ in "a header" }, cookies.first.map { _ in "a cookie" },
            identity.map { _ in "a certificate" },
        ]
        .compactMap { $0 }
        return kinds.isEmpty ? "(no secrets)" : "(secrets: \(kinds.joined(separator: ", ")))"
    }
    /// An empty mirror, so that `dump` and the debugger show no secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A certificate chain and its private key.
public struct TransportIdentity: Sendable {
    /// The certificates, leaf first, as X.509 DER.
    public let certificates: [[UInt8]]
    /// The private key, as PKCS#8 DER, not encrypted.
    public let privateKey: SharedSecret

    /// Creates an identity. The handshake checks that the key and the certificate are a pair.
    public init(certificates: [[UInt8]], privateKey: consuming SecretBytes) {
        self.certificates = certificates
        self.privateKey = SharedSecret(privateKey)
    }

    /// Creates a key on P-256 and a self-signed certificate for it, for servers and clients.
    ///
    /// - Parameters:
    ///   - commonName: the name in the certificate, 1 to 64 bytes; peers don't compare it.
    ///   - hosts: the names and addresses for which the certificate is valid.
    ///   - validity: the time for which the certificate is valid, 1 to 36,500 days.
    /// - Returns: the identity with certificate and key.
    /// - Throws: `badIdentity`.
    public static func selfSigned(
        commonName: String, hosts: [String] = [], validity: Duration = .seconds(365 * 86_400)
    ) throws(TransportError) -> TransportIdentity {
        do throws(CryptoError) {
            let isAddress = { (host: String) in host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." } }
            let made = try SelfSignedCertificate(
                commonName: commonName, dnsNames: hosts.filter { !isAddress($0) }, addresses: hosts.filter(isAddress),
                validity: validity)
            return TransportIdentity(certificates: [made.certificate], privateKey: made.privateKey.duplicate())
        } catch {
            throw TransportError(.badIdentity, "a self-signed certificate could not be made: \(error.reason)")
        }
    }
}

/// The rule by which a client accepts a server's certificate.
public struct ServerTrust: Sendable, Hashable {
    /// The ways to decide whether a server's certificate is accepted.
    package enum Rule: Sendable, Hashable {
        case system(additionalRoots: [[UInt8]])
        case pinned([Pin])
        case selfSigned
    }

    /// A certificate by which a server is trusted, or the public key of such a certificate.
    public enum Pin: Sendable, Hashable {
        /// A certificate, as X.509 DER: the server's own certificate (leaf), or an intermediate or root certificate of
        /// its issuers.
        case certificate([UInt8])
        /// The SHA-256 digest of a certificate's SubjectPublicKeyInfo, 32 bytes. It stays valid across renewals that
        /// keep the key.
        case publicKeyDigest([UInt8])
    }

    /// The rule in the form that the transport module evaluates during the TLS handshake.
    package let rule: Rule

    /// Accepts certificates for the host's name that were issued by the system's trusted issuers or by additional ones
    /// (X.509 DER).
    public static func system(additionalRoots: [[UInt8]] = []) -> Self {
        Self(rule: .system(additionalRoots: additionalRoots))
    }

    /// Accepts a server's certificate (leaf) that is pinned, or that was issued for the host by a pinned issuer and is
    /// currently valid. For a pinned leaf, the name, the dates and the issuer are ignored.
    ///
    /// Several pins allow a certificate to be rotated: one pin for the server's current certificate and one for the
    /// next.
    public static func pinned(_ pins: [Pin]) -> Self { Self(rule: .pinned(pins)) }

    /// Accepts any single self-signed certificate that is currently valid, with any name. Intended for a peer whose
    /// certificate people compare themselves.
    public static var selfSigned: Self { Self(rule: .selfSigned) }
}

/// The client certificates that a server requests. Every policy but `notAsked` needs TLS, and refuses clients without a
/// certificate.
public enum ClientCertificatePolicy: Sendable {
    /// No certificate is requested.
    case notAsked
    /// Accepts chains that end at one of these CA certificates (X.509 DER), are valid now and are intended for clients.
    case issued(by: [[UInt8]])
    /// Accepts chains for which the closure returns true. The closure gets the chain as presented (X.509 DER), leaf
    /// first. TLS has proven that the client has the leaf's key; nothing else was checked.
    case accepted(by: @Sendable (_ chain: [[UInt8]]) async -> Bool)
}
