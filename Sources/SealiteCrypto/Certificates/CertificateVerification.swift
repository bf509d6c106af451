/// What is wrong with a peer's certificates.
package enum CertificateFault: Error, Sendable, Hashable {
    /// One of them is no X.509 certificate, or there is none.
    case malformed
    /// The leaf or an issuer is no longer valid.
    case expired
    /// The leaf or an issuer is not valid yet.
    case notYetValid
    /// No chain leads to a trusted certificate.
    case unknownIssuer
    /// The leaf is for another host.
    case wrongHost
    /// The certificate is not signed by itself.
    case notSelfSigned
    /// Another fault, in OpenSSL's words.
    case unacceptable(String)
}

/// Which certificates a chain may end at.
package enum CertificateTrust: Sendable, Hashable {
    /// The system's, and further ones (X.509 DER).
    case system(additionalRoots: [[UInt8]])
    /// These alone (X.509 DER), whether they are self-signed roots or not.
    case only([[UInt8]])
}

/// What the leaf of a chain is used for.
package enum CertificateRole: Sendable, Hashable {
    /// A TLS server; its name or address is compared unless nil.
    case server(host: String?)
    /// A TLS client.
    case client
}

/// Chain building and checking (RFC 5280 §6), by OpenSSL. Callable from any thread; reads files of trusted roots.
package enum CertificateVerification {
    /// Most certificates of a chain that are looked at.
    package static let maximumChainCount = 16

    /// Checks a chain as a peer presented it: leaf first, the others in any order, unneeded ones ignored.
    ///
    /// - Throws: what is wrong.
    package static func check(
        _ chain: [[UInt8]], trust: CertificateTrust, role: CertificateRole
    ) throws(CertificateFault) {
        guard !chain.isEmpty, chain.count <= maximumChainCount else { throw .malformed }
        let run = try VerificationRun()
        try run.add(trust)
        try run.check(chain, role: role)
    }

    /// Checks that a certificate is signed with its own key, and valid now. Its names are not compared.
    ///
    /// - Throws: what is wrong.
    package static func checkSelfSigned(_ certificate: [UInt8]) throws(CertificateFault) {
        try ParsedCertificate(certificate).checkSelfSigned()
    }

    /// The SHA-256 of a certificate's SubjectPublicKeyInfo, 32 bytes.
    ///
    /// - Throws: `malformed`.
    package static func publicKeyDigest(of certificate: [UInt8]) throws(CertificateFault) -> [UInt8] {
        try ParsedCertificate(certificate).publicKeyDigest()
    }
}
