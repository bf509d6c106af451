import SealiteValues
import Testing

@testable import SealiteModel

@Suite("schemas out of documents")
struct SchemaSamplerTests {
    private static func sampler(_ documents: MongoDocument...) -> SchemaSampler {
        var sampler = SchemaSampler(title: "T")
        for document in documents { sampler.add(document) }
        return sampler
    }

    /// The type of the member `a` of documents with the values.
    private static func type(_ values: BSON...) -> PropertyType? {
        var sampler = SchemaSampler(title: "T")
        for value in values { sampler.add(["a": value]) }
        return sampler.schema["T"]?["a"]?.type
    }

    @Test("integers and doubles are one type of numbers; other different types are mixed")
    func merging() {
        #expect(Self.type(1, 5_000_000_000) == .long)
        #expect(Self.type(.int64(5)) == .int)
        #expect(Self.type(1, 1.5) == .double)
        #expect(Self.type(5_000_000_000, 1.5, 1) == .double)
        #expect(Self.type(1, "x") == .mixed)
        #expect(Self.type(1, .decimal128(1)) == .mixed)
        #expect(Self.type(.null) == .mixed)
        #expect(Self.type(.regex(Regex("x"))) == .mixed)
        #expect(Self.type(.binary(Binary([1], subtype: 5))) == .mixed)
        #expect(Self.type(Binary(uuid: "73ffd264-44b3-4c69-90e8-e7d1dfc035d4").map { .binary($0) } ?? .null) == .uuid)
        #expect(Self.type([1, 1.5], [], [5_000_000_000]) == .array(.double))
        #expect(Self.type([]) == .array(.mixed))
        #expect(Self.type([1, .null]) == .array(.mixed))
        #expect(Self.type([["x": 1], ["x": 2]]) == .array(.embedded("T_a")))
        #expect(Self.type(["type": "Point", "coordinates": [12.5, 50]]) == .geoPoint)
        #expect(Self.type(["type": "Point", "coordinates": [12.5, 50]], ["type": "Line"]) == .embedded("T_a"))
    }

    @Test("objects of many different names and one type are dictionaries")
    func dictionaries() {
        let few = (0..<16).map { BSON.document(["k\($0)": .int32(1)]) }
        let many = (0..<17).map { BSON.document(["k\($0)": .int32(1)]) }
        let different = (0..<17).map { BSON.document(["k\($0)": $0 == 3 ? "x" : 1]) }
        func type(_ values: [BSON]) -> PropertyType? { Self.type(.array(values)) }
        #expect(type(few) == .array(.embedded("T_a")))
        #expect(type(many) == .array(.dictionary(.int)))
        #expect(type(different) == .array(.embedded("T_a")))
        let wide = BSON.document(MongoDocument((0..<40).map { .init("k\($0)", 1) }))
        #expect(Self.type(wide, wide) == .embedded("T_a"))
        let objects = (0..<17).map { BSON.document(["k\($0)": ["x": .int32(1)]]) }
        #expect(type(objects) == .array(.dictionary(.embedded("T_a"))))
    }

    @Test("embedded types whose positions give the same name have different names")
    func equalNames() {
        let schema = Self.sampler(["_id": 1, "b": ["c": ["x": 1]], "b_c": ["y": 1]]).schema
        #expect(schema.objects.map(\.name).sorted() == ["T", "T_b", "T_b_c", "T_b_c_2"])
        #expect(schema["T_b"]?["c"]?.type == .embedded("T_b_c"))
        #expect(schema["T"]?["b_c"]?.type == .embedded("T_b_c_2"))
        #expect(schema["T_b_c_2"]?["y"]?.type == .int)
    }

    @Test("what all documents have is required, and their ID is the primary key where it is of one type that keys have")
    func required() {
        let schema = Self.sampler(["_id": 1, "a": 1, "b": .null], ["_id": 2, "a": 2], ["_id": 3, "a": 3, "b": "x"])
            .schema
        #expect(schema["T"]?.primaryKey == "_id")
        #expect(schema["T"]?.properties.filter(\.isRequired).map(\.name) == ["_id", "a"])
        let mixed = Self.sampler(["_id": 1, "a": 1], ["_id": "x", "a": 2]).schema
        #expect(mixed["T"]?.primaryKey == nil)
        #expect(mixed["T"]?.properties.map(\.name) == ["a"])
        #expect(Schema.reading(jsonSchema: [mixed.jsonSchema(of: "T")]).issues.map(\.kind) == [.missingID])
    }

    @Test("places tell types, how often they came, and texts that come again and again")
    func places() {
        var sampler = SchemaSampler(title: "T")
        for index in 0..<20 {
            sampler.add([
                "_id": .int32(Int32(index)), "kind": index % 2 == 0 ? "a" : "b", "tags": [.string("\(index)"), 1],
            ])
        }
        #expect(sampler.documentCount == 20)
        #expect(
            sampler.places == [
                .init(path: "_id", types: ["int": 20], parentCount: 20, enumeration: [:]),
                .init(path: "kind", types: ["string": 20], parentCount: 20, enumeration: ["a": 10, "b": 10]),
                .init(path: "tags", types: ["array": 20], parentCount: 20, enumeration: [:]),
                .init(path: "tags.[]", types: ["string": 20, "int": 20], parentCount: 20, enumeration: [:]),
            ])
    }

    @Test("memory is bounded, whatever is in the documents")
    func bounds() {
        var sampler = SchemaSampler(title: "T")
        var deep: BSON = 1
        for _ in 0..<400 { deep = ["a": deep] }
        sampler.add(["_id": 0, "deep": deep, "list": .array(Array(repeating: .array([["x": 1]]), count: 10))])
        for index in 0..<300 {
            let names = (0..<100).map {
                MongoDocument.Member("name \(index * 100 + $0)", .string("text \(index) \($0)"))
            }
            sampler.add(MongoDocument([.init("_id", .int32(Int32(index)))] + names))
            sampler.add(["_id": .int32(Int32(index)), "o": .document(MongoDocument(names))])
        }
        #expect(sampler.places.count <= 10_001)
        let texts = sampler.places.reduce(0) { $0 + $1.enumeration.count }
        #expect(texts <= 20 * sampler.places.count)
        let schema = sampler.schema
        #expect(schema["T"]?["o"]?.type == .dictionary(.string))
        #expect((schema["T"]?.properties.count ?? 0) <= 1000)
        let roots = schema.objects.filter { !$0.isEmbedded }.map { schema.jsonSchema(of: $0.name) }
        // One is as deep as no schema may be.
        let errors = Schema.reading(jsonSchema: roots).issues.filter { $0.severity == .error }
        #expect(Set(errors.map(\.kind)).isSubset(of: [.tooDeep]))
    }
}
