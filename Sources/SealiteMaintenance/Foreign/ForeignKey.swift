public import SealiteCrypto
import SealiteFile

/// The key of a database that another program encrypted.
public enum ForeignKey: ~Copyable, Sendable {
    /// The passphrase, as it was given to the other program; SQLCipher takes a text such as `x'…'` with 64 or 96 hex digits
    /// for a raw key.
    case passphrase(SecretBytes)
    /// The raw key of 32 bytes, or the raw key and the salt, 48 bytes, which the other program takes as `x'…'` and 64 or
    /// 96 hex digits.
    case rawKey(SecretBytes)
}

extension ForeignEncryption.Digest {
    var hash: HashFunction {
        switch self {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}

/// The keys with which the pages of a file are decrypted.
struct ForeignPageKeys: ~Copyable {
    /// The key of the cipher, 32 bytes, or 16 for AES-128.
    let cipher: SecretBytes
    /// The key of the HMAC; nil if pages have none, or one with a key of their own.
    let authentication: SecretBytes?

    /// Derives the keys. SQLCipher takes some passphrases for raw keys.
    ///
    /// - Parameters:
    ///   - key: the file's key.
    ///   - settings: the encryption of the file.
    ///   - stored: the first 16 bytes of the file, which contain the salt.
    /// - Returns: the keys.
    /// - Throws: `SealedFileError` `invalidArgument` for a raw key of another length, or for a cipher that takes none;
    ///   `internalFailure`.
    static func derived(
        from key: borrowing ForeignKey, _ settings: ForeignEncryption, stored: [UInt8]
    ) throws(SealedFileError) -> ForeignPageKeys {
        if settings.cipher == .sqlcipher, let raw = key.rawKeyInPassphrase {
            return try derived(from: .rawKey(raw), settings, stored: stored)
        }
        let salt = key.salt ?? settings.salt ?? stored
        let cipher = try cipherKey(key, settings, salt)
        let authentication = try authenticationKey(cipher, settings, salt)
        return ForeignPageKeys(cipher: cipher, authentication: authentication)
    }

    private static func authenticationKey(
        _ cipher: borrowing SecretBytes, _ settings: ForeignEncryption, _ salt: [UInt8]
    ) throws(SealedFileError) -> SecretBytes? {
        guard settings.cipher == .sqlcipher, settings.authentication != nil else { return nil }
        return try SealedFileError.mappingCrypto { () throws(CryptoError) in
            try PBKDF2.deriveKey(
                settings.derivation.hash, passphrase: cipher, salt: salt.map { $0 ^ 0x3A }, iterations: 2,
                byteCount: 32)
        }
    }

    private static func cipherKey(
        _ key: borrowing ForeignKey, _ settings: ForeignEncryption, _ salt: [UInt8]
    ) throws(SealedFileError) -> SecretBytes {
        switch key {
        case .passphrase(let text):
            return try SealedFileError.mappingCrypto { () throws(CryptoError) in try derive(text, settings, salt) }
        case .rawKey(let bytes):
            let takesRawKeys = settings.cipher == .sqlcipher || settings.cipher == .chacha20
            guard takesRawKeys, bytes.byteCount == 32 || bytes.byteCount == 48 else {
                throw SealedFileError(
                    .invalidArgument,
                    takesRawKeys
                        ? "a raw key has 32 bytes, or 48 with the salt, not \(bytes.byteCount)"
                        : "the cipher \(settings.cipher.rawValue) takes passphrases only, not raw keys")
            }
            return unsafe bytes.withUnsafeBytes {
                unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<32]))
            }
        }
    }

    private static func derive(
        _ text: borrowing SecretBytes, _ settings: ForeignEncryption, _ salt: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        switch settings.cipher {
        case .sqlcipher, .chacha20:
            try PBKDF2.deriveKey(
                settings.derivation.hash, passphrase: text, salt: salt, iterations: settings.iterationCount,
                byteCount: 32)
        case .aes256cbc: try iterated(.sha256, padded(text), settings.iterationCount)
        case .aes128cbc: try keyOfAES128(padded(text), settings.iterationCount)
        }
    }

    // MARK: - wxSQLite3

    /// The bytes that fill up a passphrase, those of the encryption of PDF (ISO 32000-1 §7.6.3.3), as the format has it.
    private static let padding: [UInt8] = [
        0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08, 0x2E, 0x2E,
        0x00,
        0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
    ]

    private static func padded(_ text: borrowing SecretBytes) -> SecretBytes {
        unsafe text.withUnsafeBytes { text in
            unsafe SecretBytes(byteCount: 32) { output in
                for index in 0..<32 {
                    unsafe output[index] = index < text.count ? text[index] : padding[index - text.count]
                }
            }
        }
    }

    /// Returns the digest of bytes, and the digest of that, `count` times.
    private static func iterated(
        _ hash: HashFunction, _ bytes: borrowing SecretBytes, _ count: Int
    ) throws(CryptoError) -> SecretBytes {
        var digest = try unsafe bytes.withUnsafeBytes { (bytes) throws(CryptoError) in
            try unsafe hash.secretDigest(of: bytes)
        }
        for _ in 0..<count {
            digest = try unsafe digest.withUnsafeBytes { (bytes) throws(CryptoError) in
                try unsafe hash.secretDigest(of: bytes)
            }
        }
        return digest
    }

    /// Derives the key of AES-128 as revision 3 of PDF's encryption does: from the passphrase, and the passphrase
    /// encrypted twenty times with RC4 and a key from the owner's passphrase, which is empty.
    private static func keyOfAES128(_ user: borrowing SecretBytes, _ count: Int) throws(CryptoError) -> SecretBytes {
        let owner = try iterated(.md5, SecretBytes(copying: padding), count)
        let both = unsafe SecretBytes(byteCount: 64) { output in
            unsafe user.withUnsafeBytes { user in
                unsafe output.copyMemory(from: user)
                let second = unsafe UnsafeMutableRawBufferPointer(rebasing: output[32...])
                unsafe second.copyMemory(from: user)
                for round in 0..<20 {
                    let key = unsafe owner.withUnsafeBytes { owner in
                        unsafe SecretBytes(byteCount: 16) { key in
                            for index in 0..<16 { unsafe key[index] = owner[index] ^ UInt8(round) }
                        }
                    }
                    unsafe key.withUnsafeBytes { unsafe RC4.apply(to: second, key: $0) }
                }
            }
        }
        return try iterated(.md5, both, count)
    }
}
