internal import COpenSSL

// The ciphers with which other programs encrypt SQLite databases. Sealite only opens such files, so nothing here encrypts,
// except a stream cipher, which is its own inverse.

/// AES in CBC mode without padding, with a 16-byte or a 32-byte key. Not thread-safe.
@safe
package final class CBCDecryptor {
    /// The length of a block, and of an initialisation vector, in bytes.
    package static let blockByteCount = 16

    private let context: OpaquePointer

    /// Creates a decryptor with a key of 16 or 32 bytes, which the context keeps until it is released.
    package init(key: UnsafeRawBufferPointer) throws(CryptoError) {
        precondition(key.count == 16 || key.count == 32, "a key of AES-128 or AES-256")
        guard let cipher = unsafe key.count == 32 ? Algorithms.aes256CBC : Algorithms.aes128CBC,
            let context = unsafe EVP_CIPHER_CTX_new()
        else { throw CryptoError.openSSL("setting up AES in CBC mode failed") }
        unsafe self.context = context
        guard unsafe EVP_DecryptInit_ex2(context, cipher, key.bytes, nil, nil) == 1,
            unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1
        else { throw CryptoError.openSSL("setting an AES key failed") }
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Replaces the key by another one of the same length.
    package func setKey(_ key: UnsafeRawBufferPointer) throws(CryptoError) {
        guard unsafe EVP_DecryptInit_ex2(context, nil, key.bytes, nil, nil) == 1 else {
            throw CryptoError.openSSL("setting an AES key failed")
        }
    }

    /// Decrypts bytes in place, at least 16. If the last block is incomplete, it and the one before were encrypted by
    /// ciphertext stealing (addendum to NIST SP 800-38A, CBC-CS3).
    package func decrypt(_ bytes: UnsafeMutableRawBufferPointer, vector: [UInt8]) throws(CryptoError) {
        let size = Self.blockByteCount
        precondition(bytes.count >= size && vector.count == size, "a whole block, and a vector of its length")
        let rest = bytes.count % size
        guard rest != 0 else { return try unsafe decryptBlocks(bytes, vector) }
        let start = bytes.count - rest - size
        let before = unsafe start == 0 ? vector : [UInt8](bytes[start - size..<start])
        if start > 0 { try unsafe decryptBlocks(UnsafeMutableRawBufferPointer(rebasing: bytes[..<start]), vector) }
        let stolen = unsafe [UInt8](bytes[(start + size)...])
        let pair = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + size])
        try unsafe decryptBlocks(pair, [UInt8](repeating: 0, count: size))
        // The decrypted block is the last text, padded with zeros, combined with the block whose first bytes were stolen.
        for index in 0..<rest {
            unsafe bytes[start + size + index] = unsafe pair[index] ^ stolen[index]
            unsafe pair[index] = stolen[index]
        }
        try unsafe decryptBlocks(pair, before)
    }

    private func decryptBlocks(
        _ bytes: UnsafeMutableRawBufferPointer, _ vector: [UInt8]
    ) throws(CryptoError) {
        var count: Int32 = 0
        let output = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard unsafe EVP_DecryptInit_ex2(context, nil, nil, vector, nil) == 1,
            unsafe EVP_DecryptUpdate(context, output, &count, output, Int32(bytes.count)) == 1, count == bytes.count
        else { throw CryptoError.openSSL("decrypting \(bytes.count) bytes with AES in CBC mode failed") }
    }
}

/// The stream cipher ChaCha20 (RFC 8439 §2.4). Not thread-safe.
@safe
package final class ChaCha20Stream {
    private let context: OpaquePointer

    /// Creates a stream without a key.
    package init() throws(CryptoError) {
        guard let cipher = unsafe Algorithms.chaCha20, let context = unsafe EVP_CIPHER_CTX_new() else {
            throw CryptoError.openSSL("setting up ChaCha20 failed")
        }
        unsafe self.context = context
        guard unsafe EVP_EncryptInit_ex2(context, cipher, nil, nil, nil) == 1 else {
            throw CryptoError.openSSL("setting up ChaCha20 failed")
        }
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Combines bytes in place with the key stream of a 32-byte key and a 12-byte nonce, from a block on.
    package func apply(
        to bytes: UnsafeMutableRawBufferPointer, key: UnsafeRawBufferPointer, nonce: some Swift.Collection<UInt8>,
        block: UInt32
    ) throws(CryptoError) {
        precondition(key.count == 32 && nonce.count == 12, "the lengths of ChaCha20's key and nonce")
        let start = (0..<4).map { UInt8(truncatingIfNeeded: block >> (8 * UInt32($0))) } + nonce
        var count: Int32 = 0
        let output = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard unsafe EVP_EncryptInit_ex2(context, nil, key.bytes, start, nil) == 1,
            unsafe EVP_EncryptUpdate(context, output, &count, output, Int32(bytes.count)) == 1, count == bytes.count
        else { throw CryptoError.openSSL("decrypting \(bytes.count) bytes with ChaCha20 failed") }
    }
}

/// An authentication code over a message in pieces: HMAC (RFC 2104), which keeps its key for many messages, or Poly1305
/// (RFC 8439 §2.5), whose key is for one. Not thread-safe.
@safe
package final class MessageAuthenticator {
    private let context: OpaquePointer
    /// The length of a code in bytes.
    package let byteCount: Int
    private let hash: HashFunction?

    /// Creates an HMAC with a key.
    package init(_ hash: HashFunction, key: borrowing SecretBytes) throws(CryptoError) {
        guard let mac = unsafe Algorithms.hmac, let context = unsafe EVP_MAC_CTX_new(mac) else {
            throw CryptoError.openSSL("setting up HMAC failed")
        }
        unsafe self.context = context
        (self.hash, byteCount) = (hash, hash.byteCount)
        guard try unsafe start(key.buffer) else { throw CryptoError.openSSL("setting up HMAC failed") }
    }

    /// Creates a Poly1305, whose key each call gives.
    package init() throws(CryptoError) {
        guard let mac = unsafe Algorithms.poly1305, let context = unsafe EVP_MAC_CTX_new(mac) else {
            throw CryptoError.openSSL("setting up Poly1305 failed")
        }
        unsafe self.context = context
        (hash, byteCount) = (nil, 16)
    }

    deinit { unsafe EVP_MAC_CTX_free(context) }

    private func start(_ key: UnsafeRawBufferPointer) throws(CryptoError) -> Bool {
        var parameters = unsafe OpenSSLParameters()
        if let hash { unsafe parameters.add("digest", hash.name) }
        return unsafe parameters.withArray { parameters in
            unsafe EVP_MAC_init(context, key.bytes, key.count, parameters) == 1
        } ?? false
    }

    /// Returns whether `code` is the authentication code of a message in two pieces, in a time that doesn't depend on the
    /// position of a difference. `key` is the 32-byte key of Poly1305, and nil for HMAC.
    package func isValid(
        _ code: UnsafeRawBufferPointer, for first: UnsafeRawBufferPointer, _ second: [UInt8] = [],
        key: UnsafeRawBufferPointer? = nil
    ) throws(CryptoError) -> Bool {
        var expected = [UInt8](repeating: 0, count: byteCount)
        var count = 0
        // Without a key, HMAC starts again with the one that it has.
        let isStarted =
            if let key = unsafe key { try unsafe start(key) } else {
                unsafe EVP_MAC_init(context, nil, 0, nil) == 1
            }
        guard isStarted, unsafe EVP_MAC_update(context, first.bytes, first.count) == 1,
            unsafe EVP_MAC_update(context, second, second.count) == 1,
            unsafe EVP_MAC_final(context, &expected, &count, expected.count) == 1, count == byteCount
        else { throw CryptoError.openSSL("computing an authentication code failed") }
        guard code.count == byteCount, let start = code.baseAddress else { return false }
        return unsafe CRYPTO_memcmp(expected, start, byteCount) == 0
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var bytes: UnsafePointer<UInt8>? { unsafe baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

/// The stream cipher RC4, by which one of the foreign formats derives its key from a passphrase; OpenSSL has it only in
/// a provider that isn't loaded by default.
package enum RC4 {
    /// Combines bytes in place with the key stream of a key of 1 to 256 bytes.
    package static func apply(to bytes: UnsafeMutableRawBufferPointer, key: UnsafeRawBufferPointer) {
        precondition((1...256).contains(key.count), "the length of RC4's key")
        unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { state in
            for index in 0..<256 { unsafe state[index] = UInt8(index) }
            var other: UInt8 = 0
            for index in 0..<256 {
                unsafe other = other &+ state[index] &+ key[index % key.count]
                unsafe state.swapAt(index, Int(other))
            }
            other = 0
            for place in 0..<bytes.count {
                let index = UInt8(truncatingIfNeeded: place &+ 1)
                unsafe other = other &+ state[Int(index)]
                unsafe state.swapAt(Int(index), Int(other))
                unsafe bytes[place] ^= state[Int(state[Int(index)] &+ state[Int(other)])]
            }
            unsafe state.initializeMemory(as: UInt8.self, repeating: 0)
        }
    }
}
