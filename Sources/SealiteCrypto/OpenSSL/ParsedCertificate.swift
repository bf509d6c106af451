internal import COpenSSL

/// An X.509 certificate that OpenSSL has parsed from its DER form.
@safe
struct ParsedCertificate: ~Copyable {
    let pointer: OpaquePointer

    init(_ certificate: [UInt8]) throws(CertificateFault) {
        let parsed = unsafe certificate.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var position = buffer.baseAddress
            let parsed = unsafe d2i_X509(nil, &position, buffer.count)
            guard unsafe parsed != nil, unsafe position == buffer.baseAddress.map({ unsafe $0 + buffer.count }) else {
                unsafe X509_free(parsed)
                return nil
            }
            return unsafe parsed
        }
        ERR_clear_error()
        guard let parsed = unsafe parsed else { throw .malformed }
        unsafe pointer = parsed
    }

    deinit { unsafe X509_free(pointer) }

    func checkSelfSigned() throws(CertificateFault) {
        let isSelfSigned = unsafe X509_self_signed(pointer, 1) == 1
        ERR_clear_error()
        guard isSelfSigned else { throw .notSelfSigned }
        // X509_cmp_time returns a negative number for a time before now, a positive one for a time after now, 0 if
        // malformed.
        let begin = unsafe X509_cmp_time(X509_get0_notBefore(pointer), nil)
        let end = unsafe X509_cmp_time(X509_get0_notAfter(pointer), nil)
        guard begin != 0, end != 0 else { throw .malformed }
        guard begin < 0 else { throw .notYetValid }
        guard end > 0 else { throw .expired }
    }

    func publicKeyDigest() throws(CertificateFault) -> [UInt8] {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), &encoded)
        guard count > 0, let encoded = unsafe encoded else { throw .malformed }
        defer { unsafe CRYPTO_free(encoded, nil, 0) }
        var digest = [UInt8](repeating: 0, count: 32)
        var digestCount: UInt32 = 0
        guard unsafe EVP_Digest(encoded, Int(count), &digest, &digestCount, EVP_sha256(), nil) == 1 else {
            throw .malformed
        }
        return digest
    }
}
