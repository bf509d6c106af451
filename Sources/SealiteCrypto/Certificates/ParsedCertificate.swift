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

/// A check of one certificate chain against a set of trusted certificates.
@safe
struct VerificationRun: ~Copyable {
    private let store: OpaquePointer

    init() throws(CertificateFault) {
        guard let store = unsafe X509_STORE_new() else {
            throw .unacceptable("OpenSSL has no memory to check the certificate")
        }
        unsafe self.store = store
    }

    deinit { unsafe X509_STORE_free(store) }

    func add(_ trust: CertificateTrust) throws(CertificateFault) {
        let anchors: [[UInt8]]
        switch trust {
        case .system(let additionalRoots):
            // Without readable roots, no chain is accepted.
            unsafe X509_STORE_set_default_paths(store)
            anchors = additionalRoots
        case .only(let certificates):
            anchors = certificates
        }
        for anchor in anchors {
            do throws(CertificateFault) {
                try add(anchor)
            } catch {
                throw .malformedTrust
            }
        }
        ERR_clear_error()
    }

    private func add(_ anchor: [UInt8]) throws(CertificateFault) {
        let parsed = try ParsedCertificate(anchor)
        guard unsafe X509_STORE_add_cert(store, parsed.pointer) == 1 else { throw .malformed }
    }

    func check(_ chain: [[UInt8]], role: CertificateRole) throws(CertificateFault) {
        let leaf = try ParsedCertificate(chain[0])
        let others = unsafe sealite_x509_stack_new()
        defer { unsafe sealite_x509_stack_free(others) }
        for certificate in chain.dropFirst() {
            let parsed = try ParsedCertificate(certificate)
            unsafe X509_up_ref(parsed.pointer)
            guard unsafe sealite_x509_stack_push(others, parsed.pointer) > 0 else {
                unsafe X509_free(parsed.pointer)
                throw .unacceptable("OpenSSL has no memory to check the certificate")
            }
        }
        guard let context = unsafe X509_STORE_CTX_new() else {
            throw .unacceptable("OpenSSL has no memory to check the certificate")
        }
        defer {
            unsafe X509_STORE_CTX_free(context)
            ERR_clear_error()
        }
        guard unsafe X509_STORE_CTX_init(context, store, leaf.pointer, others) == 1,
            let parameters = unsafe X509_STORE_CTX_get0_param(context), unsafe configure(parameters, for: role)
        else {
            throw .unacceptable(
                "OpenSSL couldn't set up the check of the certificate: it has no memory, or the host name is invalid")
        }
        if unsafe X509_verify_cert(context) == 1 { return }
        throw Self.fault(unsafe X509_STORE_CTX_get_error(context))
    }

    private func configure(_ parameters: OpaquePointer, for role: CertificateRole) -> Bool {
        // Partial chains: an anchor that isn't a root is trusted too, because the caller named it.
        unsafe X509_VERIFY_PARAM_set_flags(
            parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN) | UInt(X509_V_FLAG_TRUSTED_FIRST))
        unsafe X509_VERIFY_PARAM_set_depth(parameters, Int32(CertificateVerification.maximumChainCount))
        // 112 bits of security: no SHA-1 signatures, no RSA below 2048 bits.
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, 2)
        switch role {
        case .client:
            return unsafe X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_CLIENT) == 1
        case .server(let host):
            guard unsafe X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER) == 1 else { return false }
            guard let host else { return true }
            if unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 { return true }
            // An empty name would disable the comparison.
            guard !host.isEmpty else { return false }
            unsafe X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            return unsafe X509_VERIFY_PARAM_set1_host(parameters, host, host.utf8.count) == 1
        }
    }

    private static func fault(_ error: Int32) -> CertificateFault {
        switch error {
        case X509_V_ERR_CERT_HAS_EXPIRED: .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .wrongHost
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
            .unknownIssuer
        default: .unacceptable(unsafe String(cString: X509_verify_cert_error_string(Int(error))))
        }
    }
}
