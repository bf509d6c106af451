import Foundation
import Testing

@testable import SealiteDatabase

@Suite("DateTests: dates in documents")
struct DateTests {
    private func read(_ text: String) throws -> Double? {
        let document = MutableDocument(id: "a").setString(text, forKey: "d")
        return document.date(forKey: "d").map { ($0.timeIntervalSince1970 * 1000).rounded() }
    }

    @Test("a date is read from every form of ISO 8601 that documents have, to the millisecond")
    func forms() throws {
        for (text, milliseconds) in [
            ("1970-01-01", 0), ("1970-01-02T00:00:00Z", 86_400_000), ("1969-12-31T23:59:59.999Z", -1),
            ("2026-11-21T04:06:03.123Z", 1_795_233_963_123), ("2026-11-21T04:06:03.123", 1_795_233_963_123),
            ("2026-11-21T05:06:03.123+01:00", 1_795_233_963_123), ("2026-11-20T23:36:03.123-0430", 1_795_233_963_123),
            ("2026-11-21 04:06:03Z", 1_795_233_963_000), ("2026-11-21T04:06Z", 1_795_233_960_000),
            ("2026-11-21T24:00:00Z", 1_795_305_600_000),
            ("2024-02-29", 1_709_164_800_000), ("2000-02-29", 951_782_400_000), ("1900-03-01", -2_203_891_200_000),
            ("0000-01-01T00:00:00.000Z", -62_167_219_200_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Double)] {
            #expect(try read(text) == milliseconds, "\(text)")
        }
    }

    @Test(
        "what is no date is none",
        arguments: [
            "", "x", "2026", "2026-11", "2026-1-1", "2026-13-01", "2026-00-10", "2026-11-00", "2026-11-31",
            "2026-02-29", "1900-02-29", "2026-02-99", "2026-11-21T24:30Z", "2026-11-21T24:00:01",
            "2026-11-21T", "2026-11-21T4", "2026-11-21T24:61", "2026-11-21T04:06:03.123Zx", "2026-11-21T04:06+1",
            " 2026-11-21", "-2026-11-21", "２０２６-11-21",
        ])
    func others(text: String) throws {
        #expect(try read(text) == nil)
    }

    @Test("a number, true or null is no date; a date is kept as text, and one that text can't hold is the nearest")
    func kept() throws {
        let test = try TestDatabase()
        let document = MutableDocument(id: "a", data: ["n": 1_795_233_963, "t": true, "z": .null])
        for key in ["n", "t", "z", "none"] { #expect(document.date(forKey: key) == nil) }
        document.setDate(Date(timeIntervalSince1970: 1_795_233_963.1234), forKey: "d")
        document.setDate(.distantPast, forKey: "past").setDate(Date(timeIntervalSince1970: 1e15), forKey: "future")
        let saved = try test.collection.save(document: document)
        #expect(saved.string(forKey: "d") == "2026-11-21T04:06:03.123Z")
        #expect(saved.string(forKey: "past") == "0000-12-30T00:00:00.000Z")
        #expect(saved.string(forKey: "future") == "9999-12-31T23:59:59.999Z")
        let again = try #require(try test.reopened().collection.document(id: "a"))
        #expect(again.date(forKey: "d") == saved.date(forKey: "d"))
        #expect(again.toMutable().setDate(nil, forKey: "d").value(forKey: "d") == .null)
    }
}
