import Testing

@testable import SealiteFile

@Suite("which unit of a journal has which bytes")
struct JournalMapTests {
    private func data(_ offset: Int64, _ byteCount: Int) -> JournalUnitHeader {
        JournalUnitHeader(
            id: [UInt8](repeating: 1, count: 16), logicalOffset: offset, payloadByteCount: byteCount, synced: 0,
            serial: 1, kind: .data)
    }

    @Test("a range is contained only if no byte of it lies in a missing unit")
    func contains() {
        let full = JournalLayout.payloadByteCount
        var map = JournalMap()
        map.add(unit: 0, data(0, full))
        map.add(unit: 1, data(Int64(full), full))
        // Unit 2 is missing.
        map.add(unit: 3, data(Int64(3 * full), 100))
        #expect(map.contains(0, byteCount: 2 * full))
        #expect(map.contains(Int64(full) - 1, byteCount: 2))
        #expect(!map.contains(0, byteCount: 2 * full + 1))
        #expect(!map.contains(Int64(2 * full), byteCount: 1))
        #expect(!map.contains(Int64(full), byteCount: 2 * full + 10))
        #expect(map.contains(Int64(3 * full), byteCount: 100))
        #expect(!map.contains(Int64(3 * full), byteCount: 101))
        #expect(map.contains(5, byteCount: 0))
    }
}
