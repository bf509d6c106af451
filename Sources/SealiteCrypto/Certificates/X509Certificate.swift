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

    /// Returns whether this certificate can be the issuer of `other`. Only names and key identifiers are compared; the
    /// signature isn't checked.
    func isIssuer(of other: X509Certificate) -> Bool {
        unsafe X509_check_issued(pointer, other.pointer) == X509_V_OK
    }
}
