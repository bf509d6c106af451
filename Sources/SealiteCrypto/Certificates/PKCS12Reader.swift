internal import COpenSSL

/// Reads the private key and the certificates of PKCS#12 (RFC 7292) with OpenSSL.
enum PKCS12Reader {
    static func parts(
        of bytes: borrowing SecretBytes, _ passphrase: borrowing SecretBytes?
    ) throws(IdentityError) -> IdentityParts {
        defer { ERR_clear_error() }
        guard let file = try unsafe bytes.withBIO({ unsafe d2i_PKCS12_bio($0, nil) }) else {
            throw IdentityError(.notPKCS12, "the bytes are not PKCS#12", hint: "give a .p12 file, or PEM files")
        }
        defer { unsafe PKCS12_free(file) }
        let text = PassphraseText(passphrase)
        return try unsafe text.withCString { (text, count) throws(IdentityError) in
            let isProtected = unsafe PKCS12_mac_present(file) == 1
            var budget = DerivationBudget()
            try unsafe spendOnMAC(of: file, &budget)
            guard unsafe !isProtected || opens(file, text, count) else {
                throw IdentityError(
                    .wrongPassphrase,
                    count == 0
                        ? "the PKCS#12 file doesn't open without a passphrase"
                        : "the passphrase doesn't open the PKCS#12 file: it is wrong, the file is damaged, or"
                            + " this OpenSSL doesn't offer the algorithm of the file's MAC"
                )
            }
            try unsafe spendOnParts(of: file, text, count, &budget)
            return try unsafe parse(file, text, isProtected: isProtected)
        }
    }

    /// Subtracts the cost of checking the file's MAC from the budget (RFC 7292 §4: one iteration if the file doesn't
    /// state a number).
    private static func spendOnMAC(of file: OpaquePointer, _ budget: inout DerivationBudget) throws(IdentityError) {
        var algorithm: UnsafePointer<X509_ALGOR>?
        var iterations: UnsafePointer<ASN1_INTEGER>?
        unsafe PKCS12_get0_mac(nil, &algorithm, nil, &iterations, file)
        if unsafe iterations != nil { try unsafe budget.spend(iterations: iterations) }
        try unsafe budget.spend(on: algorithm)
    }

    /// Returns whether the file's MAC is valid with the passphrase. With an empty passphrase, also tries none at all:
    /// programs differ in how they encode an empty passphrase.
    private static func opens(_ file: OpaquePointer, _ text: UnsafePointer<CChar>, _ count: Int) -> Bool {
        unsafe PKCS12_verify_mac(file, text, CInt(count)) == 1
            || (count == 0 && PKCS12_verify_mac(file, nil, 0) == 1)
    }

    private static func parse(
        _ file: OpaquePointer, _ text: UnsafePointer<CChar>, isProtected: Bool
    ) throws(IdentityError) -> IdentityParts {
        var (key, own, others): (OpaquePointer?, OpaquePointer?, OpaquePointer?) = (nil, nil, nil)
        guard unsafe PKCS12_parse(file, text, &key, &own, &others) == 1 else {
            guard isProtected else {
                // Without a MAC, a wrong passphrase can't be told from an encryption that OpenSSL doesn't offer.
                throw IdentityError(
                    .wrongPassphrase,
                    "the PKCS#12 file can't be decrypted: the passphrase is missing or wrong, the file is"
                        + " damaged, or this OpenSSL doesn't offer its encryption",
                    hint: "convert it with 'openssl pkcs12 -legacy' and 'openssl pkcs12 -export'")
            }
            throw IdentityError(
                .unsupported, "the PKCS#12 file is encrypted in a way that this OpenSSL doesn't offer, such as RC2",
                hint: "convert it with 'openssl pkcs12 -legacy' and 'openssl pkcs12 -export'")
        }
        var certificates: [X509Certificate] = []
        if let own = unsafe own { certificates.append(unsafe X509Certificate(own)) }
        certificates += unsafe takeStack(others)
        guard let key = unsafe key else {
            throw IdentityError(.noPrivateKey, "there is no private key in the PKCS#12 file")
        }
        let owned = unsafe PrivateKey(key)
        guard certificates.count <= IdentityParts.maximumCertificateCount else {
            throw IdentityError.tooManyCertificates
        }
        return IdentityParts(key: owned, certificates: certificates)
    }

    /// Returns the certificates of an OpenSSL stack, and frees the stack.
    private static func takeStack(_ stack: OpaquePointer?) -> [X509Certificate] {
        guard let stack = unsafe stack else { return [] }
        defer { unsafe OPENSSL_sk_free(stack) }
        return unsafe (0..<OPENSSL_sk_num(stack)).compactMap { index in
            unsafe OPENSSL_sk_value(stack, index).map { unsafe X509Certificate(OpaquePointer($0)) }
        }
    }
}

extension IdentityError {
    static var tooManyCertificates: IdentityError {
        IdentityError(.tooLarge, "more than \(IdentityParts.maximumCertificateCount) certificates were given")
    }
}

extension SecretBytes {
    /// Calls `body` with a BIO, a stream of OpenSSL, from which the bytes can be read; it is freed afterwards. Throws
    /// `tooLarge` for more than 1 MiB, `failed` if OpenSSL has no memory, and the errors of `body`.
    borrowing func withBIO<R>(_ body: (OpaquePointer) throws(IdentityError) -> R) throws(IdentityError) -> R {
        guard byteCount <= ClientIdentity.maximumByteCount else {
            throw IdentityError(
                .tooLarge, "the PKCS#12 or PEM file has more than \(ClientIdentity.maximumByteCount) bytes")
        }
        return try unsafe withUnsafeBytes { (bytes) throws(IdentityError) in
            guard let source = unsafe BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count)) else {
                throw IdentityError(.failed, "OpenSSL has no memory to read the certificate or private key")
            }
            defer { unsafe BIO_free(source) }
            return try unsafe body(source)
        }
    }
}

// The costs of a file's encrypted parts are checked before OpenSSL opens them all. The MAC doesn't limit them: it
// proves only that the author knew the passphrase, and a file need not have a MAC.
extension PKCS12Reader {
    /// Subtracts the costs of decrypting all encrypted parts of the file from the budget. A part that contains
    /// encrypted keys is decrypted twice: for this check, and later for its content. A part that can't be decrypted is
    /// skipped: the parser reports the error.
    static func spendOnParts(
        of file: OpaquePointer, _ text: UnsafePointer<CChar>, _ count: Int, _ budget: inout DerivationBudget
    ) throws(IdentityError) {
        guard let safes = unsafe PKCS12_unpack_authsafes(file) else { return }
        defer { unsafe freeSafes(safes) }
        for index in unsafe 0..<OPENSSL_sk_num(safes) {
            guard let safe = unsafe OPENSSL_sk_value(safes, index)?.assumingMemoryBound(to: PKCS7.self) else {
                continue
            }
            guard let bags = try unsafe bags(in: safe, text, count, &budget) else { continue }
            defer { unsafe freeBags(bags) }
            try unsafe spend(onBags: bags, &budget)
        }
    }

    /// Returns the bags (the elements) of a part, which the caller must free; nil if the part can't be decrypted.
    private static func bags(
        in safe: UnsafeMutablePointer<PKCS7>, _ text: UnsafePointer<CChar>, _ count: Int,
        _ budget: inout DerivationBudget
    ) throws(IdentityError) -> OpaquePointer? {
        switch unsafe OBJ_obj2nid(safe.pointee.type) {
        case NID_pkcs7_data: return unsafe PKCS12_unpack_p7data(safe)
        case NID_pkcs7_encrypted:
            try unsafe budget.spend(on: safe.pointee.d.encrypted?.pointee.enc_data?.pointee.algorithm)
            return unsafe decrypted(safe, text, count)
        default: return nil
        }
    }

    /// Subtracts the costs of decrypting the bags that are encrypted keys from the budget. The recursion is bounded:
    /// OpenSSL decodes bags that are nested in bags up to 30 levels deep.
    private static func spend(
        onBags bags: OpaquePointer, _ budget: inout DerivationBudget
    ) throws(IdentityError) {
        for index in unsafe 0..<OPENSSL_sk_num(bags) {
            guard let bag = unsafe OPENSSL_sk_value(bags, index).map(OpaquePointer.init) else { continue }
            switch unsafe PKCS12_SAFEBAG_get_nid(bag) {
            case NID_pkcs8ShroudedKeyBag: try unsafe budget.spend(onKey: PKCS12_SAFEBAG_get0_pkcs8(bag))
            case NID_safeContentsBag:
                if let inner = unsafe PKCS12_SAFEBAG_get0_safes(bag) { try unsafe spend(onBags: inner, &budget) }
            default: break
            }
        }
    }

    /// Decrypts a part, and returns its bags; nil if that fails. With an empty passphrase, also tries none at all:
    /// programs differ in how they encode an empty passphrase.
    private static func decrypted(
        _ safe: UnsafeMutablePointer<PKCS7>, _ text: UnsafePointer<CChar>, _ count: Int
    ) -> OpaquePointer? {
        if let bags = unsafe PKCS12_unpack_p7encdata(safe, text, CInt(count)) { return unsafe bags }
        return count == 0 ? unsafe PKCS12_unpack_p7encdata(safe, nil, 0) : nil
    }

    private static func freeSafes(_ safes: OpaquePointer) {
        while let safe = unsafe OPENSSL_sk_pop(safes) { unsafe PKCS7_free(safe.assumingMemoryBound(to: PKCS7.self)) }
        unsafe OPENSSL_sk_free(safes)
    }

    private static func freeBags(_ bags: OpaquePointer) {
        while let bag = unsafe OPENSSL_sk_pop(bags) { unsafe PKCS12_SAFEBAG_free(OpaquePointer(bag)) }
        unsafe OPENSSL_sk_free(bags)
    }
}

extension DerivationBudget {
    /// Subtracts the cost of opening an encrypted PKCS#8 private key from the budget.
    mutating func spend(onKey key: OpaquePointer?) throws(IdentityError) {
        guard let key = unsafe key else { return }
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_SIG_get0(key, &algorithm, nil)
        try unsafe spend(on: algorithm)
    }
}
