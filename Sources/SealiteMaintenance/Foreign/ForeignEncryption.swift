import SealiteCrypto
public import SealiteFile

/// The encryption of an SQLite database by another program: SQLCipher, or SQLite3MultipleCiphers with one of its ciphers. The
/// settings have the names of that program's pragmas (``set(_:to:)``).
///
/// The formats: <https://www.zetetic.net/sqlcipher/design/>, <https://utelle.github.io/SQLite3MultipleCiphers/>.
public struct ForeignEncryption: Sendable, Hashable {
    /// The ciphers of the files that Sealite reads, under the names that SQLite3MultipleCiphers gives them.
    public enum Cipher: String, Sendable, CaseIterable {
        /// AES-256 in CBC mode with HMAC: SQLCipher, and SQLite3MultipleCiphers' form of it.
        case sqlcipher
        /// ChaCha20 with Poly1305, the default of SQLite3MultipleCiphers.
        case chacha20
        /// AES-256 in CBC mode without authentication, of wxSQLite3.
        case aes256cbc
        /// AES-128 in CBC mode without authentication, of wxSQLite3.
        case aes128cbc
    }

    /// The hash functions of key derivation and authentication.
    public enum Digest: String, Sendable, CaseIterable {
        /// SHA-1, of SQLCipher 1 to 3.
        case sha1 = "SHA1"
        /// SHA-256.
        case sha256 = "SHA256"
        /// SHA-512, of SQLCipher 4.
        case sha512 = "SHA512"
    }

    /// The cipher.
    public let cipher: Cipher
    /// The page size in bytes, a power of two from 512 to 65536.
    public private(set) var pageSize = 4096
    /// The number of iterations with which the key is derived from a passphrase.
    public private(set) var iterationCount: Int
    /// The hash function of PBKDF2. Without a meaning for `aes256cbc` and `aes128cbc`.
    public private(set) var derivation: Digest
    /// The hash function of the HMAC of each page of SQLCipher; nil without an HMAC. Without a meaning for other ciphers.
    public private(set) var authentication: Digest?
    /// The number of bytes at the beginning of a file of SQLCipher that aren't encrypted, 0 or 16 to 96.
    public private(set) var plainHeaderByteCount = 0
    /// The 16 bytes with which the key is derived, if the file doesn't contain them, as is the case with a plain header.
    public private(set) var salt: [UInt8]?
    /// A Boolean value that says whether the whole page 1 of a file of SQLite3MultipleCiphers is encrypted. By default the
    /// bytes 16 to 23 aren't, which contain the page size.
    public private(set) var isLegacy = false

    /// Creates the default settings of a cipher: for `sqlcipher` those of SQLCipher 4.
    public init(_ cipher: Cipher) {
        self.cipher = cipher
        switch cipher {
        case .sqlcipher: (iterationCount, derivation, authentication) = (256_000, .sha512, .sha512)
        case .chacha20: (iterationCount, derivation) = (64_007, .sha256)
        case .aes256cbc: (iterationCount, derivation) = (4_001, .sha256)
        case .aes128cbc: (iterationCount, derivation) = (50, .sha1)
        }
    }

    /// Returns the settings of a version of SQLCipher, from 1 to 4, its pragma `cipher_compatibility`; nil for any other
    /// number.
    public static func sqlCipher(_ version: Int) -> ForeignEncryption? {
        var settings = ForeignEncryption(.sqlcipher)
        guard (1...4).contains(version) else { return nil }
        guard version < 4 else { return settings }
        settings.pageSize = 1024
        settings.iterationCount = version == 3 ? 64_000 : 4_000
        settings.derivation = .sha1
        settings.authentication = version == 1 ? nil : .sha1
        return settings
    }

    /// A Boolean value that says whether changes of a file are noticed. Without authentication, whoever could write the
    /// file may have changed its content, and damage may look like content.
    public var isAuthenticated: Bool {
        switch cipher {
        case .sqlcipher: authentication != nil
        case .chacha20: true
        case .aes256cbc, .aes128cbc: false
        }
    }

    /// The number of bytes at the end of each page that the encryption takes.
    var reservedByteCount: Int {
        switch cipher {
        case .sqlcipher: authentication.map { (16 + $0.hash.byteCount + 15) / 16 * 16 } ?? 16
        case .chacha20: 32
        case .aes256cbc, .aes128cbc: 0
        }
    }

    // MARK: Settings by name

    /// Changes a setting, by the name and the value that the other program's pragma has.
    ///
    /// - Parameters:
    ///   - name: `cipher_compatibility` (1 to 4, which resets the others), `cipher_page_size` or `page_size`, `kdf_iter`,
    ///     `cipher_kdf_algorithm` (`PBKDF2_HMAC_SHA512` …), `cipher_hmac_algorithm` (`HMAC_SHA512` …), `cipher_use_hmac`
    ///     (`ON`, `OFF`), `cipher_plaintext_header_size`, `cipher_salt` (32 hex digits), `legacy` (0, 1).
    ///   - value: the value, a number or a word. Case is ignored.
    /// - Throws: `SealedFileError` `invalidArgument` for an unknown name, for a value out of its bounds, and for a setting
    ///   that the cipher doesn't have.
    public mutating func set(_ name: String, to value: String) throws(SealedFileError) {
        let (name, value) = (name.lowercased(), value.uppercased())
        var changed = false
        switch name {
        case "page_size", "cipher_page_size", "legacy_page_size":
            guard let size = Int(value), (512...65_536).contains(size), size.nonzeroBitCount == 1 else { break }
            (pageSize, changed) = (size, true)
        case "kdf_iter" where cipher != .aes128cbc:
            guard let count = Int(value), (1...Self.iterationLimit).contains(count) else { break }
            (iterationCount, changed) = (count, true)
        case "legacy":
            guard let number = Int(value), (0...4).contains(number) else { break }
            if cipher == .sqlcipher, let settings = Self.sqlCipher(number) { self = settings }
            (isLegacy, changed) = (number > 0, true)
        default: changed = cipher == .sqlcipher && setOfSQLCipher(name, value)
        }
        guard changed else {
            throw SealedFileError(
                .invalidArgument,
                "\"\(name)\" with the value \"\(value)\" isn't a setting of the cipher \(cipher.rawValue)",
                hint: "a setting has the name and the value of the other program's pragma, such as kdf_iter=64000")
        }
    }

    /// The greatest number of iterations that is accepted, some seconds of work.
    private static let iterationLimit = 10_000_000

    private mutating func setOfSQLCipher(_ name: String, _ value: String) -> Bool {
        switch name {
        case "cipher_compatibility":
            guard let settings = Int(value).flatMap(Self.sqlCipher) else { return false }
            self = settings
        case "cipher_kdf_algorithm":
            guard value.hasPrefix("PBKDF2_HMAC_"), let digest = Digest(rawValue: String(value.dropFirst(12))) else {
                return false
            }
            derivation = digest
        case "cipher_hmac_algorithm":
            guard value.hasPrefix("HMAC_"), let digest = Digest(rawValue: String(value.dropFirst(5))) else {
                return false
            }
            authentication = digest
        case "cipher_use_hmac":
            switch value {
            case "OFF", "0", "FALSE", "NO": authentication = nil
            case "ON", "1", "TRUE", "YES": authentication = authentication ?? derivation
            default: return false
            }
        case "cipher_plaintext_header_size":
            guard let count = Int(value), count == 0 || (16...96).contains(count), count % 16 == 0 else { return false }
            plainHeaderByteCount = count
        case "cipher_salt":
            let digits = value.hasPrefix("X'") && value.hasSuffix("'") ? String(value.dropFirst(2).dropLast()) : value
            guard digits.utf8.count == 32, let bytes = Self.bytes(ofHex: digits) else { return false }
            salt = bytes
        default: return false
        }
        return true
    }

    private static func bytes(ofHex text: String) -> [UInt8]? {
        let digits = text.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
        guard digits.count == text.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// The settings in words, for messages: those that a user would give to name them.
    var words: String {
        guard cipher == .sqlcipher else { return "cipher \(cipher.rawValue)" + (isLegacy ? ", legacy=1" : "") }
        for version in 1...4 where self == Self.sqlCipher(version) { return "SQLCipher \(version)" }
        return "sqlcipher with settings of its own"
    }

    /// The settings that programs use by default, which are tried for a file that others don't fit.
    static let known: [ForeignEncryption] =
        (1...4).reversed().compactMap(sqlCipher) + [.chacha20, .aes256cbc, .aes128cbc].map(ForeignEncryption.init)

    /// Returns these settings with the page size that page 1 of the file states in its plain bytes.
    func with(pageSize: Int) -> ForeignEncryption {
        var changed = self
        changed.pageSize = pageSize
        return changed
    }
}
