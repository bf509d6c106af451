import SealiteCrypto
import Testing

@Suite("SHA-256, HMAC and HKDF")
struct HashingTests {
    @Test("FIPS 180-4's example is hashed")
    func digest() throws {
        let digest = try SHA256.digest(of: Array("abc".utf8))
        #expect(hex(digest) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(try hex(SHA256.digest(of: [])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test("a code fits its message and key alone")
    func authenticationCode() throws {
        let key = secret(Array("Jefe".utf8))
        let message = Array("what do ya want for nothing?".utf8)
        let code = try HMACSHA256.authenticationCode(for: message, key: key)
        #expect(hex(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let isValid = try HMACSHA256.isValid(code, for: message, key: key)
        #expect(isValid)
        for bit in 0..<256 {
            var changed = code
            changed[bit / 8] ^= 1 << (bit % 8)
            let isValid = try HMACSHA256.isValid(changed, for: message, key: key)
            #expect(!isValid)
        }
        for changed in [[], Array(code.dropLast()), code + [0]] {
            let isValid = try HMACSHA256.isValid(changed, for: message, key: key)
            #expect(!isValid)
        }
    }

    @Test("empty keys and messages are taken")
    func emptyInput() throws {
        let code = try HMACSHA256.authenticationCode(for: [], key: secret([]))
        #expect(hex(code) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test("HKDF refuses lengths that RFC 5869 does not define", arguments: [Int.min, -1, 0, 8161, Int.max])
    func derivedLengths(count: Int) {
        #expect(throws: CryptoError(.invalidLength, "")) {
            _ = try HKDF.deriveKey(inputKeyMaterial: secret([1]), info: [], byteCount: count)
        }
    }

    @Test("one info text, one key")
    func separation() throws {
        let master = try SecretBytes.random(byteCount: 32)
        let first = try HKDF.deriveKey(inputKeyMaterial: master, info: [1], byteCount: 32)
        let again = try HKDF.deriveKey(inputKeyMaterial: master, salt: [], info: [1], byteCount: 32)
        let second = try HKDF.deriveKey(inputKeyMaterial: master, info: [2], byteCount: 32)
        let salted = try HKDF.deriveKey(inputKeyMaterial: master, salt: [1], info: [1], byteCount: 32)
        #expect(contents(first) == contents(again))
        #expect(contents(first) != contents(second))
        #expect(contents(first) != contents(salted))
    }
}
