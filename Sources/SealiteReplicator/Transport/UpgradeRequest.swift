internal import SealiteAuthentication
public import SealiteCrypto

/// Everything a handshake needs: where to, with which credentials, whom to trust. Made anew for each attempt.
public struct UpgradeRequest: Sendable {
    /// Where to connect.
    public var endpoint: EndpointURL
    /// The subprotocols offered, the preferred first.
    public var subprotocols = ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"]
    /// The value of `User-Agent`.
    public var userAgent = "Sealite"
    /// Further headers. `Authorization` among them overrides the credentials', `Cookie` is joined with theirs.
    public var headers: [HTTPField] = []
    /// What proves who is calling.
    public var credentials = HandshakeCredentials()
    /// Whom to take for the server.
    public var trust = ServerTrust.system()
    /// A proxy to go through; nil goes straight.
    public var proxy: HTTPProxy?
    /// The name or an address of the local interface to use; nil lets the system choose.
    public var networkInterface: String?
    /// Time for everything from the name look-up to the answer.
    public var handshakeTimeout: Duration = .seconds(60)
    /// How often to ask an idle peer whether it is there; it counts as gone when it doesn't answer for as long.
    public var heartbeat: Duration = .seconds(300)
    /// What the peer may make this side hold.
    public var limits = ConnectionLimits()
    /// Whether credentials may go unencrypted to another machine.
    public var allowsUnencryptedCredentials = false

    /// A request with the defaults.
    public init(to endpoint: EndpointURL) { self.endpoint = endpoint }

    /// Whether anything of it would be a readable credential on an unencrypted connection.
    var hasSecrets: Bool { credentials.hasHeaders || headers.contains(where: \.isSecret) }
}

/// What proves to a server who is calling. Secrets are in no description.
public struct HandshakeCredentials: Sendable {
    /// The value of the `Authorization` header, as `Basic …`; nil sends none.
    public var authorization: SharedSecret?
    /// `name=value` pairs of the `Cookie` header.
    public var cookies: [SharedSecret] = []
    /// A certificate and its key for mutual TLS; nil offers none.
    public var identity: TransportIdentity?

    /// Makes credentials; none by default.
    public init(
        authorization: SharedSecret? = nil, cookies: [SharedSecret] = [], identity: TransportIdentity? = nil
    ) {
        self.authorization = authorization
        self.cookies = cookies
        self.identity = identity
    }

    /// Basic authentication (RFC 7617): the user name must hold no colon.
    ///
    /// - Throws: `badIdentity` for a user name with a colon.
    public static func basic(user: String, password: borrowing SecretBytes) throws(TransportError) -> Self {
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw TransportError(.badIdentity, "a user name for Basic authentication can't hold a colon")
        }
        let plain = SecretText.join("\(user):", password, "")
        return HandshakeCredentials(authorization: SharedSecret(SecretText.base64("Basic ", plain)))
    }

    /// A session cookie.
    public static func cookie(name: String, value: borrowing SecretBytes) -> Self {
        HandshakeCredentials(cookies: [SharedSecret(SecretText.join("\(name)=", value, ""))])
    }

    /// Whether anything would be readable on an unencrypted connection.
    var hasHeaders: Bool { authorization != nil || !cookies.isEmpty }
}

/// A certificate chain and its private key.
public struct TransportIdentity: Sendable {
    /// The certificates, leaf first, as X.509 DER.
    public let certificates: [[UInt8]]
    /// The private key, as PKCS#8 DER, not encrypted.
    public let privateKey: SharedSecret

    /// Makes an identity. Whether key and certificate are a pair is checked at the handshake.
    public init(certificates: [[UInt8]], privateKey: consuming SecretBytes) {
        self.certificates = certificates
        self.privateKey = SharedSecret(privateKey)
    }

    /// Makes a key on P-256 and a certificate that is signed with it, for servers and clients.
    ///
    /// - Parameters:
    ///   - commonName: the name in it, 1 to 64 bytes; peers don't compare it.
    ///   - hosts: names and addresses that it is for.
    ///   - validDays: days until it ends.
    /// - Returns: certificate and key.
    /// - Throws: `badIdentity`.
    public static func selfSigned(
        commonName: String, hosts: [String] = [], validDays: Int = 365
    ) throws(TransportError) -> TransportIdentity {
        do throws(CryptoError) {
            let isAddress = { (host: String) in host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." } }
            let made = try SelfSignedCertificate(
                commonName: commonName, dnsNames: hosts.filter { !isAddress($0) }, addresses: hosts.filter(isAddress),
                validDays: validDays)
            return TransportIdentity(certificates: [made.certificate], privateKey: made.privateKey.duplicate())
        } catch {
            throw TransportError(.badIdentity, "a certificate could not be made: \(error.reason)")
        }
    }
}

/// Whom a client takes for the server.
public struct ServerTrust: Sendable, Hashable {
    enum Rule: Sendable, Hashable {
        case system(additionalRoots: [[UInt8]])
        case pinned([Pin])
        case selfSigned
    }

    /// A certificate, or the public key of one.
    public enum Pin: Sendable, Hashable {
        /// A certificate, as X.509 DER: leaf, intermediate or root.
        case certificate([UInt8])
        /// The SHA-256 of a certificate's SubjectPublicKeyInfo, 32 bytes: it outlives renewals that keep the key.
        case publicKeyDigest([UInt8])
    }

    let rule: Rule

    /// Certificates for the host's name from the system's trusted issuers, and from further ones (X.509 DER).
    public static func system(additionalRoots: [[UInt8]] = []) -> Self {
        Self(rule: .system(additionalRoots: additionalRoots))
    }

    /// Certificates, or issuers' certificates, that are known. Name, date and system roots don't count then.
    ///
    /// Several pins let a certificate be rotated: one that the server has now and one that it will have.
    public static func pinned(_ pins: [Pin]) -> Self { Self(rule: .pinned(pins)) }

    /// One self-signed certificate, whatever its name: for a peer whose certificate is compared by people.
    public static var selfSigned: Self { Self(rule: .selfSigned) }
}

/// A proxy that is asked with CONNECT.
public struct HTTPProxy: Sendable {
    /// Its name or address.
    public var host: String
    /// Its port.
    public var port: Int
    /// The value of `Proxy-Authorization`; nil sends none.
    public var authorization: SharedSecret?

    /// Makes a proxy.
    public init(host: String, port: Int, authorization: SharedSecret? = nil) {
        self.host = host
        self.port = port
        self.authorization = authorization
    }
}

/// What a peer may make this side hold.
public struct ConnectionLimits: Sendable, Hashable {
    /// Largest WebSocket message, in bytes, whether in one frame or in fragments.
    public var messageByteCount = 1 << 20
    /// Bytes received and not read at which reading from the network stops.
    public var receivedByteCount = 256 << 10
    /// Bytes sent and not written to the network at which sending waits.
    public var sentByteCount = 256 << 10
    /// Largest head of an HTTP request or answer, in bytes.
    public var headByteCount = 32 << 10
    /// Most redirects followed.
    public var redirectCount = 10

    /// The defaults.
    public init() {}
}
