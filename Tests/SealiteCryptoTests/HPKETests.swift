import SealiteCrypto
import Testing

@Suite("HPKE")
struct HPKETests {
    @Test("what is sealed to a public key its private key opens, and no other")
    func roundTrip() throws {
        let pair = try HPKE.generateKeyPair()
        let other = try HPKE.generateKeyPair()
        let secret = try SecretBytes.random(byteCount: 32)
        let sealed = try HPKE.seal(secret, to: pair.publicKey, info: [1], associatedData: [2])
        #expect(sealed.encapsulatedKey.count == 32)
        #expect(sealed.ciphertext.count == 48)
        let opened = try HPKE.open(
            sealed.ciphertext, encapsulatedKey: sealed.encapsulatedKey, privateKey: pair.privateKey, info: [1],
            associatedData: [2])
        #expect(contents(opened) == contents(secret))
        #expect(throws: CryptoError(.authenticationFailed, "")) {
            _ = try HPKE.open(
                sealed.ciphertext, encapsulatedKey: sealed.encapsulatedKey, privateKey: other.privateKey, info: [1],
                associatedData: [2])
        }
    }

    @Test("another info, associated data, encapsulated key or ciphertext is refused")
    func binding() throws {
        let pair = try HPKE.generateKeyPair()
        let sealed = try HPKE.seal(secret([5]), to: pair.publicKey, info: [1], associatedData: [2])
        func open(
            _ ciphertext: [UInt8]? = nil, _ key: [UInt8]? = nil, info: [UInt8] = [1], associatedData: [UInt8] = [2]
        ) throws {
            _ = try HPKE.open(
                ciphertext ?? sealed.ciphertext, encapsulatedKey: key ?? sealed.encapsulatedKey,
                privateKey: pair.privateKey, info: info, associatedData: associatedData)
        }
        try open()
        #expect(throws: CryptoError(.authenticationFailed, "")) { try open(info: [2]) }
        #expect(throws: CryptoError(.authenticationFailed, "")) { try open(associatedData: []) }
        for bit in 0..<sealed.ciphertext.count * 8 {
            var altered = sealed.ciphertext
            altered[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CryptoError(.authenticationFailed, "")) { try open(altered) }
        }
        // The top bit of an X25519 key does not count in the curve's arithmetic; the key schedule has the whole key.
        for bit in 0..<256 {
            var altered = sealed.encapsulatedKey
            altered[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CryptoError(.authenticationFailed, "")) { try open(nil, altered) }
        }
        let short = #expect(throws: CryptoError.self) { try open([1, 2, 3]) }
        #expect(short?.code == .invalidLength && short?.reason.hasSuffix("not 12 and 3") == true)
    }

    @Test("in PSK mode another key or identifier opens nothing, nor does base mode, and a short key is refused")
    func preSharedKey() throws {
        let pair = try HPKE.generateKeyPair()
        let key = [UInt8](repeating: 7, count: 32)
        func shared(_ bytes: [UInt8], _ identifier: [UInt8]) throws -> HPKE.PreSharedKey {
            try HPKE.PreSharedKey(secret(bytes), identifier: identifier)
        }
        var sender = try HPKE.Sender(to: pair.publicKey, info: [1], preSharedKey: try shared(key, [9]))
        let sealed = try unsafe [UInt8](repeating: 5, count: 32).withUnsafeBytes {
            try unsafe sender.seal($0, associatedData: [2])
        }
        func open(_ bytes: [UInt8], _ identifier: [UInt8]) throws {
            var recipient = try HPKE.Recipient(
                privateKey: pair.privateKey, encapsulatedKey: sender.encapsulatedKey, info: [1],
                preSharedKey: try shared(bytes, identifier))
            _ = try recipient.open(sealed, associatedData: [2])
        }
        try open(key, [9])
        #expect(throws: CryptoError(.authenticationFailed, "")) { try open(key.dropLast() + [8], [9]) }
        #expect(throws: CryptoError(.authenticationFailed, "")) { try open(key, [8]) }
        #expect(throws: CryptoError(.authenticationFailed, "")) {
            _ = try HPKE.open(
                sealed, encapsulatedKey: sender.encapsulatedKey, privateKey: pair.privateKey, info: [1],
                associatedData: [2])
        }
        #expect(throws: CryptoError(.invalidKey, "")) { _ = try shared(Array(key.dropLast()), [9]) }
        #expect(throws: CryptoError(.invalidKey, "")) { _ = try shared(key, []) }
    }

    @Test("AES key wrap takes multiples of 8 bytes from 16 on and a key of 32, and refuses every flipped bit")
    func keyWrap() throws {
        let key = secret([UInt8](repeating: 3, count: 32))
        for count in [0, 8, 15, 17, 33, 4104] {
            #expect(throws: CryptoError(.invalidLength, "")) {
                _ = try AESKeyWrap.wrap(secret([UInt8](repeating: 1, count: count)), key: key)
            }
        }
        #expect(throws: CryptoError(.invalidKey, "")) {
            _ = try AESKeyWrap.wrap(key, key: secret([UInt8](repeating: 3, count: 16)))
        }
        let wrapped = try AESKeyWrap.wrap(key, key: key)
        #expect(wrapped.count == 40)
        for bit in 0..<wrapped.count * 8 {
            var altered = wrapped
            altered[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CryptoError(.authenticationFailed, "")) { _ = try AESKeyWrap.unwrap(altered, key: key) }
        }
    }

    @Test(
        "public keys of small order are refused",
        arguments: [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ])
    func smallOrder(key: String) throws {
        let publicKey = try #require(bytes(hex: key))
        #expect(throws: CryptoError(.invalidKey, "")) {
            _ = try HPKE.seal(secret([1]), to: publicKey, info: [], associatedData: [])
        }
    }

    @Test("keys of another length are refused", arguments: [0, 31, 33])
    func keyLengths(count: Int) throws {
        #expect(throws: CryptoError(.invalidKey, "")) {
            _ = try HPKE.seal(secret([1]), to: [UInt8](repeating: 9, count: count), info: [], associatedData: [])
        }
        #expect(throws: CryptoError(.invalidKey, "")) { _ = try HPKE.publicKey(for: .random(byteCount: count)) }
    }

    @Test("messages are opened in the order they were sealed in, and both sides export the same secret")
    func contexts() throws {
        let pair = try HPKE.generateKeyPair()
        var sender = try HPKE.Sender(to: pair.publicKey, info: [7])
        var recipient = try HPKE.Recipient(
            privateKey: pair.privateKey, encapsulatedKey: sender.encapsulatedKey, info: [7])
        let messages: [[UInt8]] = try [[1], [2], [3]].map { (message: [UInt8]) in
            try unsafe message.withUnsafeBytes { try unsafe sender.seal($0, associatedData: []) }
        }
        #expect(throws: CryptoError(.authenticationFailed, "")) {
            _ = try recipient.open(messages[1], associatedData: [])
        }
        for (index, message) in messages.enumerated() {
            let opened = try recipient.open(message, associatedData: [])
            #expect(contents(opened) == [UInt8(index + 1)])
        }
        let fromSender = try sender.export(context: [1], byteCount: 40)
        let fromRecipient = try recipient.export(context: [1], byteCount: 40)
        let another = try recipient.export(context: [2], byteCount: 40)
        #expect(contents(fromSender) == contents(fromRecipient))
        #expect(contents(fromSender) != contents(another))
        let longest = [UInt8](repeating: 1, count: 1024)
        #expect(try sender.export(context: longest, byteCount: 32).byteCount == 32)
        #expect(throws: CryptoError(.invalidLength, "")) {
            _ = try sender.export(context: longest + [1], byteCount: 32)
        }
    }
}
