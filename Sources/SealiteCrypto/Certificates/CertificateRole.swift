/// The role in TLS of the peer whose certificate chain is checked.
package enum CertificateRole: Sendable, Hashable {
    /// A TLS server. Its certificate must be valid for `host`, a DNS name or an IP address; if `host` is nil, names
    /// aren't compared.
    case server(host: String?)
    /// A TLS client.
    case client
}
