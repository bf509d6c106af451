internal import COpenSSL

/// Reads the private keys and the certificates of PKCS#12 (RFC 7292) with OpenSSL.
///
/// The costs of a file's encrypted parts are checked before OpenSSL opens any of them. The MAC doesn't limit them: it
/// proves only that the author knew the passphrase, and a file need not have a MAC.
@safe
struct PKCS12Reader {
    private let file: OpaquePointer
    private let bytes: UnsafeRawBufferPointer
    /// The forms of the passphrase that are tried, the likeliest first. RFC 7292 states two encodings of an empty
    /// passphrase, and programs differ: nil is a passphrase of no bytes, an empty text has a terminator of two bytes.
    private var forms: [PassphraseForm]
    private let byteCount: CInt
    private var budget = DerivationBudget()
    private let algorithms = DecryptionContexts()

    /// The hint to convert a file to PEM, with an encrypted key.
    static let conversion = "convert it to PEM with 'openssl pkcs12 -legacy -in OLD.p12 -out NEW.pem'"

    /// Returns the only private key of the file that has a certificate, or the one with the name `name`, and all
    /// certificates.
    static func parts(
        of bytes: borrowing SecretBytes, _ passphrase: borrowing SecretBytes?, name: String?
    ) throws(IdentityError) -> IdentityParts {
        defer { ERR_clear_error() }
        guard let file = try unsafe bytes.withBIO({ unsafe d2i_PKCS12_bio($0, nil) }) else {
            throw IdentityError(.notPKCS12, "the bytes are not PKCS#12", hint: "give a .p12 file, or PEM files")
        }
        defer { unsafe PKCS12_free(file) }
        let text = PassphraseText(passphrase)
        return try unsafe bytes.withUnsafeBytes { (bytes) throws(IdentityError) in
            try unsafe text.withCString { (text, count) throws(IdentityError) in
                var reader = unsafe PKCS12Reader(file, bytes, text, count)
                return try reader.contents().parts(name: name)
            }
        }
    }

    private init(_ file: OpaquePointer, _ bytes: UnsafeRawBufferPointer, _ text: UnsafePointer<CChar>, _ count: Int) {
        unsafe self.file = file
        unsafe self.bytes = bytes
        forms = unsafe count == 0 ? [PassphraseForm(text), PassphraseForm(nil)] : [PassphraseForm(text)]
        byteCount = CInt(count)
    }

    private mutating func contents() throws(IdentityError) -> PKCS12Contents {
        guard let safes = unsafe PKCS12_unpack_authsafes(file) else { throw Self.unreadable }
        defer { unsafe Self.freeSafes(safes) }
        let parts = try unsafe Self.elements(of: safes).map { (part) throws(IdentityError) in try PKCS12Part(part) }
        var contents = PKCS12Contents(
            isAuthenticated: try checkMAC(), hasPassphrase: byteCount > 0)
        for part in parts { try unsafe spend(on: part.algorithm) }
        let opened = try parts.map { (part) throws(IdentityError) in try bags(in: part) }
        for bags in opened { try unsafe spend(onBags: bags.pointer) }
        for (part, bags) in zip(parts, opened) {
            try unsafe read(bags.pointer, isEncrypted: part.algorithm != nil, &contents)
        }
        return contents
    }

    // MARK: - The passphrase

    /// Returns whether the file has a MAC, which was then verified with the passphrase.
    private mutating func checkMAC() throws(IdentityError) -> Bool {
        guard unsafe PKCS12_mac_present(file) == 1 else { return false }
        var algorithm: UnsafePointer<X509_ALGOR>?
        var iterations: UnsafePointer<ASN1_INTEGER>?
        unsafe PKCS12_get0_mac(nil, &algorithm, nil, &iterations, file)
        for _ in forms {
            // RFC 7292 §4: one iteration if the file doesn't state a number.
            if unsafe iterations != nil { try unsafe budget.spend(iterations: iterations) }
            try unsafe budget.spend(on: algorithm)
        }
        ERR_clear_error()
        let name = unsafe DerivationBudget.name(of: algorithm?.pointee.algorithm)
        if try unsafe name == DerivationBudget.pbmac1 ? checkPBMAC1(algorithm) : checkOlderMAC(name) { return true }
        guard byteCount > 0 else {
            throw IdentityError(
                .wrongPassphrase, "the PKCS#12 file doesn't open without a passphrase", hint: "give its passphrase")
        }
        throw IdentityError(
            .wrongPassphrase,
            "the passphrase doesn't open the PKCS#12 file: it is wrong, or the file is damaged")
    }

    private func checkPBMAC1(_ algorithm: UnsafePointer<X509_ALGOR>?) throws(IdentityError) -> Bool {
        var mac: UnsafePointer<ASN1_OCTET_STRING>?
        unsafe PKCS12_get0_mac(&mac, nil, nil, nil, file)
        guard let algorithm = unsafe algorithm, let scheme = unsafe PBMAC1(algorithm),
            let passphrase = unsafe forms[0].text
        else {
            throw IdentityError(
                .unsupported, "the PKCS#12 file has a MAC of the kind PBMAC1 with parameters that aren't supported",
                hint: Self.conversion)
        }
        return unsafe scheme.isValid(mac, of: bytes, passphrase, byteCount)
    }

    private mutating func checkOlderMAC(_ algorithm: String) throws(IdentityError) -> Bool {
        let right = forms.firstIndex { unsafe PKCS12_verify_mac(file, $0.text, byteCount) == 1 }
        if let right { forms.swapAt(0, right) }
        guard right == nil, Self.reasonsOfFailure().contains(PKCS12_R_UNKNOWN_DIGEST_ALGORITHM) else {
            return right != nil
        }
        throw IdentityError(
            .unsupported,
            "the PKCS#12 file has a MAC with the algorithm \(algorithm), which this OpenSSL doesn't offer",
            hint: "where another OpenSSL offers it, \(Self.conversion)")
    }

    /// Subtracts the cost of deriving a key, once for each form of the passphrase, from the budget.
    private mutating func spend(on algorithm: UnsafePointer<X509_ALGOR>?) throws(IdentityError) {
        for _ in forms { try unsafe budget.spend(on: algorithm) }
    }

    /// Subtracts the costs of decrypting the bags that are encrypted keys from the budget. The recursion is bounded:
    /// OpenSSL decodes bags that are nested in bags up to 30 levels deep.
    private mutating func spend(onBags bags: OpaquePointer) throws(IdentityError) {
        for bag in unsafe Self.elements(of: bags) {
            let bag = unsafe bag.pointer
            switch unsafe PKCS12_SAFEBAG_get_nid(bag) {
            case NID_pkcs8ShroudedKeyBag:
                try unsafe spend(on: Self.algorithm(of: PKCS12_SAFEBAG_get0_pkcs8(bag)))
            case NID_safeContentsBag:
                if let inner = unsafe PKCS12_SAFEBAG_get0_safes(bag) { try unsafe spend(onBags: inner) }
            default: break
            }
        }
    }

    // MARK: - The content

    /// Returns the bags (the elements) of a part.
    private func bags(in part: PKCS12Part) throws(IdentityError) -> BagStack {
        guard let algorithm = unsafe part.algorithm else {
            guard let bags = unsafe PKCS12_unpack_p7data(part.pointer) else { throw Self.unreadable }
            return unsafe BagStack(bags)
        }
        return unsafe BagStack(try decrypted(algorithm, part.encrypted, PKCS12_SAFEBAGS_it(), "certificates"))
    }

    private func read(
        _ bags: OpaquePointer, isEncrypted: Bool, _ contents: inout PKCS12Contents
    ) throws(IdentityError) {
        for bag in unsafe Self.elements(of: bags) {
            let bag = unsafe bag.pointer
            switch unsafe PKCS12_SAFEBAG_get_nid(bag) {
            case NID_keyBag:
                guard let info = unsafe PKCS12_SAFEBAG_get0_p8inf(bag) else { throw Self.unreadable }
                try contents.add(try unsafe key(info, bag, isEncrypted: isEncrypted))
            case NID_pkcs8ShroudedKeyBag:
                let sealed = unsafe PKCS12_SAFEBAG_get0_pkcs8(bag)
                var data: UnsafePointer<ASN1_OCTET_STRING>?
                unsafe X509_SIG_get0(sealed, nil, &data)
                guard let algorithm = unsafe Self.algorithm(of: sealed) else { throw Self.unreadable }
                let info = try unsafe decrypted(algorithm, data, PKCS8_PRIV_KEY_INFO_it(), "private key")
                defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
                try contents.add(try unsafe key(info, bag, isEncrypted: true))
            case NID_certBag:
                // Certificates of other kinds than X.509 have no place in an identity.
                guard unsafe PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate else { continue }
                guard let certificate = unsafe PKCS12_SAFEBAG_get1_cert(bag) else { throw Self.unreadable }
                try contents.add(unsafe X509Certificate(certificate))
            case NID_safeContentsBag:
                guard let inner = unsafe PKCS12_SAFEBAG_get0_safes(bag) else { continue }
                try unsafe read(inner, isEncrypted: isEncrypted, &contents)
            default: break
            }
        }
    }

    /// Returns false for a DSA or Diffie-Hellman key of more than 2,048 bytes: OpenSSL computes the public key from it, whatever
    /// its size. DSA with 3,072 bits takes some 900.
    private static func hasBoundedCost(_ info: OpaquePointer) -> Bool {
        var kind: OpaquePointer?
        guard unsafe PKCS8_pkey_get0(&kind, nil, nil, nil, info) == 1 else { return false }
        let isComputed = unsafe [EVP_PKEY_DSA, EVP_PKEY_DH, EVP_PKEY_DHX].contains(EVP_PKEY_type(OBJ_obj2nid(kind)))
        return unsafe !isComputed || i2d_PKCS8_PRIV_KEY_INFO(info, nil) <= 2_048
    }

    private func key(
        _ info: OpaquePointer, _ bag: OpaquePointer, isEncrypted: Bool
    ) throws(IdentityError) -> PKCS12Contents.Key {
        guard unsafe Self.hasBoundedCost(info), let key = unsafe EVP_PKCS82PKEY(info) else {
            throw IdentityError(
                .unsupported,
                "a private key of the PKCS#12 file is damaged, or of a kind that this OpenSSL doesn't read",
                hint: "use a certificate with an RSA or elliptic-curve key")
        }
        let owned = unsafe PrivateKey(key)
        let text = unsafe PKCS12_get_friendlyname(bag)
        defer { unsafe CRYPTO_free(text, nil, 0) }
        return PKCS12Contents.Key(
            key: owned, name: unsafe text.map { unsafe String(cString: $0) }, isEncrypted: isEncrypted)
    }

    /// Decrypts and decodes something that is encrypted with the passphrase; `what` names it in errors.
    private func decrypted(
        _ algorithm: UnsafePointer<X509_ALGOR>, _ data: UnsafePointer<ASN1_OCTET_STRING>?,
        _ item: OpaquePointer?, _ what: String
    ) throws(IdentityError) -> OpaquePointer {
        guard let data = unsafe data else { throw Self.unreadable }
        let context = try unsafe algorithms.context(for: algorithm)
        for form in forms {
            let found = unsafe PKCS12_item_decrypt_d2i_ex(
                algorithm, item, form.text, byteCount, data, 1, context, nil)
            if let found = unsafe found { return OpaquePointer(found) }
        }
        guard byteCount > 0 else {
            throw IdentityError(
                .wrongPassphrase, "the \(what) of the PKCS#12 file can't be decrypted without a passphrase",
                hint: "give its passphrase")
        }
        throw IdentityError(
            .wrongPassphrase,
            "the \(what) of the PKCS#12 file can't be decrypted: the passphrase is wrong or another one than that of"
                + " the file's MAC, or the file is damaged",
            hint: "if it has two passphrases, convert it to PEM with 'openssl pkcs12 -twopass -in OLD.p12 -out NEW.pem'"
        )
    }

    // MARK: - OpenSSL

    private static func algorithm(of sealed: OpaquePointer?) -> UnsafePointer<X509_ALGOR>? {
        guard let sealed = unsafe sealed else { return nil }
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_SIG_get0(sealed, &algorithm, nil)
        return unsafe algorithm
    }

    private static func elements(of stack: OpaquePointer) -> [StackElement] {
        let count = unsafe OPENSSL_sk_num(stack)
        return (0..<count).compactMap { index in
            guard let element = unsafe OPENSSL_sk_value(stack, index) else { return nil }
            return unsafe StackElement(element)
        }
    }

    private static func freeSafes(_ safes: OpaquePointer) {
        while let safe = unsafe OPENSSL_sk_pop(safes) { unsafe PKCS7_free(safe.assumingMemoryBound(to: PKCS7.self)) }
        unsafe OPENSSL_sk_free(safes)
    }

    /// Returns the reasons of OpenSSL's PKCS#12 routines in the queue of errors, and empties the queue.
    private static func reasonsOfFailure() -> Set<CInt> {
        var reasons: Set<CInt> = []
        while case let number = ERR_get_error(), number != 0 {
            if ERR_GET_LIB(number) == ERR_LIB_PKCS12 { reasons.insert(ERR_GET_REASON(number)) }
        }
        return reasons
    }

    /// The error for a file whose content can't be decoded; the queue of OpenSSL's errors says why.
    static var unreadable: IdentityError {
        guard !reasonsOfFailure().contains(PKCS12_R_CONTENT_TYPE_NOT_DATA) else {
            return IdentityError(
                .unsupported, "the PKCS#12 file is signed with a public key in place of a passphrase",
                hint: "export the identity again, with a passphrase")
        }
        return IdentityError(.notPKCS12, "the content of the PKCS#12 file is damaged")
    }
}

/// A passphrase as OpenSSL takes it; nil is one of no bytes.
@safe
private struct PassphraseForm {
    let text: UnsafePointer<CChar>?

    init(_ text: UnsafePointer<CChar>?) { unsafe self.text = text }
}

/// An element of a stack of OpenSSL, to which the stack belongs.
@safe
private struct StackElement {
    let raw: UnsafeMutableRawPointer
    var pointer: OpaquePointer { unsafe OpaquePointer(raw) }

    init(_ raw: UnsafeMutableRawPointer) { unsafe self.raw = raw }
}

/// The bags of a part, which are freed at the end of the lifetime.
@safe
private final class BagStack {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit {
        while let bag = unsafe OPENSSL_sk_pop(pointer) { unsafe PKCS12_SAFEBAG_free(OpaquePointer(bag)) }
        unsafe OPENSSL_sk_free(pointer)
    }
}

/// A part of a PKCS#12 file: bags, plain or encrypted with the passphrase.
@safe
private struct PKCS12Part {
    let pointer: UnsafeMutablePointer<PKCS7>
    /// The encryption; nil for none.
    let algorithm: UnsafePointer<X509_ALGOR>?
    let encrypted: UnsafePointer<ASN1_OCTET_STRING>?

    /// Interprets an element of the stack of a file's parts.
    init(_ element: StackElement) throws(IdentityError) {
        let part = unsafe element.raw.assumingMemoryBound(to: PKCS7.self)
        unsafe pointer = part
        switch unsafe OBJ_obj2nid(part.pointee.type) {
        case NID_pkcs7_data: unsafe (algorithm, encrypted) = (nil, nil)
        case NID_pkcs7_encrypted:
            guard let content = unsafe part.pointee.d.encrypted?.pointee.enc_data,
                let stated = unsafe content.pointee.algorithm
            else { throw PKCS12Reader.unreadable }
            unsafe (algorithm, encrypted) = unsafe (UnsafePointer(stated), UnsafePointer(content.pointee.enc_data))
        default:
            throw IdentityError(
                .unsupported, "a part of the PKCS#12 file is encrypted for a public key in place of a passphrase",
                hint: "export the identity again, with a passphrase")
        }
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
