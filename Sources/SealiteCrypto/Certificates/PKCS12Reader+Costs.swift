internal import COpenSSL

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
