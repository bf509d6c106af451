import SealiteFileTestSupport
import Synchronization
import Testing

@testable import SealiteFile

@Suite("keys that are wiped")
struct WipedKeysTests {
    @Test("what wiping frees leaves the table of derived keys by itself")
    func freedByWiping() {
        final class Keys: DerivedKeys {
            let owner = Mutex<Owner?>(nil)
            func wipe() { owner.withLock { $0.take() }?.leave() }
        }
        final class Owner: Sendable {
            private let table: DerivedKeyTable
            private let keys: Keys

            init(_ table: DerivedKeyTable, _ keys: Keys) { (self.table, self.keys) = (table, keys) }

            func leave() { table.remove(keys) }
        }
        let table = DerivedKeyTable()
        let all = (0..<3).map { _ in Keys() }
        for keys in all {
            table.add(keys)
            keys.owner.withLock { $0 = Owner(table, keys) }
        }
        table.wipeAll()
        #expect(all.allSatisfy { $0.owner.withLock { $0 == nil } })
    }

    @Test("codecs can be freed on another thread while the keys are wiped, and have none afterwards")
    func freed() async throws {
        let folder = try Folder()
        _ = try folder.create(mode: "DELETE", rows: 1)
        for _ in 0..<500 {
            let database = try folder.open()
            let kept = PageCodec(ring: database.ring, use: .main)
            let held = Mutex((0..<3).map { _ in PageCodec(ring: database.ring, use: .main) })
            let freeing = Task.detached { while held.withLock({ $0.popLast() }) != nil {} }
            database.lock()
            await freeing.value
            let page = [UInt8](repeating: 0, count: kept.pageSize)
            #expect(throws: VFSFailure.self) {
                unsafe try page.withUnsafeBytes {
                    unsafe try kept.seal($0.baseAddress.unsafelyUnwrapped, number: 2, pageOneSerial: 0)
                }
            }
        }
    }
}
