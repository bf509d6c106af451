import Glibc
import SealiteCrypto
import Testing

@Suite("protection of memory")
struct ProtectionTests {
    @Test(
        "secrets of any size are left out of core dumps, and locked where they say so",
        arguments: [1, 64, 200, 900, 5000])
    func mappingFlags(count: Int) throws {
        let key = try SecretBytes.random(byteCount: count)
        let address = unsafe key.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        let mapping = try #require(Mapping.all().first { $0.contains(address) })
        #expect(mapping.flags.contains("dd"))
        #expect(mapping.flags.contains("lo") == key.isLocked)
    }

    @Test("without a right to locked memory secrets work and say that they are not locked")
    func lockRefused() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            try #require(unsafe setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0)
            // Root may lock regardless.
            if geteuid() == 0 { try #require(setuid(65534) == 0) }
            for count in [32, 5000] {
                let key = try SecretBytes.random(byteCount: count)
                let isLocked = key.isLocked
                #expect(!isLocked)
                let address = unsafe key.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
                #expect(Mapping.all().first { $0.contains(address) }?.flags.contains("dd") == true)
                #expect(contents(key.duplicate()) == contents(key))
            }
        }
    }

    @Test("with 64 KiB of locked memory several hundred keys are locked")
    func smallLimit() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 64 << 10, rlim_max: 64 << 10)
            try #require(unsafe setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0)
            if geteuid() == 0 { try #require(setuid(65534) == 0) }
            var keys: [SecretBox<SecretBytes>] = []
            var locked = 0
            for _ in 0..<2000 {
                let key = try SecretBytes.random(byteCount: 32)
                locked += key.isLocked ? 1 : 0
                keys.append(SecretBox(key))
            }
            #expect(locked >= 900 && locked < 2000)
        }
    }

    @Test("threads that make and drop secrets never see each other's")
    func threads() async {
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var isIntact = true
                    for round in 0..<2000 {
                        let byte = UInt8(truncatingIfNeeded: task * 31 + round)
                        let count = [1, 40, 64, 65, 300, 1025][round % 6]
                        let key = SecretBytes(copying: [UInt8](repeating: byte, count: count))
                        let copy = key.duplicate()
                        isIntact = isIntact && contents(copy).allSatisfy { $0 == byte }
                    }
                    return isIntact
                }
            }
            for await isIntact in group { #expect(isIntact) }
        }
    }

    @Test("a child after fork sees a new generation, draws other random bytes and can make secrets")
    func fork() async {
        await #expect(processExitsWith: .success) {
            struct Findings {
                var generation = -1
                var grandchild = -1
                var random: (UInt64, UInt64) = (0, 0)
                var madeSecret = false
            }
            let place = unsafe mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
            let findings = try unsafe #require(place).bindMemory(to: Findings.self, capacity: 2)
            unsafe findings.initialize(to: Findings())
            try #require(ForkGeneration.current == 0)
            let key = try SecretBytes.random(byteCount: 32)
            func draw() -> (UInt64, UInt64) {
                var random: (UInt64, UInt64) = (0, 0)
                unsafe withUnsafeMutableBytes(of: &random) { try? unsafe SecureRandom.fill($0) }
                return random
            }
            let child = try #require(forkProcess())
            if child == 0 {
                unsafe findings.pointee.generation = ForkGeneration.current
                unsafe findings.pointee.random = draw()
                let another = key.duplicate()
                unsafe findings.pointee.madeSecret = another.isEqual(to: key)
                let grandchild = forkProcess()
                if grandchild == 0 {
                    unsafe findings.pointee.grandchild = ForkGeneration.current
                    _exit(0)
                }
                if let grandchild { waitpid(grandchild, nil, 0) }
                _exit(0)
            }
            let random = draw()
            waitpid(child, nil, 0)
            #expect(unsafe findings.pointee.generation == 1)
            #expect(unsafe findings.pointee.grandchild == 2)
            #expect(unsafe findings.pointee.madeSecret)
            #expect(unsafe findings.pointee.random != random)
            #expect(unsafe findings.pointee.random != (0, 0))
            #expect(ForkGeneration.current == 0, "the parent stays what it was")
        }
    }

    @Test("fork while other threads hold secrets leaves a child that can make its own")
    func forkUnderLoad() async {
        await #expect(processExitsWith: .success) {
            let threads = (0..<3).map { _ in
                Task.detached {
                    var count = 0
                    while !Task.isCancelled {
                        count += SecretBytes(copying: [1, 2, 3]).byteCount
                        await Task.yield()
                    }
                    return count
                }
            }
            for _ in 0..<100 {
                let child = try #require(forkProcess())
                if child == 0 {
                    endStuckProcess(after: 60)
                    _exit(SecretBytes(copying: [1, 2, 3]).isLocked ? 0 : 1)
                }
                var status: Int32 = 0
                unsafe waitpid(child, &status, 0)
                #expect(status & 0x7F == 0, "the child was not killed by its alarm")
            }
            threads.forEach { $0.cancel() }
        }
    }
}
