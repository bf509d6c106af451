internal import COpenSSL

/// The MAC of RFC 9579 in a PKCS#12 file: an HMAC under a key that PBKDF2 derives. OpenSSL itself knows it from version
/// 3.4 on.
@safe
struct PBMAC1 {
    /// OpenSSL's names of the digests, which are constants of the library: that of PBKDF2's function, and the MAC's.
    private let derivation: UnsafePointer<CChar>
    private let digest: UnsafePointer<CChar>
    private let salt: [UInt8]
    private let iterations: CInt
    private let keyByteCount: Int

    /// RFC 9579 §5 advises against keys of less than 20 bytes.
    private static let keyByteCounts = 20...1024

    /// Reads the parameters of the MAC's algorithm; nil if they aren't valid, or name algorithms that this OpenSSL doesn't
    /// offer.
    init?(_ algorithm: UnsafePointer<X509_ALGOR>) {
        // PBMAC1-params has the form of the parameters of PBES2.
        guard let scheme = unsafe DerivationBudget.parameters(of: algorithm, d2i_PBE2PARAM) else { return nil }
        defer { unsafe PBE2PARAM_free(scheme) }
        guard let function = unsafe scheme.pointee.keyfunc,
            unsafe OBJ_obj2nid(function.pointee.algorithm) == NID_id_pbkdf2,
            let parameters = unsafe DerivationBudget.parameters(of: function, d2i_PBKDF2PARAM)
        else { return nil }
        defer { unsafe PBKDF2PARAM_free(parameters) }
        guard let salt = unsafe parameters.pointee.salt, unsafe salt.pointee.type == V_ASN1_OCTET_STRING,
            let text = unsafe salt.pointee.value.octet_string,
            let derivation = unsafe Self.digest(of: parameters.pointee.prf, standard: NID_hmacWithSHA1),
            let digest = unsafe Self.digest(of: scheme.pointee.encryption, standard: nil),
            let iterations = unsafe CInt(exactly: DerivationBudget.value(of: parameters.pointee.iter)), iterations > 0
        else { return nil }
        // RFC 9579 §5: the length of the key must be stated.
        keyByteCount = unsafe DerivationBudget.value(of: parameters.pointee.keylength)
        guard Self.keyByteCounts.contains(keyByteCount) else { return nil }
        unsafe self.derivation = derivation
        unsafe self.digest = digest
        self.salt = unsafe Array(
            UnsafeBufferPointer(start: ASN1_STRING_get0_data(text), count: Int(ASN1_STRING_length(text))))
        self.iterations = iterations
    }

    /// Returns whether `mac` is the MAC of the content of a PKCS#12 file.
    ///
    /// - Parameters:
    ///   - mac: the MAC that the file states.
    ///   - file: the file.
    ///   - passphrase: the passphrase in UTF-8, of `byteCount` bytes.
    ///   - byteCount: the number of bytes of the passphrase.
    /// - Returns: false too if the content can't be read.
    func isValid(
        _ mac: UnsafePointer<ASN1_OCTET_STRING>?, of file: UnsafeRawBufferPointer, _ passphrase: UnsafePointer<CChar>,
        _ byteCount: CInt
    ) -> Bool {
        guard let mac = unsafe mac, let content = unsafe PKCS12Content(file) else { return false }
        var isDerived = false
        let key = unsafe SecretBytes(byteCount: keyByteCount) { key in
            isDerived =
                unsafe PKCS5_PBKDF2_HMAC(
                    passphrase, byteCount, salt, CInt(salt.count), iterations, EVP_get_digestbyname(derivation),
                    CInt(key.count),
                    key.baseAddress?.assumingMemoryBound(to: UInt8.self)) == 1
        }
        // Otherwise the key would be zeros, which everybody knows: in FIPS mode OpenSSL has the name of MD5 without its function.
        guard isDerived else { return false }
        var found = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count = 0
        let isMade = unsafe key.withUnsafeBytes { key in
            unsafe EVP_Q_mac(
                nil, "HMAC", nil, digest, nil, key.baseAddress, key.count, ASN1_STRING_get0_data(content.text),
                Int(ASN1_STRING_length(content.text)), &found, found.count, &count) != nil
        }
        return unsafe isMade && count > 0 && count == Int(ASN1_STRING_length(mac))
            && CRYPTO_memcmp(found, ASN1_STRING_get0_data(mac), count) == 0
    }

    /// Returns the name of the digest of an HMAC with the identifier of an algorithm; of `standard` if none is stated.
    private static func digest(of algorithm: UnsafePointer<X509_ALGOR>?, standard: CInt?) -> UnsafePointer<CChar>? {
        var digest: CInt = NID_undef
        guard let hmac = unsafe algorithm.map({ unsafe OBJ_obj2nid($0.pointee.algorithm) }) ?? standard,
            unsafe EVP_PBE_find(EVP_PBE_TYPE_PRF, hmac, nil, &digest, nil) == 1, digest > NID_undef
        else { return nil }
        guard let name = unsafe OBJ_nid2sn(digest), unsafe EVP_get_digestbyname(name) != nil else { return nil }
        return unsafe name
    }
}

/// The content of a PKCS#12 file over which its MAC is computed. OpenSSL's own structure of a file is opaque.
@safe
private final class PKCS12Content {
    private let info: UnsafeMutablePointer<PKCS7>
    /// The content's bytes.
    let text: UnsafePointer<ASN1_OCTET_STRING>

    init?(_ file: UnsafeRawBufferPointer) {
        var cursor = unsafe file.baseAddress?.assumingMemoryBound(to: UInt8.self)
        // PFX (RFC 7292 §4): the version, the content, the MAC.
        guard let elements = unsafe d2i_ASN1_SEQUENCE_ANY(nil, &cursor, file.count) else { return nil }
        defer {
            while let element = unsafe OPENSSL_sk_pop(elements) {
                unsafe ASN1_TYPE_free(element.assumingMemoryBound(to: ASN1_TYPE.self))
            }
            unsafe OPENSSL_sk_free(elements)
        }
        guard let element = unsafe OPENSSL_sk_value(elements, 1)?.assumingMemoryBound(to: ASN1_TYPE.self),
            unsafe element.pointee.type == V_ASN1_SEQUENCE, let sequence = unsafe element.pointee.value.sequence
        else { return nil }
        var start = unsafe ASN1_STRING_get0_data(sequence)
        guard let info = unsafe d2i_PKCS7(nil, &start, Int(ASN1_STRING_length(sequence))) else { return nil }
        guard unsafe OBJ_obj2nid(info.pointee.type) == NID_pkcs7_data, let text = unsafe info.pointee.d.data else {
            unsafe PKCS7_free(info)
            return nil
        }
        unsafe self.info = info
        unsafe self.text = unsafe UnsafePointer(text)
    }

    deinit { unsafe PKCS7_free(info) }
}
