import SealiteCrypto
import SealiteTestSupport
import Testing

@Suite("XAES-256-GCM, page by page")
struct XAESCipherTests {
    static func seal(
        _ cipher: XAESCipher, _ plaintext: [UInt8], nonce: [UInt8], associatedData: [UInt8] = []
    ) throws -> [UInt8] {
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        var tag = [UInt8](repeating: 0, count: 16)
        try unsafe associatedData.withUnsafeBytes { associatedData in
            try unsafe cipher.seal(
                plaintext, byteCount: plaintext.count, associatedData: associatedData, nonce: nonce,
                into: &ciphertext, tag: &tag)
        }
        return ciphertext + tag
    }

    static func open(
        _ cipher: XAESCipher, _ sealed: [UInt8], nonce: [UInt8], associatedData: [UInt8] = []
    ) throws -> (fits: Bool, output: [UInt8]) {
        let count = sealed.count - 16
        var output = [UInt8](repeating: 0xAA, count: count + 1)
        let fits = try unsafe associatedData.withUnsafeBytes { associatedData in
            try unsafe cipher.open(
                sealed, byteCount: count, associatedData: associatedData, nonce: nonce, tag: Array(sealed[count...]),
                into: &output)
        }
        #expect(output.last == 0xAA, "nothing is written behind the plaintext")
        return (fits, Array(output.dropLast()))
    }

    @Test(
        "C2SP's two vectors are sealed and opened",
        arguments: [
            (UInt8(1), "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
            (UInt8(3), "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
        ])
    func publishedVectors(key: UInt8, associatedData: String, expected: String) throws {
        let cipher = try XAESCipher(key: secret([UInt8](repeating: key, count: 32)))
        let nonce = Array("ABCDEFGHIJKLMNOPQRSTUVWX".utf8)
        let plaintext = Array("XAES-256-GCM".utf8)
        let sealed = try Self.seal(cipher, plaintext, nonce: nonce, associatedData: Array(associatedData.utf8))
        #expect(hex(sealed) == expected)
        let opened = try Self.open(cipher, sealed, nonce: nonce, associatedData: Array(associatedData.utf8))
        #expect(opened.fits)
        #expect(opened.output == plaintext)
    }

    @Test("many prefixes in any order give what a cipher without history gives")
    func cacheIsInvisible() throws {
        let key = try SecretBytes.random(byteCount: 32)
        let cipher = try XAESCipher(key: key, cachedPrefixCount: 4)
        let plaintext = [UInt8](repeating: 7, count: 100)
        var generator = SeededRandom()
        for round in 0..<500 {
            var nonce = [UInt8](repeating: UInt8(round % 251), count: 24)
            nonce[Int.random(in: 0..<12, using: &generator)] = UInt8.random(in: 0..<3, using: &generator)
            let sealed = try Self.seal(cipher, plaintext, nonce: nonce, associatedData: [1])
            let fresh = try XAESCipher(key: key, cachedPrefixCount: 1)
            #expect(try Self.seal(fresh, plaintext, nonce: nonce, associatedData: [1]) == sealed)
            #expect(try Self.open(cipher, sealed, nonce: nonce, associatedData: [1]).output == plaintext)
        }
    }

    @Test(
        "lengths around a block and a page survive", arguments: [0, 1, 15, 16, 17, 31, 32, 33, 4047, 4048, 4049, 65488])
    func lengths(count: Int) throws {
        let cipher = try XAESCipher(key: .random(byteCount: 32))
        let nonce = try SecureRandom.bytes(24)
        let plaintext = try SecureRandom.bytes(count)
        let sealed = try Self.seal(cipher, plaintext, nonce: nonce, associatedData: [1, 2, 3])
        #expect(try Self.open(cipher, sealed, nonce: nonce, associatedData: [1, 2, 3]).output == plaintext)
    }

    @Test("a change of any bit of the message, the nonce or the associated data is refused, and the output is zeros")
    func everyChangeIsRefused() throws {
        let cipher = try XAESCipher(key: .random(byteCount: 32))
        let nonce = try SecureRandom.bytes(24)
        let data = try SecureRandom.bytes(5)
        let sealed = try Self.seal(cipher, [UInt8](repeating: 9, count: 19), nonce: nonce, associatedData: data)
        let whole = nonce + data + sealed
        for bit in 0..<whole.count * 8 {
            var changed = whole
            changed[bit / 8] ^= 1 << (bit % 8)
            let opened = try Self.open(
                cipher, Array(changed[29...]), nonce: Array(changed[..<24]), associatedData: Array(changed[24..<29]))
            #expect(!opened.fits)
            #expect(opened.output == [UInt8](repeating: 0, count: 19))
        }
        #expect(try Self.open(cipher, sealed, nonce: nonce, associatedData: data).fits, "a refusal leaves no trace")
    }

    @Test("sealing and opening work in place")
    func inPlace() throws {
        let cipher = try XAESCipher(key: .random(byteCount: 32))
        let nonce = try SecureRandom.bytes(24)
        let plaintext = try SecureRandom.bytes(4048)
        var page = plaintext + [UInt8](repeating: 0, count: 16)
        let fits = try unsafe page.withUnsafeMutableBytes { page in
            guard let start = page.baseAddress else { return false }
            let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
            try unsafe cipher.seal(
                start, byteCount: 4048, associatedData: none, nonce: nonce, into: start, tag: start + 4048)
            #expect(try unsafe Array(page) == Self.seal(cipher, plaintext, nonce: nonce))
            return try unsafe cipher.open(
                start, byteCount: 4048, associatedData: none, nonce: nonce, tag: start + 4048, into: start)
        }
        #expect(fits)
        #expect(Array(page[..<4048]) == plaintext)
    }

    @Test("a wiped cipher refuses to work")
    func wiped() throws {
        let cipher = try XAESCipher(key: .random(byteCount: 32))
        let nonce = [UInt8](repeating: 1, count: 24)
        _ = try Self.seal(cipher, [1], nonce: nonce)
        cipher.wipe()
        cipher.wipe()
        for _ in 0..<3 {
            #expect(throws: CryptoError(.invalidKey, "")) { try Self.seal(cipher, [1], nonce: nonce) }
        }
    }

    @Test("a key of another length is refused", arguments: [0, 16, 24, 31, 33, 64])
    func keyLengths(count: Int) {
        #expect(throws: CryptoError(.invalidKey, "")) {
            _ = try XAESCipher(key: .random(byteCount: count))
        }
    }

    @Test("a length below zero or above what OpenSSL counts is refused")
    func hostileLengths() throws {
        let cipher = try XAESCipher(key: .random(byteCount: 32))
        var output: [UInt8] = [0]
        var tag = [UInt8](repeating: 0, count: 16)
        let nonce = [UInt8](repeating: 0, count: 24)
        for count in [-1, Int.min, Int(Int32.max), Int.max] {
            #expect(throws: CryptoError(.invalidLength, "")) {
                let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
                try unsafe cipher.seal(
                    nonce, byteCount: count, associatedData: none, nonce: nonce, into: &output, tag: &tag)
            }
        }
    }
}
