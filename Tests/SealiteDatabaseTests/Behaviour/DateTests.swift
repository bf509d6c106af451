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

    @Test("a number, true or null is no date; a date is kept typed, and is read from both stored forms")
    func kept() throws {
        let test = try TestDatabase()
        let document = MutableDocument(id: "a", data: ["n": 1_795_233_963, "t": true, "z": .null])
        for key in ["n", "t", "z", "none"] { #expect(document.date(forKey: key) == nil) }
        let date = Date(timeIntervalSince1970: 1_795_233_963.1234)
        document.setDate(date, forKey: "d").setDate(date, forKey: "s", form: .text)
        document.setDate(Date(timeIntervalSince1970: 1e15), forKey: "future")
        let saved = try test.collection.save(document: document)
        #expect(saved["d"] == ["$date": "2026-11-21T04:06:03.123Z"])
        #expect(saved["s"] == "2026-11-21T04:06:03.123Z")
        #expect(saved["future"] == ["$date": ["$numberLong": "1000000000000000000"]])
        let again = try #require(try test.reopened().collection.document(id: "a"))
        #expect(again.date(forKey: "d") == Date(timeIntervalSince1970: 1_795_233_963.123))
        #expect(again.date(forKey: "d") == again.date(forKey: "s"))
        #expect(again.date(forKey: "future") == Date(timeIntervalSince1970: 1e15))
        #expect(again.toMutable().setDate(nil, forKey: "d").value(forKey: "d") == .null)
    }

    @Test("a date as text that four digits of a year can't hold is the nearest one that they can")
    func limits() throws {
        #expect(Value.date(.distantPast, form: .text) == "0000-12-30T00:00:00.000Z")
        #expect(Value.date(Date(timeIntervalSince1970: 1e15), form: .text) == "9999-12-31T23:59:59.999Z")
    }

    @Test(
        "an object that only resembles a stored date, or a date with garbage behind it, is no date",
        arguments: [
            #"{"$date":"2026-11-21T04:06:03.123Zx"}"#, #"{"$date":"2026-11-21","x":1}"#, #"{"$date":null}"#, "{}",
            #"{"date":"2026-11-21"}"#, #"{"$date":{"$numberLong":"1x"}}"#, #"{"$uuid":"2026-11-21"}"#,
        ])
    func resembling(json: String) throws {
        let document = try MutableDocument(id: "a", json: "{\"d\":\(json)}")
        #expect(document.date(forKey: "d") == nil)
    }

    @Test("bytes and UUIDs are kept typed, and are read from both stored forms")
    func bytes() throws {
        let test = try TestDatabase()
        let (data, id) = (Data([0, 1, 255]), UUID())
        let document = MutableDocument(id: "a").setData(data, forKey: "d").setData(data, forKey: "ds", form: .text)
            .setUUID(id, forKey: "u").setUUID(id, forKey: "us", form: .text)
        let saved = try test.collection.save(document: document)
        #expect(saved["d"] == ["$binary": ["base64": "AAH/", "subType": "00"]])
        #expect(saved["ds"] == "AAH/")
        #expect(saved["u"] == ["$uuid": .string(id.uuidString.lowercased())])
        for key in ["d", "ds"] { #expect(saved.data(forKey: key) == data) }
        for key in ["u", "us"] { #expect(saved.uuid(forKey: key) == id) }
        #expect(saved.data(forKey: "u")?.count == 16 && saved.uuid(forKey: "d") == nil)
    }
}
