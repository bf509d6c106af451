import SealiteCrypto
import Testing

@Suite("Secret bytes")
struct SecretBytesTests {
    @Test("a secret holds what it was given", arguments: [0, 1, 63, 64, 65, 256, 257, 1024, 1025, 4096, 10_000])
    func holds(count: Int) throws {
        let bytes = try SecureRandom.bytes(count)
        let first = secret(bytes)
        #expect(first.byteCount == count)
        #expect(contents(first) == bytes)
        let second = first.duplicate()
        let isEqual = first.isEqual(to: second)
        #expect(isEqual)
        #expect(contents(second) == bytes)
    }

    @Test("secrets that differ in one bit or in length are not equal")
    func inequality() throws {
        let bytes = try SecureRandom.bytes(32)
        let original = secret(bytes)
        for bit in 0..<256 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            let isEqual = original.isEqual(to: secret(changed))
            #expect(!isEqual)
        }
        let isEqualToShorter = original.isEqual(to: secret(Array(bytes.dropLast())))
        let isEqualToLonger = original.isEqual(to: secret(bytes + [0]))
        #expect(!isEqualToShorter && !isEqualToLonger)
    }

    @Test("wiping leaves zeros where the bytes were", arguments: [1, 32, 64, 200, 1000, 5000])
    func wipe(count: Int) {
        var key = secret([UInt8](repeating: 0xA5, count: count))
        let address = unsafe key.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        #expect(contents(key) == [UInt8](repeating: 0xA5, count: count))
        key.wipe()
        #expect(contents(key) == [UInt8](repeating: 0, count: count))
        #expect(unsafe key.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } == address)
    }

    @Test("new secrets start as zeros although cells are used again")
    func freshCellsAreZero() {
        for _ in 0..<200 {
            do { _ = secret([UInt8](repeating: 0xFF, count: 64)) }
            let next = unsafe SecretBytes(byteCount: 64) { unsafe #expect($0.allSatisfy { $0 == 0 }) }
            #expect(next.byteCount == 64)
        }
    }

    @Test("small secrets share pages")
    func sharing() {
        var pages: Set<UInt> = []
        let boxes = (0..<640).map { _ in SecretBox(secret([UInt8](repeating: 1, count: 32))) }
        for box in boxes {
            guard let key = box.take() else { continue }
            pages.insert(unsafe key.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) / 4096 })
        }
        #expect(pages.count <= 20)
    }

    @Test("a box gives its secret once")
    func box() throws {
        let box = SecretBox(secret([1, 2, 3]))
        var taken: [[UInt8]] = []
        for _ in 0..<3 {
            if let secret = box.take() { taken.append(contents(secret)) }
        }
        #expect(taken == [[1, 2, 3]])
    }

    @Test("an initialiser that throws passes its error on")
    func throwing() {
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            _ = try unsafe SecretBytes(byteCount: 8) { (_) throws(Failure) in throw Failure() }
        }
    }

    @Test("random secrets differ")
    func random() throws {
        let first = try SecretBytes.random(byteCount: 32)
        let second = try SecretBytes.random(byteCount: 32)
        let isEqual = first.isEqual(to: second)
        #expect(!isEqual)
    }
}
