import SealiteCrypto
import SealiteFile

/// Decrypts the pages of one file that another program encrypted. Not thread-safe.
@safe
final class ForeignPages {
    /// The state of a page in the file.
    enum Finding {
        /// The page is decrypted, and is authentic if the encryption authenticates pages.
        case opened
        /// The page has only zeros: SQLite has reserved it and never written it.
        case neverWritten
        /// The page isn't what the other program wrote: it was changed, is torn, or the key is another one.
        case damaged
    }

    /// The first bytes of every SQLite database. <https://sqlite.org/fileformat2.html#the_database_header>
    static let magic = Array("SQLite format 3\0".utf8)

    let settings: ForeignEncryption
    private let key: SecretBytes
    private let blocks: CBCDecryptor?
    private let stream: ChaCha20Stream?
    private let authenticator: MessageAuthenticator?
    /// A Boolean value that says whether the bytes 16 to 23 of page 1, with the page size, aren't encrypted: the form of
    /// SQLite3MultipleCiphers.
    private let hasPlainSize: Bool

    private static let vectorByteCount = 16
    private static let tagByteCount = 16

    /// Creates a decryptor of a file's pages.
    ///
    /// - Parameters:
    ///   - settings: the encryption of the file.
    ///   - key: the key of the file.
    ///   - start: the first 24 bytes of the file.
    /// - Throws: `SealedFileError` `invalidArgument` for a raw key of another length, or for a cipher that takes none;
    ///   `internalFailure`.
    init(
        _ settings: ForeignEncryption, _ key: borrowing ForeignKey, start: [UInt8]
    ) throws(SealedFileError) {
        self.settings = settings
        let keys = try ForeignPageKeys.derived(from: key, settings, stored: Array(start.prefix(16)))
        self.key = keys.cipher.duplicate()
        hasPlainSize =
            settings.plainHeaderByteCount == 0 && !settings.isLegacy && Self.hasPlainSize(start, settings)
        let made = try SealedFileError.mappingCrypto {
            () throws(CryptoError) -> (CBCDecryptor?, ChaCha20Stream?, MessageAuthenticator?) in
            switch settings.cipher {
            case .chacha20: return (nil, try ChaCha20Stream(), try MessageAuthenticator())
            case .sqlcipher, .aes256cbc, .aes128cbc:
                let blocks = try unsafe keys.cipher.withUnsafeBytes { (key) throws(CryptoError) in
                    try unsafe CBCDecryptor(key: key)
                }
                guard let digest = settings.authentication else { return (blocks, nil, nil) }
                return (blocks, nil, try Self.authenticator(digest, keys))
            }
        }
        (blocks, stream, authenticator) = made
    }

    private static func authenticator(
        _ digest: ForeignEncryption.Digest, _ keys: borrowing ForeignPageKeys
    ) throws(CryptoError) -> MessageAuthenticator? {
        guard let key = keys.authentication?.duplicate() else { return nil }
        return try MessageAuthenticator(digest.hash, key: key)
    }

    /// Returns whether the bytes 16 to 23 of a file are those of a database whose pages reserve what the encryption
    /// needs: by chance one file in 2^40 has them.
    static func hasPlainSize(_ start: [UInt8], _ settings: ForeignEncryption) -> Bool {
        guard start.count >= 24, Array(start[21..<24]) == [64, 32, 32] else { return false }
        return pageSize(start) != nil && start[18] <= 2 && start[19] <= 2
            && Int(start[20]) == settings.reservedByteCount
    }

    /// Returns the page size that the bytes 16 and 17 of a database state; nil if there is no such size.
    static func pageSize(_ start: [UInt8]) -> Int? {
        let stated = Int(start[16]) << 8 | Int(start[17])
        let size = stated == 1 ? 65_536 : stated
        return size >= 512 && size.nonzeroBitCount == 1 ? size : nil
    }

    /// Decrypts a page in place. The bytes that the encryption reserves become zeros; after `damaged` all do.
    ///
    /// With `wasAuthentic` the page isn't authenticated again: its content must only be compared with what an authentic
    /// reading gave.
    func open(
        _ page: UnsafeMutableRawBufferPointer, number: UInt32, wasAuthentic: Bool = false
    ) throws(CryptoError) -> Finding {
        assert(page.count == settings.pageSize && number > 0)
        if number > 1, unsafe page.allSatisfy({ $0 == 0 }) { return .neverWritten }
        let usable = page.count - settings.reservedByteCount
        let isOpened =
            switch settings.cipher {
            case .sqlcipher: try unsafe openSQLCipher(page, usable, number, wasAuthentic)
            case .chacha20: try unsafe openChaCha20(page, usable, number, wasAuthentic)
            case .aes256cbc, .aes128cbc: try unsafe openUnauthenticated(page, number)
            }
        guard isOpened else {
            unsafe page.initializeMemory(as: UInt8.self, repeating: 0)
            return .damaged
        }
        unsafe UnsafeMutableRawBufferPointer(rebasing: page[usable...]).initializeMemory(as: UInt8.self, repeating: 0)
        if number == 1, settings.plainHeaderByteCount == 0 { unsafe page.copyBytes(from: Self.magic) }
        return .opened
    }

    /// The offset of the first encrypted byte of a page: page 1 begins with the salt.
    private func start(_ number: UInt32) -> Int {
        guard number == 1 else { return 0 }
        return settings.plainHeaderByteCount > 0 ? settings.plainHeaderByteCount : hasPlainSize ? 24 : 16
    }

    private func openSQLCipher(
        _ page: UnsafeMutableRawBufferPointer, _ usable: Int, _ number: UInt32, _ wasAuthentic: Bool
    ) throws(CryptoError) -> Bool {
        let start = start(number)
        let vectorEnd = usable + Self.vectorByteCount
        if let authenticator, !wasAuthentic {
            let code = unsafe UnsafeRawBufferPointer(
                rebasing: page[vectorEnd..<vectorEnd + authenticator.byteCount])
            let message = unsafe UnsafeRawBufferPointer(rebasing: page[start..<vectorEnd])
            guard try unsafe authenticator.isValid(code, for: message, Self.littleEndian(number)) else { return false }
        }
        let vector = unsafe [UInt8](page[usable..<vectorEnd])
        try unsafe blocks?.decrypt(UnsafeMutableRawBufferPointer(rebasing: page[start..<usable]), vector: vector)
        return unsafe settings.isAuthenticated || number > 1 || isPageOne(page)
    }

    /// A page has a key of its own, the first blocks of the key stream of the file's key and the page's nonce.
    private func openChaCha20(
        _ page: UnsafeMutableRawBufferPointer, _ usable: Int, _ number: UInt32, _ wasAuthentic: Bool
    ) throws(CryptoError) -> Bool {
        guard let stream, let authenticator else { return false }
        let nonceEnd = usable + Self.vectorByteCount
        let nonce = unsafe [UInt8](page[usable..<nonceEnd])
        let block = nonce[12...].reversed().reduce(0) { $0 << 8 | UInt32($1) } ^ number
        let own = try unsafe SecretBytes(byteCount: 64) { output throws(CryptoError) in
            unsafe output.initializeMemory(as: UInt8.self, repeating: 0)
            try unsafe key.withUnsafeBytes { (key) throws(CryptoError) in
                try unsafe stream.apply(to: output, key: key, nonce: nonce[..<12], block: block)
            }
        }
        return try unsafe own.withUnsafeBytes { (own) throws(CryptoError) in
            let tag = unsafe UnsafeRawBufferPointer(rebasing: page[nonceEnd..<nonceEnd + Self.tagByteCount])
            let message = unsafe UnsafeRawBufferPointer(rebasing: page[..<nonceEnd])
            let first = unsafe UnsafeRawBufferPointer(rebasing: own[..<32])
            if !wasAuthentic {
                guard try unsafe authenticator.isValid(tag, for: message, key: first) else { return false }
            }
            // The whole of a legacy page 1 is in the stream, although its first bytes are the salt.
            let start = number == 1 && hasPlainSize ? 24 : 0
            try unsafe stream.apply(
                to: UnsafeMutableRawBufferPointer(rebasing: page[start..<usable]),
                key: UnsafeRawBufferPointer(rebasing: own[32...]), nonce: nonce[..<12], block: block &+ 1)
            return true
        }
    }

    /// A page has a key and an initialisation vector of its own, which depend on its number alone.
    private func openUnauthenticated(
        _ page: UnsafeMutableRawBufferPointer, _ number: UInt32
    ) throws(CryptoError) -> Bool {
        let hash: HashFunction = settings.cipher == .aes256cbc ? .sha256 : .md5
        let named = unsafe key.withUnsafeBytes { key in
            unsafe SecretBytes(byteCount: key.count + 8) { output in
                unsafe output.copyMemory(from: key)
                unsafe UnsafeMutableRawBufferPointer(rebasing: output[key.count...])
                    .copyBytes(from: Self.littleEndian(number) + Array("sAlT".utf8))
            }
        }
        let own = try unsafe named.withUnsafeBytes { (bytes) throws(CryptoError) in
            try unsafe hash.secretDigest(of: bytes)
        }
        try unsafe own.withUnsafeBytes { (key) throws(CryptoError) in try unsafe blocks?.setKey(key) }
        guard number == 1, hasPlainSize else {
            try unsafe blocks?.decrypt(page, vector: try Self.vector(number))
            return unsafe number > 1 || isPageOne(page)
        }
        // The size is plain, and the encrypted bytes of its place are in that of the bytes before it, which are known.
        let size = unsafe [UInt8](page[16..<24])
        unsafe UnsafeMutableRawBufferPointer(rebasing: page[16..<24]).copyBytes(from: [UInt8](page[8..<16]))
        try unsafe blocks?.decrypt(UnsafeMutableRawBufferPointer(rebasing: page[16...]), vector: try Self.vector(1))
        guard unsafe [UInt8](page[16..<24]) == size else { return false }
        return unsafe isPageOne(page)
    }

    /// Returns whether a decrypted page 1 without authentication has the fixed bytes of a database of this page size, and
    /// the root of a table after them.
    private func isPageOne(_ page: UnsafeMutableRawBufferPointer) -> Bool {
        let start = unsafe [UInt8](page[..<24])
        return unsafe Self.pageSize(start) == page.count && Array(start[21..<24]) == [64, 32, 32] && start[18] <= 2
            && start[19] <= 2 && page[44..<47].allSatisfy { $0 == 0 } && (page[100] == 5 || page[100] == 13)
    }

    /// The initialisation vector of a page: the MD5 digest of four numbers of a generator (L'Ecuyer 1988) that begins
    /// with the page's number.
    private static func vector(_ number: UInt32) throws(CryptoError) -> [UInt8] {
        var (state, bytes) = (Int64(number) + 1, [UInt8]())
        for _ in 0..<4 {
            let quotient = state / 52_774
            state = 40_692 * (state - 52_774 * quotient) - 3_791 * quotient
            if state < 0 { state += 2_147_483_399 }
            bytes += littleEndian(UInt32(truncatingIfNeeded: state))
        }
        return try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(CryptoError) in
            try unsafe HashFunction.md5.digest(of: bytes)
        }
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
    }
}
