import SealiteCrypto
import Testing

@Suite("single messages")
struct AEADTests {
    @Test("a wrapped key comes out again, and only under its key and associated data")
    func wrapping() throws {
        let key = try SecretBytes.random(byteCount: 32)
        let wrapped = try SecretBytes.random(byteCount: 32)
        let box = try XAES256GCM.seal(wrapped, key: key, associatedData: [1, 2])
        #expect(box.nonce.count == 24 && box.ciphertext.count == 32 && box.tag.count == 16)
        let opened = try XAES256GCM.open(box, key: key, associatedData: [1, 2])
        #expect(contents(opened) == contents(wrapped))
        #expect(throws: CryptoError(.authenticationFailed, "")) {
            _ = try XAES256GCM.open(box, key: key, associatedData: [1, 3])
        }
        #expect(throws: CryptoError(.authenticationFailed, "")) {
            _ = try XAES256GCM.open(box, key: .random(byteCount: 32), associatedData: [1, 2])
        }
    }

    @Test("two boxes of one secret have different nonces and ciphertexts")
    func freshNonces() throws {
        let key = try SecretBytes.random(byteCount: 32)
        let secret = try SecretBytes.random(byteCount: 32)
        let first = try XAES256GCM.seal(secret, key: key, associatedData: [])
        let second = try XAES256GCM.seal(secret, key: key, associatedData: [])
        #expect(first.nonce != second.nonce)
        #expect(first.ciphertext != second.ciphertext)
    }

    @Test("every altered bit of a box is refused")
    func alteredBoxes() throws {
        let key = try SecretBytes.random(byteCount: 32)
        let combined = try XAES256GCM.seal(secret([1, 2, 3]), key: key, associatedData: [9]).combined
        let short = try AESGCM.seal([1, 2, 3], key: key, nonce: SecureRandom.bytes(12), associatedData: [9]).combined
        for bit in 0..<combined.count * 8 {
            var altered = combined
            altered[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CryptoError(.authenticationFailed, "")) {
                _ = try XAES256GCM.open(
                    SealedBox(combined: altered, nonceByteCount: 24), key: key, associatedData: [9])
            }
        }
        for bit in 0..<short.count * 8 {
            var altered = short
            altered[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CryptoError(.authenticationFailed, "")) {
                _ = try AESGCM.open(SealedBox(combined: altered, nonceByteCount: 12), key: key, associatedData: [9])
            }
        }
    }

    @Test("empty messages are sealed and opened")
    func empty() throws {
        let key = try SecretBytes.random(byteCount: 32)
        let xaes = try XAES256GCM.seal(secret([]), key: key, associatedData: [])
        #expect(try XAES256GCM.open(xaes, key: key, associatedData: []).byteCount == 0)
        let gcm = try AESGCM.seal([], key: key, nonce: SecureRandom.bytes(12), associatedData: [])
        #expect(try AESGCM.open(gcm, key: key, associatedData: []).byteCount == 0)
    }

    @Test("nonces of another length are refused", arguments: [0, 8, 11, 13, 16, 23, 25])
    func nonceLengths(count: Int) throws {
        let key = try SecretBytes.random(byteCount: 32)
        let nonce = [UInt8](repeating: 0, count: count)
        #expect(throws: CryptoError(.invalidLength, "")) {
            _ = try AESGCM.seal([1], key: key, nonce: nonce, associatedData: [])
        }
        let box = SealedBox(nonce: nonce, ciphertext: [1], tag: [UInt8](repeating: 0, count: 16))
        #expect(throws: CryptoError(.invalidLength, "")) { _ = try AESGCM.open(box, key: key, associatedData: []) }
        #expect(throws: CryptoError(.invalidLength, "")) { _ = try XAES256GCM.open(box, key: key, associatedData: []) }
    }

    @Test("tags of another length are refused, also true prefixes", arguments: [0, 4, 8, 12, 15, 17])
    func tagLengths(count: Int) throws {
        let key = try SecretBytes.random(byteCount: 32)
        let box = try AESGCM.seal([1], key: key, nonce: SecureRandom.bytes(12), associatedData: [])
        let cut = SealedBox(
            nonce: box.nonce, ciphertext: box.ciphertext, tag: Array((box.tag + [0]).prefix(count)))
        #expect(throws: CryptoError(.invalidLength, "")) { _ = try AESGCM.open(cut, key: key, associatedData: []) }
    }

    @Test("keys of another length are refused", arguments: [0, 16, 24, 31, 33])
    func keyLengths(count: Int) throws {
        #expect(throws: CryptoError(.invalidKey, "")) {
            _ = try AESGCM.seal(
                [1], key: .random(byteCount: count), nonce: SecureRandom.bytes(12), associatedData: [])
        }
        #expect(throws: CryptoError(.invalidKey, "")) {
            _ = try XAES256GCM.seal(secret([1]), key: .random(byteCount: count), associatedData: [])
        }
    }

    @Test("a combined box that is too short is refused", arguments: [0, 1, 27, 39])
    func shortBoxes(count: Int) {
        #expect(throws: CryptoError(.invalidLength, "")) {
            _ = try SealedBox(combined: [UInt8](repeating: 0, count: count), nonceByteCount: 24)
        }
    }
}
