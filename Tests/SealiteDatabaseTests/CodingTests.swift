import Foundation
import SealiteDatabase
import SealiteValues
import Testing

@Suite("Codable values and documents")
struct CodingTests {
    struct Address: Codable, Equatable {
        var city: String
        var lines: [String]
    }

    struct Person: Codable, Equatable {
        var id: ObjectID
        var name: String
        var age: Int?
        var balance: Decimal128
        var big: Int64
        var ratio: Double
        var isActive: Bool
        var born: DateTime
        var photo: Binary
        var pattern: Regex
        var stamp: Timestamp
        var address: Address?
        var tags: Set<String>
        var extra: BSON
        var attributes: MongoDocument
        var scores: [String: [Int?]]
    }

    static func person() throws -> Person {
        Person(
            id: try #require(ObjectID("65f1c0ffee0123456789abcd")), name: "Ada", age: nil, balance: 12, big: 1 << 40,
            ratio: 2,
            isActive: true, born: DateTime(milliseconds: -1), photo: Binary([1, 2], subtype: 128), pattern: Regex("^a"),
            stamp: Timestamp(seconds: 1, increment: 2), address: Address(city: "Ulm", lines: ["a", "b"]), tags: ["x"],
            extra: [1, 2.5, nil], attributes: ["z": 1, "a": .minKey], scores: ["m": [1, nil]])
    }

    @Test("a struct becomes a document in the order of its members, and comes back")
    func roundTrip() throws {
        let person = try Self.person()
        let document = try BSONEncoder().encode(person)
        #expect(document.keys.prefix(3) == ["id", "name", "balance"])
        #expect(document["id"] == .objectID(person.id))
        #expect(document["balance"] == .decimal128(12))
        #expect(document["big"] == .int64(1 << 40))
        #expect(document["ratio"] == 2.0)
        #expect(document["born"] == .datetime(person.born))
        #expect(document["attributes"] == ["z": 1, "a": .minKey])
        #expect(document["scores"] == ["m": [1, nil]])
        #expect(try BSONDecoder().decode(Person.self, from: document) == person)
    }

    @Test("in JSONEncoder and JSONDecoder the values are relaxed Extended JSON")
    func json() throws {
        var person = try Self.person()
        // The decoder doesn't keep the order of members.
        person.attributes = ["a": .minKey]
        let text = try JSONEncoder().encode(person)
        let document = try MongoDocument(extendedJSON: String(decoding: text, as: UTF8.self))
        #expect(document["id"] == .objectID(person.id))
        #expect(document["born"] == .datetime(person.born))
        #expect(try JSONDecoder().decode(Person.self, from: text) == person)
        let texts: [(BSON, String)] = [
            (.codeWithScope("f", ["a": 1]), #"{"$code":"f","$scope":{"a":1}}"#), (.null, "null"), (.bool(true), "true"),
            (.double(.infinity), #"{"$numberDouble":"Infinity"}"#), ([1, "a"], #"[1,"a"]"#),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for (value, text) in texts {
            #expect(try String(decoding: encoder.encode(value), as: UTF8.self) == text)
            #expect(try JSONDecoder().decode(BSON.self, from: Data(text.utf8)) == value)
        }
    }

    @Test("numbers are read where they fit exactly")
    func numbers() throws {
        let decoder = BSONDecoder()
        #expect(try decoder.decode(Int.self, from: .double(3)) == 3)
        #expect(try decoder.decode(UInt8.self, from: .int64(255)) == 255)
        #expect(try decoder.decode(Double.self, from: .int32(3)) == 3)
        #expect(try decoder.decode(Decimal128.self, from: .int64(3)) == 3)
        #expect(throws: DecodingError.self) { try decoder.decode(UInt8.self, from: 256) }
        #expect(throws: DecodingError.self) { try decoder.decode(Int.self, from: 1.5) }
        #expect(throws: DecodingError.self) { try decoder.decode(Double.self, from: .int64(1 << 53 + 1)) }
        #expect(throws: DecodingError.self) { try decoder.decode(Int.self, from: "1") }
        #expect(throws: EncodingError.self) { try BSONEncoder().encodeValue(UInt64.max) }
    }

    @Test("integers of 64 bits are taken exactly; larger ones are nil or a trap, never another number")
    func integers() async {
        #expect(BSON(UInt64(1) << 31) == .int64(1 << 31))
        #expect(BSON(exactly: UInt64.max) == nil)
        #expect(BSON(exactly: Int.min) == .int64(.min))
        #expect(BSON(exactly: -1) == .int32(-1))
        await #expect(processExitsWith: .failure) { _ = BSON(UInt64.max) }
    }

    @Test("of many members a later one replaces the earlier in its place, and names are told apart by their bytes")
    func manyMembers() throws {
        struct Twice: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: NameKey.self)
                for round in 1...2 {
                    for number in 0..<40 { try container.encode(number * round, forKey: NameKey("m\(number)")) }
                }
                try container.encode(1, forKey: NameKey("\u{E9}"))
                try container.encode(2, forKey: NameKey("e\u{301}"))
            }
        }
        let document = try BSONEncoder().encode(Twice())
        let names = (0..<40).map { "m\($0)" } + ["\u{E9}", "e\u{301}"]
        #expect(document.keys.map { Array($0.utf8) } == names.map { Array($0.utf8) })
        #expect(document.map(\.value) == (0..<40).map { .int32($0 * 2) } + [1, 2])
    }

    private struct NameKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    @Test("errors tell the path, and not the value")
    func errors() throws {
        var document = try BSONEncoder().encode(Self.person())
        document["address"] = ["city": "Ulm", "lines": ["a", 5]]
        let error = #expect(throws: DecodingError.self) { try BSONDecoder().decode(Person.self, from: document) }
        guard case .typeMismatch(_, let context)? = error else {
            Issue.record("the error is another one")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["address", "lines", "1"])
        #expect(context.debugDescription == "the value has the BSON type int")
        document["address"] = nil
        document["name"] = nil
        let missing = #expect(throws: DecodingError.self) { try BSONDecoder().decode(Person.self, from: document) }
        guard case .keyNotFound(let key, _)? = missing else {
            Issue.record("the error is another one")
            return
        }
        #expect(key.stringValue == "name")
    }

    @Test("a conversion takes types of other modules")
    func conversions() throws {
        let encoder = BSONEncoder { value in
            (value as? Date).map { .datetime(DateTime(milliseconds: Int64($0.timeIntervalSince1970 * 1000))) }
        }
        let decoder = BSONDecoder { type, value in
            guard type == Date.self, case .datetime(let date) = value else { return nil }
            return Date(timeIntervalSince1970: Double(date.milliseconds) / 1000)
        }
        let dates = ["a": Date(timeIntervalSince1970: 1.5)]
        let document = try encoder.encode(dates)
        #expect(document == ["a": .datetime(DateTime(milliseconds: 1500))])
        #expect(try decoder.decode([String: Date].self, from: document) == dates)
    }

    /// A class that hands its super class an encoder of its own.
    class Base: Codable {
        var a = 1
    }

    final class Derived: Base {
        var b = 2

        private enum CodingKeys: CodingKey { case b }

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            try super.init(from: container.superDecoder())
            b = try container.decode(Int.self, forKey: .b)
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(b, forKey: .b)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test("super classes have a document of their own, and what isn't a document is refused at the top")
    func shapes() throws {
        let document = try BSONEncoder().encode(Derived())
        #expect(document == ["b": 2, "super": ["a": 1]])
        #expect(try BSONDecoder().decode(Derived.self, from: document).b == 2)
        #expect(throws: EncodingError.self) { try BSONEncoder().encode([1]) }
        struct Empty: Codable {}
        #expect(try BSONEncoder().encode(Empty()) == [:])
    }
}
