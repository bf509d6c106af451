/// The reason why a peer's certificates are refused.
package enum CertificateFault: Error, Sendable, Hashable {
    /// The bytes of a certificate aren't X.509 DER, or the peer presented no certificate.
    case malformed
    /// The leaf or an issuer is no longer valid.
    case expired
    /// The leaf or an issuer is not valid yet.
    case notYetValid
    /// No chain of certificates ends at a trusted certificate.
    case unknownIssuer
    /// The leaf is for another host.
    case wrongHost
    /// The certificate is not signed by itself.
    case notSelfSigned
    /// Any other fault, in OpenSSL's words.
    case unacceptable(String)
}
