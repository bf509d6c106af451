/// The role of the peer that a chain's leaf identifies.
package enum CertificateRole: Sendable, Hashable {
    /// A TLS server. The certificate must be valid for `host`, a DNS name or an IP address; with nil, names aren't
    /// compared.
    case server(host: String?)
    /// A TLS client.
    case client
}
