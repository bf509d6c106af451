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
