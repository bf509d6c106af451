import Glibc
import SealiteCrypto
import Testing

@Suite("keys from passphrases")
struct PassphraseTests {
    @Test("the default cost takes 128 MiB")
    func defaultCost() {
        #expect(Scrypt.Cost.default.memoryByteCount == 128 << 20)
        #expect(Scrypt.Cost.default.work == 1 << 20)
    }

    @Test("hostile costs are refused before anything is allocated")
    func hostileCosts() async {
        // In a process of its own, whose peak of memory is its own.
        await #expect(processExitsWith: .success) {
            let costs = [
                Scrypt.Cost(logN: 0), .init(logN: -1), .init(logN: 41), .init(logN: 63), .init(logN: 64),
                .init(logN: .max), .init(logN: .min), .init(logN: 17, r: 0), .init(logN: 17, r: 33),
                .init(logN: 17, r: .max), .init(logN: 17, r: 8, p: 0), .init(logN: 17, r: 8, p: 17),
                .init(logN: 17, r: 8, p: .min), .init(logN: 21), .init(logN: 40, r: 32, p: 16),
                .init(logN: 18, r: 8, p: 5), .init(logN: 16, r: 1), .init(logN: 20, r: 8, p: 2),
            ]
            _ = try Scrypt.deriveKey(passphrase: secret([1]), salt: [1], cost: .init(logN: 4, r: 1))
            let before = peakMemory()
            for cost in costs {
                #expect(throws: CryptoError(.costRefused, ""), "\(cost)") {
                    _ = try Scrypt.deriveKey(passphrase: secret([1]), salt: [1], cost: cost)
                }
            }
            #expect(peakMemory() - before < 4 << 20)
        }
    }

    @Test("an accepted cost for which there is no memory is an error of its own")
    func outOfMemory() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 768 << 20, rlim_max: 768 << 20)
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
            #expect(throws: CryptoError(.outOfMemory, "")) {
                _ = try Scrypt.deriveKey(passphrase: secret([1]), salt: [1], cost: .init(logN: 20))
            }
        }
    }

    @Test("the largest cost that is accepted takes 1 GiB, and a raised limit accepts more")
    func bounds() throws {
        try Scrypt.Cost(logN: 20).check()
        try Scrypt.Cost(logN: 17, r: 8, p: 8).check()
        try Scrypt.Cost(logN: 21).check(memoryLimit: 2 << 30)
        #expect(throws: CryptoError(.costRefused, "")) { try Scrypt.Cost(logN: 21).check(memoryLimit: (2 << 30) - 1) }
        #expect(throws: CryptoError(.costRefused, "")) { try Scrypt.Cost(logN: 17).check(memoryLimit: 1 << 20) }
    }

    @Test("a cost above OpenSSL's own memory bound is derived")
    func aboveOpenSSLsBound() throws {
        // The result was computed with Python's hashlib.scrypt.
        let key = try Scrypt.deriveKey(
            passphrase: secret(Array("correct horse".utf8)), salt: Array("0123456789abcdef".utf8),
            cost: Scrypt.Cost(logN: 16))
        #expect(hex(contents(key)) == "9ec337667748bad3305feca6105b66cf3b771c27617beb41bc952198c35bd2f5")
    }

    @Test("salt, cost and passphrase each change the key")
    func separation() throws {
        let cost = Scrypt.Cost(logN: 4, r: 1)
        let keys = try [
            contents(Scrypt.deriveKey(passphrase: secret([1]), salt: [1], cost: cost)),
            contents(Scrypt.deriveKey(passphrase: secret([2]), salt: [1], cost: cost)),
            contents(Scrypt.deriveKey(passphrase: secret([1]), salt: [2], cost: cost)),
            contents(Scrypt.deriveKey(passphrase: secret([1]), salt: [1], cost: .init(logN: 5, r: 1))),
            contents(Scrypt.deriveKey(passphrase: secret([1]), salt: [1], cost: .init(logN: 4, r: 2))),
            contents(Scrypt.deriveKey(passphrase: secret([1]), salt: [1], cost: .init(logN: 4, r: 1, p: 2))),
            contents(Scrypt.deriveKey(passphrase: secret([]), salt: [], cost: cost)),
        ]
        #expect(Set(keys).count == keys.count)
    }

    @Test("keys of no length and of absurd lengths are refused", arguments: [Int.min, 0, 1025])
    func lengths(count: Int) {
        #expect(throws: CryptoError(.invalidLength, "")) {
            _ = try Scrypt.deriveKey(
                passphrase: secret([1]), salt: [1], cost: .init(logN: 4, r: 1), byteCount: count)
        }
        #expect(throws: CryptoError(.invalidLength, "")) {
            _ = try PBKDF2.deriveKey(passphrase: secret([1]), salt: [1], iterations: 1, byteCount: count)
        }
    }

    @Test("PBKDF2 refuses iterations out of bounds", arguments: [Int.min, -1, 0, 20_000_001, Int.max])
    func iterations(count: Int) {
        #expect(throws: CryptoError(.costRefused, "")) {
            _ = try PBKDF2.deriveKey(passphrase: secret([1]), salt: [1], iterations: count)
        }
    }

    @Test("the key that Couchbase Lite derives from a password is derived")
    func couchbaseLite() throws {
        let key = try PBKDF2.deriveKey(
            passphrase: secret(Array("password123".utf8)), salt: Array("Salty McNaCl".utf8), iterations: 64_000)
        #expect(hex(contents(key)) == "ad3470ce03363552b20a4a70a4aec02cb7439f6202e75b231ab57f2d5e716909")
    }
}

/// The largest resident memory this process has had, in bytes.
private func peakMemory() -> Int {
    var usage = rusage()
    guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return .max }
    return Int(usage.ru_maxrss) * 1024
}
