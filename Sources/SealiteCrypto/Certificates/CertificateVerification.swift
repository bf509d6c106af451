/// Builds and checks certificate chains (RFC 5280 §6) with OpenSSL. Safe from any thread; reads the system's files of
/// trusted roots if they are to be trusted.
package enum CertificateVerification {
    /// The maximum number of certificates that a peer may present, its own included; a longer chain is refused as
    /// malformed.
    package static let maximumChainCount = 16

    /// Checks the chain that a peer presented: the leaf first, then other certificates in any order, of which those
    /// that the chain doesn't need are ignored.
    ///
    /// - Throws: the reason why the chain is refused; `malformedTrust` if a certificate of `trust` can't be read.
    package static func check(
        _ chain: [[UInt8]], trust: CertificateTrust, role: CertificateRole
    ) throws(CertificateFault) {
        guard !chain.isEmpty, chain.count <= maximumChainCount else { throw .malformed }
        let run = try VerificationRun()
        try run.add(trust)
        try run.check(chain, role: role)
    }

    /// Checks that a certificate is signed with its own key and is valid now. Its names aren't compared.
    ///
    /// - Throws: the reason why the certificate is refused.
    package static func checkSelfSigned(_ certificate: [UInt8]) throws(CertificateFault) {
        try ParsedCertificate(certificate).checkSelfSigned()
    }

    /// Returns the SHA-256 digest of a certificate's SubjectPublicKeyInfo, 32 bytes.
    ///
    /// - Throws: `malformed`.
    package static func publicKeyDigest(of certificate: [UInt8]) throws(CertificateFault) -> [UInt8] {
        try ParsedCertificate(certificate).publicKeyDigest()
    }
}
