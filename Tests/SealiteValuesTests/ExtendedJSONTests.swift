import SealiteValues
import Testing

@Suite("Extended JSON and BSON bytes")
struct ExtendedJSONTests {
    @Test("what only resembles a wrapper is refused, and taken as a document where asked")
    func lenience() throws {
        let text = #"{"a":{"$oid":"hunter2"},"b":{"$date":42},"c":{"$numberInt":"1"}}"#
        let error = #expect(throws: ExtendedJSONError.self) { _ = try MongoDocument(extendedJSON: text) }
        #expect(error?.code == .invalidWrapper)
        #expect(error?.description.contains("hunter2") == false)
        let document = try MongoDocument(extendedJSON: text, wrappers: .lenient)
        #expect(document == ["a": ["$oid": "hunter2"], "b": ["$date": 42], "c": 1])
    }

    @Test("names that no wrapper has are ordinary ones")
    func operators() throws {
        let text = #"{"$and":[{"a":{"$gt":1}},{"$regex":"a","$options":"i"},{"$ref":"c","$id":1}]}"#
        #expect(try MongoDocument(extendedJSON: text).extendedJSON() == text)
    }

    @Test(
        "wrong texts have a reason",
        arguments: [
            ("[1]", .notADocument), ("{\"a\":1,\"a\":2}", .malformed), ("{", .malformed), ("{} {}", .malformed),
            (#"{"a\u0000b":1}"#, .nullByte), (#"{"a":{"$numberLong":"1","b":2}}"#, .invalidWrapper),
        ] as [(String, ExtendedJSONError.Code)])
    func errors(text: String, code: ExtendedJSONError.Code) {
        let error = #expect(throws: ExtendedJSONError.self) { _ = try MongoDocument(extendedJSON: text) }
        #expect(error?.code == code)
    }

    @Test("nesting is bounded in texts and in bytes")
    func depth() throws {
        func text(_ depth: Int) -> String {
            String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
        }
        let deepest = try MongoDocument(extendedJSON: text(500))
        #expect(try MongoDocument(bsonBytes: deepest.bsonBytes()) == deepest)
        let error = #expect(throws: ExtendedJSONError.self) { _ = try MongoDocument(extendedJSON: text(501)) }
        #expect(error?.code == .tooDeep)
        #expect(throws: BSONBytesError.self) { _ = try (["a": .document(deepest)] as MongoDocument).bsonBytes() }
        var bytes = try deepest.bsonBytes()
        // One more document around, by hand: length, type, name, content, end.
        let length = UInt32(bytes.count + 8)
        bytes = (0..<4).map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) } + [3, 0x61, 0] + bytes + [0]
        #expect(throws: BSONBytesError.self) { _ = try MongoDocument(bsonBytes: bytes) }
    }

    @Test("what BSON can't hold isn't written")
    func unwritable() {
        #expect(throws: BSONBytesError.self) { _ = try (["a\u{0}": 1] as MongoDocument).bsonBytes() }
        #expect(throws: BSONBytesError.self) { _ = try (["a": .regex(Regex("\u{0}"))] as MongoDocument).bsonBytes() }
    }

    @Test("every cut of a document's bytes is refused")
    func cuts() throws {
        let document = try MongoDocument(
            extendedJSON:
                #"{"a":{"$oid":"65f1c0ffee0123456789abcd"},"b":[1,"x",{"$binary":{"base64":"AQI=","subType":"02"}}],"c":1.5}"#
        )
        let bytes = try document.bsonBytes()
        #expect(try MongoDocument(bsonBytes: bytes) == document)
        for count in bytes.indices {
            #expect(throws: BSONBytesError.self) { _ = try MongoDocument(bsonBytes: Array(bytes[..<count])) }
        }
    }
}
