internal import COpenSSL

/// Reads certificates and private keys in PEM (RFC 7468) with OpenSSL.
enum PEMReader {
    /// Returns every certificate of a PEM text, in the text's order.
    static func certificates(of bytes: borrowing SecretBytes) throws(IdentityError) -> [X509Certificate] {
        defer { ERR_clear_error() }
        return try unsafe bytes.withBIO { (source) throws(IdentityError) in
            var certificates: [X509Certificate] = []
            ERR_clear_error()
            while let next = unsafe PEM_read_bio_X509(source, nil, refuse, nil) {
                certificates.append(unsafe X509Certificate(next))
                guard certificates.count <= IdentityParts.maximumCertificateCount else {
                    throw IdentityError.tooManyCertificates
                }
            }
            // The end of the text is an error of this kind; any other error means damage.
            guard isNoStartLine(ERR_peek_last_error()) else {
                throw IdentityError(
                    .notPEM,
                    "certificate \(certificates.count + 1) of the PEM text can't be read: it is damaged or encrypted")
            }
            guard !certificates.isEmpty else {
                throw IdentityError(
                    .noCertificate, "there is no certificate in the PEM text",
                    hint: "a PEM certificate begins with the line -----BEGIN CERTIFICATE-----")
            }
            return certificates
        }
    }

    static func privateKey(
        of bytes: borrowing SecretBytes, _ passphrase: borrowing SecretBytes?
    ) throws(IdentityError) -> PrivateKey {
        defer { ERR_clear_error() }
        let text = PassphraseText(passphrase)
        let hasKey = unsafe bytes.withUnsafeBytes { unsafe contains($0, Array("PRIVATE KEY-----".utf8)) }
        // The marks of an encrypted PKCS#8 key, and of PEM's older encryption of a key.
        let isEncrypted = unsafe bytes.withUnsafeBytes { buffer in
            ["-----BEGIN ENCRYPTED PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED"]
                .contains { unsafe contains(buffer, Array($0.utf8)) }
        }
        return try unsafe text.withCString { (text, _) throws(IdentityError) in
            try unsafe bytes.withBIO { (source) throws(IdentityError) in try unsafe checkCosts(of: source, text) }
            ERR_clear_error()
            let pointer = try unsafe bytes.withBIO { source in
                // The callback's argument supplies the passphrase; OpenSSL never asks for one on a terminal.
                unsafe PEM_read_bio_PrivateKey(source, nil, nil, UnsafeMutableRawPointer(mutating: text))
            }
            if let pointer = unsafe pointer { return unsafe PrivateKey(pointer) }
            if isEncrypted {
                throw IdentityError(
                    .wrongPassphrase,
                    "the encrypted private key in the PEM text can't be opened: the passphrase is missing or"
                        + " wrong, the key is damaged, or this OpenSSL doesn't offer its encryption"
                )
            }
            guard !hasKey else {
                throw IdentityError(.notPEM, "the private key in the PEM text is damaged, or of an unknown kind")
            }
            throw IdentityError(.noPrivateKey, "there is no private key in the PEM text")
        }
    }

    /// Throws if deriving the keys that decrypt the blocks of a PEM text would exceed the `DerivationBudget` of one
    /// file. The cost of every block counts, whatever its name, because OpenSSL tries several blocks.
    private static func checkCosts(
        of source: OpaquePointer, _ text: UnsafePointer<CChar>
    ) throws(IdentityError) {
        var budget = DerivationBudget()
        while true {
            var (name, header): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?) = (nil, nil)
            var (data, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
            guard
                unsafe PEM_read_bio_ex(source, &name, &header, &data, &count, UInt32(PEM_FLAG_SECURE)) == 1
            else { return }
            defer {
                unsafe CRYPTO_secure_free(name, nil, 0)
                unsafe CRYPTO_secure_free(header, nil, 0)
                unsafe CRYPTO_secure_clear_free(data, count, nil, 0)
            }
            try unsafe spend(onBlock: data, count, header, text, &budget)
        }
    }

    /// Subtracts the cost of decrypting a block from the budget, if the block is an encrypted PKCS#8 key. Such a key
    /// may be inside a block with PEM's older encryption, which has no variable cost and is removed first.
    private static func spend(
        onBlock data: UnsafeMutablePointer<UInt8>?, _ count: Int, _ header: UnsafeMutablePointer<CChar>?,
        _ text: UnsafePointer<CChar>, _ budget: inout DerivationBudget
    ) throws(IdentityError) {
        var (cipher, count) = unsafe (EVP_CIPHER_INFO(), count)
        guard unsafe PEM_get_EVP_CIPHER_INFO(header, &cipher) == 1,
            unsafe PEM_do_header(&cipher, data, &count, nil, UnsafeMutableRawPointer(mutating: text)) == 1
        else { return }
        var start = unsafe UnsafePointer(data)
        guard let key = unsafe d2i_X509_SIG(nil, &start, count) else { return }
        defer { unsafe X509_SIG_free(key) }
        try unsafe budget.spend(onKey: key)
    }

    /// Answers OpenSSL's request for a passphrase with an error, so that nothing encrypted is read.
    private static let refuse:
        @convention(c) (UnsafeMutablePointer<CChar>?, CInt, CInt, UnsafeMutableRawPointer?) -> CInt =
            { _, _, _, _ in -1 }

    private static func isNoStartLine(_ number: UInt) -> Bool {
        ERR_GET_LIB(number) == ERR_LIB_PEM && ERR_GET_REASON(number) == PEM_R_NO_START_LINE
    }

    private static func contains(_ bytes: UnsafeRawBufferPointer, _ word: [UInt8]) -> Bool {
        guard bytes.count >= word.count else { return false }
        return (0...bytes.count - word.count).contains { start in
            word.indices.allSatisfy { unsafe bytes[start + $0] == word[$0] }
        }
    }
}

/// A passphrase as a C string, with a terminating NUL; an empty string if there is no passphrase.
struct PassphraseText: ~Copyable {
    private let bytes: SecretBytes
    private let byteCount: Int

    init(_ passphrase: borrowing SecretBytes?) {
        switch passphrase {
        case .some(let passphrase):
            byteCount = passphrase.byteCount
            bytes = unsafe SecretBytes(byteCount: passphrase.byteCount + 1) { buffer in
                unsafe passphrase.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
            }
        case .none:
            byteCount = 0
            bytes = unsafe SecretBytes(byteCount: 1) { _ in }
        }
    }

    func withCString<R>(
        _ body: (UnsafePointer<CChar>, Int) throws(IdentityError) -> R
    ) throws(IdentityError) -> R {
        try unsafe bytes.withUnsafeBytes { (buffer) throws(IdentityError) in
            guard let start = buffer.baseAddress else {
                throw IdentityError(
                    .failed, "the memory of the passphrase isn't accessible")
            }
            return try unsafe body(start.assumingMemoryBound(to: CChar.self), byteCount)
        }
    }
}
