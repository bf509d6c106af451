import SealiteJSON
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

@Suite("objects changed in their stored form")
struct JSONBObjectTests {
    @Test("random edits give the same as edits of a dictionary, byte for byte")
    func randomEdits() throws {
        var generator = SeededRandom()
        for _ in 0..<300 {
            var dictionary = DictionaryObject()
            for _ in 0..<generator.below(20) { dictionary[generator.text()] = generator.value(depth: 2) }
            var writer = JSONBWriter()
            try writer.object(dictionary)
            var object = JSONBObject(writer.bytes)
            for _ in 0..<8 {
                let keys = dictionary.keys
                let isKnown = !keys.isEmpty && generator.below(2) == 0
                let key = isKnown ? keys[generator.below(keys.count)] : generator.text()
                if generator.below(3) == 0 {
                    object.remove(key)
                    dictionary.removeValue(forKey: key)
                } else {
                    // Long enough now and then for every width of header.
                    let length = [1, 200, 70_000][generator.below(3)]
                    let scalar = generator.value(depth: 0)
                    let value = generator.below(3) == 0 ? .string(String(repeating: "x", count: length)) : scalar
                    let isSet = object.set(value, forKey: key)
                    #expect(isSet)
                    dictionary[key] = value
                }
                #expect(object.value(forKey: key, database: nil) == dictionary[key], "seed \(generator.seed)")
            }
            var expected = JSONBWriter()
            try expected.object(dictionary)
            #expect(object.bytes == expected.bytes, "seed \(generator.seed)")
        }
    }

    @Test("what can't be set this way changes nothing")
    func refused() throws {
        var object = try JSONBObject(json: Array(#"{"a":1}"#.utf8))
        for value in [[], [:], .blob(Blob(contentType: nil, bytes: [])), Value(Double.nan)] as [Value] {
            let isSet = object.set(value, forKey: "a")
            #expect(!isSet)
        }
        #expect(object.value(forKey: "a", database: nil) == 1 && object.value(forKey: "b", database: nil) == nil)
        var damaged = JSONBObject([0xFF, 1])
        let isSet = damaged.set(1, forKey: "a")
        #expect(!isSet && damaged.scalar(forKey: "a") == nil)
        damaged.remove("a")
    }

    @Test("a member that is an array or an object is only told of")
    func scalars() throws {
        let object = try JSONBObject(json: Array(#"{"a":[1,2],"b":{"c":1},"d":"x","e":null}"#.utf8))
        #expect(object.scalar(forKey: "a") == [] && object.scalar(forKey: "b") == [:])
        #expect(object.scalar(forKey: "d") == "x" && object.scalar(forKey: "e") == .null)
        #expect(object.scalar(forKey: "f") == nil)
    }

    @Test("few edits of a document and many give the same text")
    func documents() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        let saved = try collection.save(document: MutableDocument(id: "a", json: #"{"a":1,"b":{"c":[1]},"d":"x"}"#))
        let (few, many) = (saved.toMutable(), saved.toMutable())
        few.setInt(2, forKey: "a").setString(nil, forKey: "new")
        #expect(few.int(forKey: "a") == 2 && few["b"]["c"][0].int == 1 && few.count == 4)
        for number in 0..<10 { many.setInt(number, forKey: "a") }
        many.setInt(2, forKey: "a").setString(nil, forKey: "new")
        #expect(try few.toJSON() == #"{"a":2,"b":{"c":[1]},"d":"x","new":null}"#)
        #expect(try few.toJSON() == many.toJSON())
        few["b"]["c"][0] = 5
        #expect(try collection.save(document: few).toJSON() == #"{"a":2,"b":{"c":[5]},"d":"x","new":null}"#)
    }
}
