public import SealiteCrypto

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

    /// Creates an identity with copies of the certificates and the private key of one from a credential store.
    public init(_ identity: borrowing ClientIdentityCredential) {
        self.init(certificates: identity.certificates, privateKey: identity.privateKey.duplicate())
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
