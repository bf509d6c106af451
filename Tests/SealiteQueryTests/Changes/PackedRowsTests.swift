import Testing

@testable import SealiteQuery

@Suite("rows in blocks of bytes")
struct PackedRowsTests {
    @Test("the rows that were appended come back in their order, across blocks")
    func rows() {
        let large = QueryValue.element([UInt8](repeating: 7, count: 700_000))
        let rows: [[QueryValue]] = [
            [], [.missing], [.integer(0), .integer(.min), .integer(.max), .integer(-1)],
            [.real(0), .real(-0.0), .real(.leastNonzeroMagnitude), .real(1e308)],
            [.text(""), .text("é\u{0}x"), .text(String(repeating: "long ", count: 100))], [.element([]), large],
            [large, .text("between")], [large], [.element([1, 2, 3])],
        ]
        var packed = PackedRows()
        #expect(packed.count == 0 && Array(packed) == [])
        for row in rows { packed.append(row) }
        #expect(packed.count == rows.count && Array(packed) == rows)
        #expect(Array(packed.prefix(2)) == Array(rows.prefix(2)))
    }
}
