import Foundation
import Testing

@testable import SealiteDatabase

@Suite("Codable values as documents")
struct CodableTests {
    struct Person: Codable, Identifiable, Equatable {
        struct Address: Codable, Equatable {
            var city: String
            var floors: [Int?]
        }
        enum Kind: String, Codable { case friend, stranger }

        var id: String
        var name: String
        var age: UInt8
        var big: UInt64
        var score: Double
        var price: Decimal
        var born: Date
        var home: URL?
        var kind: Kind
        var data: Data
        var address: Address?
        var tags: [String: [Bool]]
    }

    private let person = Person(
        id: "p1", name: "Ana", age: 30, big: .max, score: 0.1, price: Decimal(string: "12.50") ?? 0,
        born: Date(timeIntervalSince1970: 1_000_000_000.123), home: URL(string: "https://example.com/a"), kind: .friend,
        data: Data([0, 255]), address: .init(city: "Porto", floors: [1, nil, -3]), tags: ["x": [true, false]])

    @Test("a struct is saved under its id and comes back equal")
    func roundTrip() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        let saved = try collection.save(from: person)
        #expect(saved.id == "p1")
        #expect(!saved.contains(key: "id"))
        #expect(saved.date(forKey: "born") == person.born)
        #expect(saved["home"] == "https://example.com/a")
        #expect(saved.number(forKey: "big")?.description == "18446744073709551615")
        #expect(try collection.document(id: "p1", as: Person.self) == person)
        var older = person
        older.address = nil
        older.home = nil
        try collection.save(from: older)
        #expect(try collection.document(id: "p1", as: Person.self) == older)
        try collection.delete(for: older)
        #expect(try collection.document(id: "p1", as: Person.self) == nil)
        try collection.purge(for: older)
    }

    @Test("a struct is saved in the form of text where that is asked for, and is read from both forms")
    func forms() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        let text = try collection.save(from: person, form: .text)
        #expect(text["born"] == "2001-09-09T01:46:40.123Z" && text["data"] == "AP8=")
        #expect(try text.decode(as: Person.self) == person)
        let typed = try collection.save(from: person)
        #expect(typed["born"] == ["$date": "2001-09-09T01:46:40.123Z"])
        #expect(typed["data"] == ["$binary": ["base64": "AP8=", "subType": "00"]])
        #expect(try typed.decode(as: Person.self) == person)
        #expect(try MutableDocument(encoding: person, form: .text)["born"] == text["born"])
    }

    @Test("a date with garbage behind it, in either form, can't be decoded as a date")
    func garbage() throws {
        struct Dated: Codable { var d: Date }
        for json in [#"{"d":"2026-11-21T04:06:03.123Zx"}"#, #"{"d":{"$date":"2026-11-21T04:06:03.123Zx"}}"#] {
            let document = try TestDatabase().collection.save(document: MutableDocument(id: "a", json: json))
            #expect(code { _ = try document.decode(as: Dated.self) } == .decodingFailed)
        }
    }

    struct Numbered: Codable, Identifiable, Equatable {
        var id: Int
        var text: String
    }

    struct Unique: Codable, Identifiable, Equatable {
        var id: UUID
        var blob: Blob?
    }

    @Test("a blob alone is no document")
    func blobAlone() {
        let blob = Blob(contentType: "a/b", bytes: [1])
        #expect(code { _ = try MutableDocument(encoding: blob) } == .encodingFailed)
        #expect(code { _ = try MutableDocument(encoding: Value.blob(blob)) } == .encodingFailed)
    }

    private struct Lists: Codable, Identifiable, Equatable {
        var id = "lists"
        var texts: [String] = []
        var numbers: [Int] = []
        var dates: Set<Date> = []
        var bytes: [UInt8] = []
    }

    @Test("an empty list is a list, whatever its items are, and no bytes are an empty binary")
    func emptyLists() throws {
        let test = try TestDatabase()
        let saved = try test.collection.save(from: Lists())
        let json = #"{"texts":[],"numbers":[],"dates":[],"bytes":{"$binary":{"base64":"","subType":"00"}}}"#
        #expect(try saved.toJSON() == json)
        #expect(try saved.decode(as: Lists.self) == Lists())
    }

    @Test("ids may be numbers and UUIDs, properties may be blobs")
    func otherIDs() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        let numbered = Numbered(id: 42, text: "x")
        #expect(try collection.save(from: numbered).id == "42")
        #expect(try collection.document(id: "42", as: Numbered.self) == numbered)
        let unique = Unique(id: UUID(), blob: Blob(contentType: "a/b", bytes: [1, 2]))
        try collection.save(from: unique)
        let read = try #require(try collection.document(id: unique.id.uuidString, as: Unique.self))
        #expect(read == unique)
        #expect(try read.blob?.content == Data([1, 2]))
    }

    struct Drafted: Codable, Identifiable, Equatable {
        var id: String?
        var text: String
    }

    @Test("an optional id is the document's id without a trace of the optional, and nil is none")
    func optionalID() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        let drafted = Drafted(id: "a", text: "x")
        #expect(try collection.save(from: drafted).id == "a")
        #expect(try collection.document(id: "a", as: Drafted.self) == drafted)
        try collection.delete(for: drafted)
        try collection.purge(for: drafted)
        let unnamed = Drafted(id: nil, text: "x")
        #expect(code { try collection.save(from: unnamed) } == .invalidParameter)
        #expect(code { try collection.delete(for: unnamed) } == .invalidParameter)
        #expect(try collection.count == 0)
    }

    @Test("a document of any origin decodes when it fits; what doesn't fit names the property, not the content")
    func decoding() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        let fits = try collection.save(document: MutableDocument(id: "7", json: "{\"text\":\"t\",\"other\":1}"))
        #expect(try fits.decode(as: Numbered.self) == Numbered(id: 7, text: "t"))
        for json in ["{}", "{\"text\":null}", "{\"text\":12345}"] {
            let document = try collection.save(document: MutableDocument(id: "7", json: json))
            do {
                _ = try document.decode(as: Numbered.self)
                Issue.record("decoded \(json)")
            } catch let error as SealiteDatabase.DatabaseError {
                #expect(error.code == .decodingFailed)
                #expect(error.reason.contains("\"text\""))
                #expect(!error.reason.contains("12345"))
            }
        }
    }

    @Test("text is decoded as a number for a document's id only")
    func numericText() throws {
        struct Owned: Codable { var owner: Numbered }
        let test = try TestDatabase()
        let json = "{\"owner\":{\"id\":\"5\",\"text\":\"t\"}}"
        let document = try test.collection.save(document: MutableDocument(id: "7", json: json))
        #expect(code { _ = try document.decode(as: Owned.self) } == .decodingFailed)
    }

    @Test("integers that don't fit their type are refused, never cut", arguments: ["256", "-1", "1.5", "1e400"])
    func exactIntegers(text: String) throws {
        struct Small: Codable { var n: UInt8 }
        let test = try TestDatabase()
        let collection = try test.collection
        let document = try collection.save(document: MutableDocument(id: "a", json: "{\"n\":\(text)}"))
        #expect(code { _ = try document.decode(as: Small.self) } == .decodingFailed)
        let fits = try collection.save(document: MutableDocument(id: "a", json: "{\"n\":2.55e2}"))
        #expect(try fits.decode(as: Small.self).n == 255)
    }

    @Test(
        "a member declared as an object is decoded from one that describes a blob, without a change",
        arguments: [
            #"{"@type":"blob","digest":"sha1-ArH2IhJgRp/90GRqSAdAfa750BE=","length":12,"own":"x"}"#,
            #"{"@type":"blob","data":"AQI=","own":[true]}"#,
        ])
    func blobAsObject(json: String) throws {
        struct Holder: Codable { var object: DictionaryObject }
        let test = try TestDatabase()
        let text = "{\"object\":\(json)}"
        let document = try test.collection.save(document: MutableDocument(id: "a", json: text))
        #expect(try document.decode(as: Holder.self).object == DictionaryObject(json: json))
        let holder = try JSONDecoder().decode(Holder.self, from: Data(text.utf8))
        #expect(try holder.object == DictionaryObject(json: json))
    }

    @Test("what isn't an object can't be a document")
    func notAnObject() {
        #expect(code { _ = try MutableDocument(encoding: [1, 2]) } == .encodingFailed)
        #expect(code { _ = try MutableDocument(encoding: "text") } == .encodingFailed)
    }

    @Test("classes with super encoders, enums with values and nested containers")
    func shapes() throws {
        enum Shape: Codable, Equatable {
            case circle(radius: Double)
            case named(String, [Int])
        }
        struct Holder: Codable, Equatable { var shapes: [Shape] }
        let holder = Holder(shapes: [.circle(radius: 1.5), .named("x", [1])])
        let document = try MutableDocument(id: "a", encoding: holder)
        let test = try TestDatabase()
        let saved = try test.collection.save(document: document)
        #expect(try saved.decode(as: Holder.self) == holder)
    }

    @Test(
        "numbers go through other coders exactly or not at all",
        arguments: [
            ("18446744073709551615", true), ("-9223372036854775808", true), ("1.50", true), ("1e300", true),
            ("0.12345678901234567890123456789", true), ("12345678901234567890123456789012345678", true),
            ("1e400", false), ("1234567890123456789012345678901234567890123", false), ("1.0e-130", true),
        ])
    func numbersInOtherCoders(text: String, fits: Bool) throws {
        let number = try #require(Number(json: text))
        let data = try? JSONEncoder().encode(["n": Value.number(number)])
        #expect((data != nil) == fits)
        guard let data else { return }
        let written = try DictionaryObject(json: String(decoding: data, as: UTF8.self)).number(forKey: "n")
        #expect(written?.hasValue(of: number) == true)
        let read = try JSONDecoder().decode([String: Value].self, from: data)["n"]?.number
        #expect(read?.hasValue(of: number) == true)
    }

    @Test("numbers that a decimal, a double or a float can't hold are refused", arguments: ["1e400", "-1e999"])
    func tooLarge(text: String) throws {
        struct Doubles: Codable { var n: Double }
        struct Floats: Codable { var n: Float }
        struct Decimals: Codable { var n: Decimal }
        let test = try TestDatabase()
        let collection = try test.collection
        let document = try collection.save(document: MutableDocument(id: "a", json: "{\"n\":\(text)}"))
        #expect(code { _ = try document.decode(as: Doubles.self) } == .decodingFailed)
        #expect(code { _ = try document.decode(as: Floats.self) } == .decodingFailed)
        #expect(code { _ = try document.decode(as: Decimals.self) } == .decodingFailed)
        let long = String(repeating: "1234567890", count: 5)
        let digits = try collection.save(document: MutableDocument(id: "a", json: "{\"n\":\(long)}"))
        #expect(code { _ = try digits.decode(as: Decimals.self) } == .decodingFailed)
        #expect(code { _ = try MutableDocument(encoding: Decimals(n: .nan)) } == .encodingFailed)
    }

    @Test("values survive other coders")
    func otherCoders() throws {
        let value: Value = ["a": [1, 2.5, "x", true, nil], "b": ["c": -3]]
        let data = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(Value.self, from: data) == value)
    }
}
