internal import COpenSSL
internal import Glibc

/// A certificate that OpenSSL has parsed.
@safe
final class X509Certificate {
    let pointer: OpaquePointer

    /// Takes ownership of the certificate.
    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe X509_free(pointer) }

    func encoded() throws(IdentityError) -> [UInt8] {
        let count = unsafe i2d_X509(pointer, nil)
        guard count > 0 else { throw IdentityError(.failed, "a certificate can't be encoded") }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            var place = buffer.baseAddress
            return unsafe i2d_X509(pointer, &place)
        }
        guard written == count else { throw IdentityError(.failed, "a certificate can't be encoded") }
        return bytes
    }

    /// The subject in OpenSSL's one-line form, at most 255 characters.
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
            throw IdentityError(.badCertificate, "a certificate's time can't be read")
        }
        return unsafe Int64(timegm(&parts))
    }

    /// Returns whether this certificate can be the issuer of another one, according to names and key identifiers.
    func isIssuer(of other: X509Certificate) -> Bool {
        unsafe X509_check_issued(pointer, other.pointer) == X509_V_OK
    }
}

/// A private key that OpenSSL has parsed.
@safe
final class PrivateKey {
    let pointer: OpaquePointer

    /// Takes ownership of the key.
    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// Returns the key as PKCS#8 DER.
    func encoded() throws(IdentityError) -> SecretBytes {
        guard let info = unsafe EVP_PKEY2PKCS8(pointer) else {
            ERR_clear_error()
            throw IdentityError(.unsupported, "a private key of this kind can't be kept")
        }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        let count = unsafe i2d_PKCS8_PRIV_KEY_INFO(info, nil)
        guard count > 0 else { throw IdentityError(.failed, "the private key can't be encoded") }
        return unsafe SecretBytes(byteCount: Int(count)) { buffer in
            var place = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            _ = unsafe i2d_PKCS8_PRIV_KEY_INFO(info, &place)
        }
    }

    func fits(_ certificate: X509Certificate) -> Bool {
        let fits = unsafe X509_check_private_key(certificate.pointer, pointer) == 1
        ERR_clear_error()
        return fits
    }
}

/// A private key and certificates in any order.
struct IdentityParts {
    let key: PrivateKey
    let certificates: [X509Certificate]
    static let maximumCertificateCount = 32

    /// Returns the key's own certificate, then its issuers in order; certificates outside the chain are left out.
    func chain() throws(IdentityError) -> [X509Certificate] {
        guard !certificates.isEmpty else { throw IdentityError(.noCertificate, "there is no certificate") }
        guard var last = certificates.first(where: key.fits) else {
            throw IdentityError(
                .mismatch, "the private key is that of none of the \(certificates.count) certificates",
                hint: "give the certificate that was issued for this key")
        }
        var chain = [last]
        while let issuer = certificates.first(where: { next in
            next.isIssuer(of: last) && !chain.contains { $0 === next }
        }) {
            chain.append(issuer)
            last = issuer
        }
        return chain
    }
}
