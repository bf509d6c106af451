import Foundation
import SealiteDatabase
@testable import SealiteModel
import SealiteValues
import Testing

/// Every type of Models.md's table, and some of those that are read as one of them.
struct Everything: Model, Equatable {
    enum Size: String, Codable, CaseIterable { case small, large }
    enum Level: Int, Codable { case low = 1, high }
    struct Address: Codable, Hashable {
        var street: String
        var number: Int?
    }

    var id: ObjectID
    var bool: Bool
    var int8: Int8
    var int16: Int16
    var int32: Int32
    var int: Int
    var int64: Int64
    var uint8: UInt8
    var uint64: UInt64
    var double: Double
    var float: Float
    var string: String
    var date: Date
    var decimal: Decimal128
    var object: ObjectID
    var uuid: UUID
    var data: Data
    var bytes: [UInt8]
    var mixed: Value
    var array: [Int]
    var set: Set<String>
    var dictionary: [String: Double]
    var embedded: Address
    var addresses: [Address]
    var byName: [String: Address]
    var link: Reference<Everything>
    var links: [Reference<Everything>]
    var point: GeoPoint?
    var size: Size
    var level: Level
    var nested: [[Int?]]
    var sets: [Set<Int>]
    var address: URL
    var none: String?

    static let sample = Everything(
        id: fixedID, bool: true, int8: -8, int16: 16, int32: 2_147_483_647, int: .min, int64: .max, uint8: 255,
        uint64: 9_223_372_036_854_775_807, double: 3, float: 0.1, string: "a\"ü\n",
        date: Date(timeIntervalSince1970: 1_029_646_567.123), decimal: Decimal128(5), object: fixedID, uuid: fixedUUID,
        data: Data([1, 2, 255]), bytes: [], mixed: ["a": [1, nil, ["b": 1.5]], "c": "d"], array: [3, 1, 2],
        set: ["b", "a", "aa"], dictionary: ["z": 1, "a": -0.5, "m": 1e300], embedded: Address(street: "s", number: nil),
        addresses: [Address(street: "x", number: 1)], byName: ["k": Address(street: "y", number: 2)],
        link: Reference(id: fixedID), links: [Reference(id: fixedID)], point: fixedPoint, size: .large, level: .high,
        nested: [[1, nil], []], sets: [[3, 1, 2], [10, 9]], address: fixedURL, none: nil)
}

let fixedID = ObjectID("616f44305a205add93ff1081") ?? ObjectID()
let fixedUUID = UUID(uuidString: "73FFD264-44B3-4C69-90E8-E7D1DFC035D4") ?? UUID()
let fixedPoint = GeoPoint(latitude: 48.5, longitude: 2.25)
let fixedURL = URL(string: "https://example.org/a?b") ?? URL(fileURLWithPath: "/")

@Suite("stored forms of objects")
struct StoredFormTests {
    @Test("every type is stored in its form, members in the type's order, sets and dictionaries in theirs")
    func forms() throws {
        let expected = #"""
            {"bool":true,"int8":-8,"int16":16,"int32":2147483647,"int":-9223372036854775808,"int64":9223372036854775807,"uint8":255,
            "uint64":9223372036854775807,"double":3.0,"float":0.1,"string":"a\"ü\n","date":{"$date":"2002-08-18T04:56:07.123Z"},
            "decimal":{"$numberDecimal":"5"},"object":{"$oid":"616f44305a205add93ff1081"},"uuid":{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"},
            "data":{"$binary":{"base64":"AQL/","subType":"00"}},"bytes":{"$binary":{"base64":"","subType":"00"}},"mixed":{"a":[1,null,{"b":1.5}],"c":"d"},
            "array":[3,1,2],"set":["a","aa","b"],"dictionary":{"a":-0.5,"m":1.0E+300,"z":1.0},"embedded":{"street":"s"},
            "addresses":[{"street":"x","number":1}],"byName":{"k":{"street":"y","number":2}},"link":{"$oid":"616f44305a205add93ff1081"},
            "links":[{"$oid":"616f44305a205add93ff1081"}],"point":{"type":"Point","coordinates":[2.25,48.5]},"size":"large","level":2,
            "nested":[[1,null],[]],"sets":[[1,2,3],[9,10]],"address":"https://example.org/a?b"}
            """#
        #expect(try written(Everything.sample) == expected.split(separator: "\n").joined())
    }

    @Test("every type is read as it was")
    func roundTrip() throws {
        #expect(try read(Everything.self, written(Everything.sample)) == Everything.sample)
    }

    @Test("every type is read as it was out of a database, by its key and by a query")
    func store() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Everything.self)
        try await store.save(Everything.sample)
        #expect(try await store.object(Everything.self, id: fixedID) == Everything.sample)
        #expect(try await store.objects(Everything.self).all() == [Everything.sample])
    }

    private struct Number: Model, Equatable {
        var id = fixedID
        var value: Double?
        var float: Float?
        var int: Int?
    }

    @Test(
        "doubles have a fraction or an exponent, and those that JSON lacks their wrapper",
        arguments: [
            (0.0, "0.0"), (-0.0, "-0.0"), (1e16, "1.0E+16"), (123456789.0, "123456789.0"),
            (.leastNonzeroMagnitude, "5.0E-324"),
            (.infinity, #"{"$numberDouble":"Infinity"}"#), (-.infinity, #"{"$numberDouble":"-Infinity"}"#),
        ])
    func doubles(_ value: Double, _ text: String) throws {
        #expect(try written(Number(value: value)) == #"{"value":\#(text)}"#)
        let again = try read(Number.self, #"{"value":\#(text)}"#)
        #expect(again.value?.bitPattern == value.bitPattern)
    }

    @Test("NaN is one")
    func nan() throws {
        #expect(try written(Number(value: .nan)) == #"{"value":{"$numberDouble":"NaN"}}"#)
        #expect(try read(Number.self, #"{"value":{"$numberDouble":"NaN"}}"#).value?.isNaN == true)
    }

    @Test(
        "a double that a peer has written without a point is the same one, and integers are read where they are exact")
    func numbers() throws {
        #expect(try read(Number.self, #"{"value":3}"#).value == 3)
        #expect(try read(Number.self, #"{"int":3.0}"#).int == 3)
        #expect(try read(Number.self, #"{"int":{"$numberLong":"3"}}"#).int == 3)
        #expect(try read(Number.self, #"{"float":16777217.0}"#).float == 16_777_216)
        for wrong in ["3.5", "9223372036854775808", "1e30", "true", #""3""#, "[]"] {
            #expect(throws: DatabaseError.self) { try read(Number.self, #"{"int":\#(wrong)}"#) }
        }
    }

    private struct Moment: Model, Equatable {
        var id = fixedID
        var at: Date
    }

    @Test("times count in milliseconds, within and beyond the years of four digits")
    func times() throws {
        for milliseconds in [0, -1, 1_029_646_567_123, -62_167_219_200_001, 253_402_300_800_000, 4_102_444_800_999] {
            let moment = Moment(at: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
            #expect(try read(Moment.self, written(moment)) == moment, "\(milliseconds)")
        }
        #expect(throws: DatabaseError.self) { try written(Moment(at: Date(timeIntervalSince1970: 1e300))) }
        #expect(
            try read(Moment.self, #"{"at":{"$date":"2002-08-18T06:56:07+02:00"}}"#).at.timeIntervalSince1970
                == 1_029_646_567)
    }
}
