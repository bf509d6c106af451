internal import COpenSSL
internal import Glibc

/// A certificate that OpenSSL has parsed.
@safe
final class X509Certificate {
    let pointer: OpaquePointer

    /// Takes ownership of the certificate, an `X509`, and frees it at the end of the lifetime.
    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe X509_free(pointer) }

    func encoded() throws(IdentityError) -> [UInt8] {
        let count = unsafe i2d_X509(pointer, nil)
        guard count > 0 else { throw IdentityError(.failed, "OpenSSL can't encode a certificate as DER") }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return unsafe i2d_X509(pointer, &cursor)
        }
        guard written == count else { throw IdentityError(.failed, "OpenSSL can't encode a certificate as DER") }
        return bytes
    }

    /// The subject in OpenSSL's one-line form, such as `/CN=client`, at most 255 characters.
    var subject: String {
        var line = [CChar](repeating: 0, count: 256)
        guard unsafe X509_NAME_oneline(X509_get_subject_name(pointer), &line, CInt(line.count)) != nil else {
            return ""
        }
        return String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func notBefore() throws(IdentityError) -> Int64 { try unsafe seconds(X509_get0_notBefore(pointer)) }

    func notAfter() throws(IdentityError) -> Int64 { try unsafe seconds(X509_get0_notAfter(pointer)) }

    private func seconds(_ time: UnsafePointer<ASN1_TIME>?) throws(IdentityError) -> Int64 {
        var parts = unsafe tm()
        guard unsafe time != nil, unsafe ASN1_TIME_to_tm(time, &parts) == 1 else {
            throw IdentityError(.badCertificate, "the validity period of a certificate can't be read")
        }
        return unsafe Int64(timegm(&parts))
    }

    func isEqual(to other: X509Certificate) -> Bool { unsafe X509_cmp(pointer, other.pointer) == 0 }

    /// Returns whether this certificate can be the issuer of `other`. Only names and key identifiers are compared; the
    /// signature isn't checked.
    func isIssuer(of other: X509Certificate) -> Bool {
        unsafe X509_check_issued(pointer, other.pointer) == X509_V_OK
    }
}

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

/// The role in TLS of the peer whose certificate chain is checked.
package enum CertificateRole: Sendable, Hashable {
    /// A TLS server. Its certificate must be valid for `host`, a DNS name or an IP address; if `host` is nil, names
    /// aren't compared.
    case server(host: String?)
    /// A TLS client.
    case client
}

/// The trusted certificates: a peer's certificate chain must end at one of them.
package enum CertificateTrust: Sendable, Hashable {
    /// The system's trusted certificates, and additional ones (X.509 DER).
    case system(additionalRoots: [[UInt8]])
    /// Only these certificates (X.509 DER), whether they are self-signed roots or not.
    case only([[UInt8]])
}

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
