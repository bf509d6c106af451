/// The reason why a peer's certificates are refused.
package enum CertificateFault: Error, Sendable, Hashable {
    /// The bytes of a certificate aren't X.509 DER, or the peer presented no certificate or too many.
    case malformed
    /// The bytes of a certificate that this side trusts aren't X.509 DER: a fault of this side, not of the peer.
    case malformedTrust
    /// The validity of the peer's certificate (the leaf) or of an issuer's has ended.
    case expired
    /// The validity of the peer's certificate (the leaf) or of an issuer's hasn't started.
    case notYetValid
    /// No chain from the peer's certificate to a trusted certificate exists.
    case unknownIssuer
    /// The peer's certificate isn't valid for the expected host name or IP address.
    case wrongHost
    /// The certificate isn't signed with its own key.
    case notSelfSigned
    /// Any other fault, described in English, mostly in OpenSSL's words.
    case unacceptable(String)
}
