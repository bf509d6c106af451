import CSQLite
import SealiteCrypto
import SealiteFileTestSupport
import SealiteMaintenance
import Testing

@testable import SealiteFile

@Suite("flipped bits and misplaced bytes in pages")
struct PageFlipTests {
    private let scratch: SealedScratch
    init() throws { scratch = try SealedScratch() }

    private func create(_ name: String = "test.db", text: String = "note") throws -> [UInt8] {
        try scratch.create(name, mode: "DELETE").connect().fillNotes(40, text: text)
        return try scratch.bytes(name)
    }

    private func place(_ page: Int) -> Range<Int> { 8192 + (page - 1) * 1024..<8192 + page * 1024 }

    @Test("every byte of a page is authenticated", arguments: [1, 2, 4])
    func everyByte(page: Int) throws {
        let bytes = try create()
        let database = try scratch.open()
        for offset in place(page) {
            try scratch.withFlippedBit("test.db", bytes, at: offset) {
                let outcome = Outcome.reading { database }
                if outcome != .refused(.damagedPage, page: UInt32(page)) { Issue.record("byte \(offset): \(outcome)") }
            }
        }
        guard case .content(let rows) = Outcome.reading({ database }) else { return #expect(Bool(false)) }
        #expect(rows.count == 40)
    }

    @Test("two pages in each other's place, and a page in two places, are damage")
    func swapped() throws {
        let bytes = try create()
        var changed = bytes
        changed.replaceSubrange(place(4), with: bytes[place(5)])
        changed.replaceSubrange(place(5), with: bytes[place(4)])
        try scratch.write(changed, "test.db")
        #expect(Outcome.reading { try scratch.open() } == .refused(.damagedPage, page: 4))
        let report = try scratch.open().verify()
        #expect(report.findings.map(\.first) == [4] && report.findings.map(\.last) == [5])
    }

    @Test("a page of another database under the same slot key is damage")
    func foreignPage() throws {
        var bytes = try create()
        let other = try create("other.db")
        bytes.replaceSubrange(place(4), with: other[place(4)])
        try scratch.write(bytes, "test.db")
        #expect(Outcome.reading { try scratch.open() } == .refused(.damagedPage, page: 4))
    }

    @Test("undamaged pages stay readable, and a statement doesn't write over a damaged one")
    func damageIsLocal() throws {
        _ = try create()
        try scratch.open().connect().execute("CREATE TABLE other(x); INSERT INTO other VALUES (1)")
        var bytes = try scratch.bytes("test.db")
        bytes[place(4).lowerBound + 9] ^= 1
        try scratch.write(bytes, "test.db")
        let connection = try scratch.open().connect()
        #expect(try connection.integer("SELECT x FROM other") == 1)
        let error = #expect(throws: SealedFileError.self) { try connection.execute("UPDATE notes SET body = 'x'") }
        #expect(error?.code == .damagedPage && error?.page == 4)
        try connection.execute("INSERT INTO other VALUES (2)")
        #expect(try scratch.bytes("test.db")[place(4)] == bytes[place(4)])
    }

    @Test("a page of zeros, and one under an epoch that the header doesn't name, are damage with a reason of their own")
    func reasons() throws {
        let bytes = try create()
        for (change, words) in [
            ([UInt8](repeating: 0, count: 1024), "was never written"),
            (bytes[place(4)].dropLast(8) + [9, 0, 0, 0, 0, 0, 0, 0], "the page key of epoch 9"),
        ] {
            try scratch.patch("test.db", at: place(4).lowerBound, Array(change))
            let error = #expect(throws: SealedFileError.self) { try scratch.open().connect().dump() }
            #expect(error?.code == .damagedPage && error?.reason.contains(words) == true)
        }
    }

    @Test("a file cut anywhere is refused or read as it was")
    func truncated() throws {
        let bytes = try create()
        let whole = Outcome.reading { try scratch.open() }
        var codes: [Int: SealedFileError.Code] = [:]
        let ends = [0, 1, 7, 8, 100, 4095, 4096, 5000, 8191, 8192, 8193, 8192 + 1023, 8192 + 1024, 8192 + 1500]
        for end in ends + [bytes.count - 1024, bytes.count - 1] {
            try scratch.write(Array(bytes[0..<end]), "test.db")
            guard case .refused(let code, _) = Outcome.reading({ try scratch.open() }) else {
                Issue.record("cut to \(end) bytes was read")
                continue
            }
            codes[end] = code
        }
        #expect(codes[0] == .notSealed && codes[1] == .notSealed && codes[7] == .notSealed)
        #expect(codes[8] == .damagedHeader && codes[4095] == .damagedHeader)
        for end in [4096, 8192, 8193, bytes.count - 1] { #expect(codes[end] == .damagedPage, "cut to \(end) bytes") }
        try scratch.write(bytes, "test.db")
        #expect(Outcome.reading { try scratch.open() } == whole)
    }
}
