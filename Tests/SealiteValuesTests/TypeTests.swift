import Foundation
import SealiteValues
import Testing

@Suite("the types that JSON doesn't have")
struct TypeTests {
    @Test("new ObjectIDs are different, of this second, and go up")
    func objectIDs() {
        let before = UInt32(Date().timeIntervalSince1970)
        let ids = (0..<10_000).map { _ in ObjectID() }
        let after = UInt32(Date().timeIntervalSince1970)
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { (before...after).contains($0.seconds) })
        #expect(Set(ids.map { $0.hex.dropFirst(8).prefix(10) }).count == 1)
    }

    @Test("ObjectIDs made by many tasks at once are different")
    func concurrentObjectIDs() async {
        let ids = await withTaskGroup(of: [ObjectID].self) { group in
            for _ in 0..<8 { group.addTask { (0..<2000).map { _ in ObjectID() } } }
            return await group.reduce(into: Set<ObjectID>()) { $0.formUnion($1) }
        }
        #expect(ids.count == 16_000)
    }

    @Test("an ObjectID is 24 digits or 12 bytes")
    func objectIDText() throws {
        let id = try #require(ObjectID("65F1C0FFEE0123456789abcd"))
        #expect(id.hex == "65f1c0ffee0123456789abcd")
        #expect(id.date.description == "2024-03-13T15:06:39.000Z")
        #expect(ObjectID(bytes: id.bytes) == id)
        #expect(ObjectID("65f1c0ffee0123456789abc") == nil)
        #expect(ObjectID("65f1c0ffee0123456789abcg") == nil)
        #expect(ObjectID(bytes: [1, 2]) == nil)
    }

    @Test(
        "times have ISO texts",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (253_402_300_800_000, "+10000-01-01T00:00:00.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"), (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func times(milliseconds: Int64, text: String) {
        #expect(DateTime(milliseconds: milliseconds).description == text)
        #expect(DateTime(iso: text)?.milliseconds == milliseconds)
    }

    @Test("times at the ends of 64 bits have texts that are read back", arguments: [Int64.min, .max])
    func extremeTimes(milliseconds: Int64) {
        let time = DateTime(milliseconds: milliseconds)
        #expect(DateTime(time.description) == time)
    }

    @Test("other forms of ISO 8601 are read, and what is none isn't")
    func timeForms() {
        let forms: [(String, Int64?)] = [
            ("2026-01-01", 1_767_225_600_000), ("2026-01-01T01:00", 1_767_229_200_000),
            ("2026-01-01T00:00:00.12Z", 1_767_225_600_120), ("2026-01-01T00:00:00.1239Z", 1_767_225_600_123),
            ("2026-01-01T02:00:00+0200", 1_767_225_600_000), ("2025-12-31T19:00:00-05", 1_767_225_600_000),
            ("2026-02-29", nil), ("2026-13-01", nil), ("2026-01-01T24:00:00Z", nil), ("2026-01-01T00:60:00Z", nil),
            ("2026-1-1", nil), ("2026-01-01T", nil), ("2026-01-01T00:00:00.Z", nil), ("26-01-01", nil), ("", nil),
            ("+999999999-01-01", nil), ("+292278994-08-17T07:12:55.808Z", nil), ("+292278994-08-18", nil),
            ("+292278993-02-29", nil), ("-292275055-05-16T16:47:04.191Z", nil),
            ("+292278994-08-17T08:12:55.807+01", .max),
        ]
        for (text, milliseconds) in forms { #expect(DateTime(iso: text)?.milliseconds == milliseconds, "\(text)") }
    }

    @Test("integers become equal decimals where 34 digits are enough")
    func decimalsOfIntegers() {
        #expect(Decimal128(exactly: -7) == -7)
        #expect(Decimal128(exactly: UInt128.max) == nil)
        let long = UInt128(10_000_000_000_000_000) * 1_000_000_000_000_000_000
        #expect(Decimal128(exactly: long)?.compared(to: Decimal128("1E+34") ?? .nan) == 0)
        #expect(Decimal128(exactly: long + 1) == nil)
        #expect(Decimal128(exactly: long - 1) == Decimal128("9999999999999999999999999999999999"))
    }

    @Test("decimals become integers where they are some")
    func integers() throws {
        let texts: [(String, Int64?, Int64?)] = [
            ("1E+3", 1000, 1000), ("1.5", nil, 1), ("-1.5", nil, -1), ("9223372036854775807", .max, .max),
            ("9223372036854775808", nil, nil), ("-9223372036854775808", .min, .min), ("0.9", nil, 0), ("NaN", nil, nil),
            ("1E-6000", nil, 0), ("0E+6000", 0, 0), ("1E+6000", nil, nil), ("100E-2", 1, 1),
        ]
        for (text, exact, truncated) in texts {
            let number = try #require(Decimal128(text))
            #expect(Int64(exactly: number) == exact, "\(text)")
            #expect(Int64(truncating: number) == truncated, "\(text)")
        }
    }
}
