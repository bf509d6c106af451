/// A reason for which a peer's certificates are refused.
package enum CertificateFault: Error, Sendable, Hashable {
    /// A certificate isn't an X.509 certificate, or there is none.
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
    /// Another fault, with OpenSSL's text.
    case unacceptable(String)
}
