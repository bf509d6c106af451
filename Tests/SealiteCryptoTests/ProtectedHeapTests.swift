import Glibc
import SealiteCrypto
import Testing

@Suite("protected heap")
struct ProtectedHeapTests {
    @Test(
        "blocks are aligned, writable to the end, and left out of core dumps",
        arguments: [1, 16, 17, 100, 4096, 32_752, 32_753, 1 << 20])
    func blocks(count: Int) throws {
        let block = try unsafe #require(ProtectedHeap.allocate(count))
        unsafe memset(block, 0xA5, count)
        let address = UInt(bitPattern: block)
        #expect(address.isMultiple(of: 16))
        #expect(Mapping.all().first { $0.contains(address) }?.flags.contains("dd") == true)
        unsafe ProtectedHeap.deallocate(block)
    }

    @Test("a block that is used again is all zeros", arguments: [1, 100, 1000, 20_000])
    func wiped(count: Int) throws {
        // Enough rounds that blocks are used again whatever other tests do meanwhile.
        for _ in 0..<100 {
            let block = try unsafe #require(ProtectedHeap.allocate(count))
            let bytes = unsafe UnsafeRawBufferPointer(start: block, count: count)
            #expect(unsafe bytes.allSatisfy { $0 == 0 })
            unsafe memset(block, 0xFF, count)
            unsafe ProtectedHeap.deallocate(block)
        }
    }

    @Test("growing and shrinking keep the content")
    func reallocation() throws {
        var block = try unsafe #require(ProtectedHeap.reallocate(nil, 1))
        var size = 1
        unsafe block.storeBytes(of: 0x5A, as: UInt8.self)
        for next in [16, 17, 48, 100, 40_000, 100_000, 200, 31, 5] {
            unsafe block = try #require(ProtectedHeap.reallocate(block, next))
            let bytes = unsafe UnsafeMutableRawBufferPointer(start: block, count: next)
            #expect(unsafe bytes.prefix(min(size, next)).allSatisfy { $0 == 0x5A })
            unsafe memset(block, 0x5A, next)
            size = next
        }
        #expect(unsafe ProtectedHeap.reallocate(block, 0) == nil)
    }

    @Test("absurd sizes give nothing", arguments: [Int.min, -1, 0, Int.max, Int.max - 100, 1 << 62])
    func absurdSizes(count: Int) {
        #expect(unsafe ProtectedHeap.allocate(count) == nil)
    }

    @Test("threads never share a block")
    func threads() async {
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var isIntact = true
                    var blocks: [(address: UInt, count: Int)] = []
                    for round in 0..<3000 {
                        let count = 1 + (round * 7919) % 3000
                        guard let block = unsafe ProtectedHeap.allocate(count) else { return false }
                        unsafe memset(block, Int32(task + 1), count)
                        blocks.append((UInt(bitPattern: block), count))
                        if round % 3 == 0 { continue }
                        let (address, size) = blocks.remove(at: (round * 31) % blocks.count)
                        let old = unsafe UnsafeMutableRawPointer(bitPattern: address)
                        let bytes = unsafe UnsafeRawBufferPointer(start: old, count: size)
                        isIntact = unsafe isIntact && bytes.allSatisfy { $0 == UInt8(task + 1) }
                        unsafe ProtectedHeap.deallocate(old)
                    }
                    for block in blocks {
                        unsafe ProtectedHeap.deallocate(UnsafeMutableRawPointer(bitPattern: block.address))
                    }
                    return isIntact
                }
            }
            for await isIntact in group { #expect(isIntact) }
        }
    }

    @Test("with OpenSSL on the protected heap a key in use is nowhere in what a core dump would hold")
    func keysAreNotDumped() async {
        await #expect(processExitsWith: .success) {
            #expect(OpenSSLMemory.useProtectedHeap())
            let key = try SecretBytes.random(byteCount: 32)
            let cipher = try XAESCipher(key: key)
            for round in 0..<100 {
                let nonce = [UInt8](repeating: UInt8(round), count: 24)
                let sealed = try XAESCipherTests.seal(cipher, [1, 2, 3], nonce: nonce)
                #expect(try XAESCipherTests.open(cipher, sealed, nonce: nonce).output == [1, 2, 3])
            }
            _ = try HKDF.deriveKey(inputKeyMaterial: key, info: [1], byteCount: 32)
            _ = try Scrypt.deriveKey(passphrase: key, salt: [1], cost: .init(logN: 10))
            _ = try HMACSHA256.authenticationCode(for: [1], key: key)
            let pair = try HPKE.generateKeyPair()
            _ = try HPKE.seal(key, to: pair.publicKey, info: [], associatedData: [])
            #expect(Mapping.dumpedCopies(of: key) == 0)
            #expect(Mapping.dumpedCopies(of: pair.privateKey) == 0)
            #expect(OpenSSLMemory.useProtectedHeap(), "a second call changes nothing")
        }
    }

    @Test("the search for keys finds them where OpenSSL uses the ordinary heap")
    func searchFinds() async {
        await #expect(processExitsWith: .success) {
            let key = try SecretBytes.random(byteCount: 32)
            let cipher = try XAESCipher(key: key)
            #expect(Mapping.dumpedCopies(of: key) >= 1)
            #expect(!OpenSSLMemory.useProtectedHeap())
            cipher.wipe()
            #expect(Mapping.dumpedCopies(of: key) == 0, "a wiped cipher leaves no key behind")
        }
    }
}
