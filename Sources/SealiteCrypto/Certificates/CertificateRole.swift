/// The role of a chain's leaf.
package enum CertificateRole: Sendable, Hashable {
    /// A TLS server; its name or address is compared unless it is nil.
    case server(host: String?)
    /// A TLS client.
    case client
}
