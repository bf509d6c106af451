/// The certificates at which a chain may end.
package enum CertificateTrust: Sendable, Hashable {
    /// The system's trusted certificates, and additional ones (X.509 DER).
    case system(additionalRoots: [[UInt8]])
    /// Only these certificates (X.509 DER), whether they are self-signed roots or not.
    case only([[UInt8]])
}
