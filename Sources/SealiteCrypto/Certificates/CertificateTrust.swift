/// The trusted certificates: a peer's certificate chain must end at one of them.
package enum CertificateTrust: Sendable, Hashable {
    /// The system's trusted certificates, and additional ones (X.509 DER).
    case system(additionalRoots: [[UInt8]])
    /// Only these certificates (X.509 DER), whether they are self-signed roots or not.
    case only([[UInt8]])
}
