import Foundation
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("files with holes")
struct SparseFileTests {
    private let scratch: SealedScratch
    init() throws { scratch = try SealedScratch() }

    @Test("two hundred gigabytes of nothing behind the last page are one note, and aren't read")
    func sparse() throws {
        let database = try scratch.create(mode: "DELETE")
        try database.connect().fillNotes(100)
        let count = try database.verify().pages.count
        #expect(unsafe truncate(scratch.path("test.db"), 200 << 30) == 0)
        var read = 0
        let report = try database.verify { progress in
            if progress.phase == .pages { read = max(read, progress.done) }
        }
        #expect(report.isSound && report.findings.count == 1 && report.pages.count == count && read == count)
        #expect(report.findings.first?.first == count + 1)
    }

    @Test("a file of holes whose page 1 is lost is read through with progress, and reported as ranges")
    func holes() throws {
        let database = try scratch.create(mode: "DELETE")
        try database.connect().fillNotes(100)
        let count = try database.verify().pages.count
        var bytes = try scratch.bytes("test.db")
        bytes[8192 + 50] ^= 0x80
        try scratch.write(bytes, "test.db")
        let size = 256 << 20
        #expect(unsafe truncate(scratch.path("test.db"), off_t(size)) == 0)
        var calls = 0
        let report = try database.verify { progress in
            if progress.phase == .pages { calls += 1 }
        }
        #expect(calls >= 255)
        let last = (size - 8192) / 1024
        #expect(report.findings.contains { $0.part == .page && $0.first == count + 1 && $0.last == last })
        #expect(report.findings.filter { $0.part == .page }.count == 2)
        #expect(report.pages.authenticCount == count - 1 && report.pages.damagedCount == last - count + 1)
    }

    @Test("free pages among holes are told from lost ones, range by range")
    func ranges() {
        var parts: [String] = []
        let pages = PageRanges([3...9, 12...12, 20...25])
        pages.split(by: [1, 3, 5, 6, 12, 15, 25, 26]) {
            parts.append("\($0.lowerBound)-\($0.upperBound)\($1 ? "f" : "")")
        }
        #expect(parts == ["3-3f", "4-4", "5-5f", "6-6f", "7-9", "12-12f", "20-24", "25-25f"])
        for number in 0...30 as ClosedRange<UInt32> {
            #expect(pages.contains(number) == ((3...9).contains(number) || number == 12 || (20...25).contains(number)))
        }
    }
}
