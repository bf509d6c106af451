import Foundation
import SealiteFileTestSupport
import Testing

@testable import SealiteFile

@Suite("the invariants of the file format's constants")
struct InvariantTests {
    /// A field of a structure: the range of its bytes.
    typealias Field = Range<Int>

    /// The fields of a copy of the header, as the constants have them.
    private var headerFields: [Field] {
        typealias Layout = HeaderLayout
        func field(_ start: Int, _ count: Int) -> Field { start..<start + count }
        return [
            field(0, Layout.magic.count), field(Layout.version, 4), field(Layout.pageSize, 4),
            field(Layout.databaseID, 16), field(Layout.masterID, 16), field(Layout.generation, 8),
            field(Layout.freshness, 8), field(Layout.cipher, 4), field(Layout.epoch, 4),
            field(Layout.rotationState, 4), field(Layout.previousEpoch, 4), field(Layout.previousMasterID, 16),
            Layout.zeroA, field(Layout.epochRecord, Layout.epochRecordByteCount),
            field(Layout.previousEpochRecord, Layout.epochRecordByteCount),
            field(Layout.bridge, Layout.bridgeByteCount), Layout.zeroB,
            field(Layout.slots, Layout.slotCount * Layout.slotByteCount), Layout.zeroC,
            field(Layout.applicationKey, WrappedKey.byteCount), field(Layout.authenticationCode, 32), Layout.zeroD,
            field(Layout.checksum, Layout.checksumByteCount),
        ]
    }

    /// Returns the place of the first gap or overlap of fields that should be the bytes of a range; nil if there is
    /// none.
    private static func fault(_ fields: [Field], in whole: Range<Int>) -> Int? {
        var end = whole.lowerBound
        for field in fields {
            guard field.lowerBound == end, !field.isEmpty else { return end }
            end = field.upperBound
        }
        return end == whole.upperBound ? nil : end
    }

    /// The fields in each table of FORMAT.md whose first column is an offset, as far as offset and length are numbers.
    private static func documentedTables() throws -> [[Field]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "Documentation/FORMAT.md"), encoding: .utf8)
        var (tables, isInside) = ([[Field]](), false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("| offset") {
                tables.append([])
                isInside = true
            } else if !line.hasPrefix("|") {
                isInside = false
            }
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard isInside, cells.count > 1, let count = Int(cells[1]),
                let start = Int(cells[0].replacingOccurrences(of: "\u{2212}", with: "-"))
            else { continue }
            tables[tables.count - 1].append(start..<start + count)
        }
        return tables
    }

    @Test("the fields of the header follow one another without a gap")
    func header() {
        #expect(Self.fault(headerFields, in: 0..<HeaderLayout.copyByteCount) == nil)
        #expect(HeaderLayout.regionByteCount == 2 * HeaderLayout.copyByteCount)
        #expect(PageTrailer.byteCount == HeaderLayout.reservedByteCount)
        #expect(JournalLayout.unitHeaderByteCount + JournalLayout.payloadByteCount == JournalLayout.textByteCount)
        #expect(JournalLayout.textByteCount + PageTrailer.byteCount == JournalLayout.unitByteCount)
    }

    @Test("the fields in the tables of FORMAT.md follow one another without a gap")
    func documented() throws {
        let tables = try Self.documentedTables()
        let wholes = [
            0..<HeaderLayout.copyByteCount, 0..<HeaderLayout.slotByteCount, -HeaderLayout.reservedByteCount..<0,
            0..<JournalLayout.unitByteCount, 0..<JournalLayout.textByteCount, 0..<SidecarLayout.preambleByteCount,
        ]
        #expect(tables.count == wholes.count)
        for (table, whole) in zip(tables, wholes) {
            #expect(Self.fault(table, in: whole) == nil, "the structure of \(whole.count) bytes")
        }
        #expect(tables.first == headerFields)
    }

    @Test("the sources' assertions are active in the build of the tests")
    func assertions() {
        var isEvaluated = false
        assert(
            {
                isEvaluated = true
                return true
            }())
        #expect(isEvaluated, "the tests are built with -Onone")
    }
}
