internal import COpenSSL

extension SelfSignedCertificate {
    static func make(
        commonName: String, alternativeNames: [String], validity: Duration
    ) throws(CryptoError) -> SelfSignedCertificate {
        let key = try unsafe makeKey()
        defer { unsafe EVP_PKEY_free(key) }
        guard let certificate = unsafe X509_new() else {
            throw CryptoError.openSSL("making a self-signed certificate failed")
        }
        defer { unsafe X509_free(certificate) }
        try unsafe fill(certificate, commonName: commonName, validity: validity)
        var extensions = [
            (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
            (NID_ext_key_usage, "serverAuth,clientAuth"),
        ]
        if !alternativeNames.isEmpty {
            extensions.append((NID_subject_alt_name, alternativeNames.joined(separator: ",")))
        }
        for (identifier, value) in extensions { try unsafe add(identifier, value, to: certificate) }
        guard unsafe X509_set_pubkey(certificate, key) == 1, unsafe X509_sign(certificate, key, EVP_sha256()) > 0 else {
            throw CryptoError.openSSL("signing a self-signed certificate failed")
        }
        return SelfSignedCertificate(certificate: try unsafe encode(certificate), key: try unsafe encodeKey(key))
    }

    private static func makeKey() throws(CryptoError) -> OpaquePointer {
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe context != nil, unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1, unsafe EVP_PKEY_generate(context, &key) == 1,
            let key = unsafe key
        else { throw CryptoError.openSSL("generating a private key on the elliptic curve P-256 failed") }
        return unsafe key
    }

    private static func fill(
        _ certificate: OpaquePointer, commonName: String, validity: Duration
    ) throws(CryptoError) {
        // A random serial number of 127 bits (RFC 5280 §4.1.2.2: positive, at most 20 octets).
        var serial = [UInt8](repeating: 0, count: 16)
        let random = try SecretBytes.random(byteCount: serial.count)
        unsafe random.withUnsafeBytes { bytes in
            for index in serial.indices { unsafe serial[index] = bytes[index] }
        }
        serial[0] = serial[0] & 0x7F | 0x40
        let number = unsafe BN_bin2bn(serial, Int32(serial.count), nil)
        defer { unsafe BN_free(number) }
        let name = unsafe X509_get_subject_name(certificate)
        guard unsafe X509_set_version(certificate, 2) == 1, unsafe number != nil,
            unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil,
            unsafe X509_gmtime_adj(X509_getm_notBefore(certificate), -3_600) != nil,
            unsafe X509_gmtime_adj(X509_getm_notAfter(certificate), Int(validity.components.seconds)) != nil,
            unsafe X509_NAME_add_entry_by_txt(
                name, "CN", MBSTRING_UTF8, Array(commonName.utf8), Int32(commonName.utf8.count), -1, 0) == 1,
            unsafe X509_set_issuer_name(certificate, name) == 1
        else {
            throw CryptoError.openSSL("setting the name, serial number or validity of a self-signed certificate failed")
        }
    }

    private static func add(_ identifier: Int32, _ value: String, to certificate: OpaquePointer) throws(CryptoError) {
        let made = unsafe X509V3_EXT_conf_nid(nil, nil, identifier, value)
        defer { unsafe X509_EXTENSION_free(made) }
        guard unsafe made != nil, unsafe X509_add_ext(certificate, made, -1) == 1 else {
            throw CryptoError.openSSL("adding the extension \"\(value)\" to a self-signed certificate failed")
        }
    }

    private static func encode(_ certificate: OpaquePointer) throws(CryptoError) -> [UInt8] {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_X509(certificate, &encoded)
        guard count > 0, let encoded = unsafe encoded else {
            throw CryptoError.openSSL("encoding a self-signed certificate failed")
        }
        defer { unsafe CRYPTO_free(encoded, nil, 0) }
        return unsafe Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
    }

    private static func encodeKey(_ key: OpaquePointer) throws(CryptoError) -> SecretBytes {
        let info = unsafe EVP_PKEY2PKCS8(key)
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = unsafe info == nil ? 0 : unsafe i2d_PKCS8_PRIV_KEY_INFO(info, &encoded)
        guard count > 0, let encoded = unsafe encoded else {
            throw CryptoError.openSSL("encoding the private key of a self-signed certificate failed")
        }
        defer { unsafe CRYPTO_clear_free(encoded, Int(count), nil, 0) }
        return unsafe SecretBytes(copying: UnsafeRawBufferPointer(start: encoded, count: Int(count)))
    }
}
