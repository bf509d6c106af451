internal import COpenSSL
internal import Glibc

/// A private key that OpenSSL has parsed.
@safe
final class PrivateKey {
    let pointer: OpaquePointer

    /// Takes ownership of the key, an `EVP_PKEY`, and frees it at the end of the lifetime.
    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// Returns the key as PKCS#8 DER.
    func encoded() throws(IdentityError) -> SecretBytes {
        guard let info = unsafe EVP_PKEY2PKCS8(pointer) else {
            ERR_clear_error()
            throw IdentityError(
                .unsupported, "OpenSSL can't encode a private key of this kind as PKCS#8",
                hint: "use a certificate with an RSA or elliptic-curve key")
        }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        let count = unsafe i2d_PKCS8_PRIV_KEY_INFO(info, nil)
        guard count > 0 else { throw IdentityError(.failed, "OpenSSL can't encode the private key as PKCS#8") }
        return unsafe SecretBytes(byteCount: Int(count)) { buffer in
            var cursor = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            _ = unsafe i2d_PKCS8_PRIV_KEY_INFO(info, &cursor)
        }
    }

    func fits(_ certificate: X509Certificate) -> Bool {
        let fits = unsafe X509_check_private_key(certificate.pointer, pointer) == 1
        ERR_clear_error()
        return fits
    }
}
