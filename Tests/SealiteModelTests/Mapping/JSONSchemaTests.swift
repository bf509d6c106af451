import Foundation
import SealiteTestSupport
import SealiteValues
import Testing

@testable import SealiteModel

@Suite("JSON Schemas of object types")
struct JSONSchemaTests {
    private static let seeds = TestSeed.seeds(Effort.current == .soak ? 400 : 12)

    @Test("a schema comes back from its JSON Schemas", arguments: seeds)
    func roundTrip(seed: UInt64) throws {
        var random = RandomSchemas(seed: seed)
        for _ in 0..<20 {
            let schema = random.schema()
            let roots = schema.objects.filter { !$0.isEmbedded }.map { schema.jsonSchema(of: $0.name) }
            let read = try Schema(jsonSchema: roots)
            let differences = Self.differences(read, schema)
            #expect(differences.isEmpty, "seed \(seed)")
            let texts = try roots.map { try Schema.document(ofText: Array($0.extendedJSON(.canonical).utf8)) }
            #expect(texts == roots, "seed \(seed)")
            #expect(Schema.compare(schema, read).isEmpty, "seed \(seed)")
        }
    }

    @Test(
        "without the members of Sealite's own, relationships bring links back, and nothing but what they say is lost",
        arguments: seeds)
    func plainRoundTrip(seed: UInt64) throws {
        var random = RandomSchemas(seed: seed)
        for _ in 0..<20 {
            let schema = Self.plain(random.schema())
            let roots = schema.objects.filter { !$0.isEmbedded }
            let plain = roots.map { schema.jsonSchema(of: $0.name, isPlain: true) }
            #expect(!"\(plain)".contains(SchemaExtensions.name))
            let files = Dictionary(uniqueKeysWithValues: roots.map { ($0.name, schema.relationships(of: $0.name)) })
            let read = try Schema(jsonSchema: plain, relationships: files)
            let differences = Self.differences(read, schema)
            #expect(differences.isEmpty, "seed \(seed)")
        }
    }

    /// The parts in which two schemas differ, without regard to the order of the types.
    private static func differences(_ left: Schema, _ right: Schema) -> [String] {
        guard Set(left.objects) != Set(right.objects) else { return [] }
        return right.objects.flatMap { object in
            guard let other = left[object.name] else { return ["\(object.name) is missing"] }
            let properties = zip(other.properties, object.properties).filter { $0 != $1 }.map { "\($0) != \($1)" }
            return other == object ? [] : properties + ["\(other.constraints) \(object.constraints) in \(object.name)"]
        } + ["\(left.objects.count) != \(right.objects.count)"]
    }

    /// A schema without what plain JSON Schemas and relationships don't say: names that paths can't have, indexes, earlier names,
    /// descriptions of embedded types, removed properties, other primary keys.
    private static func plain(_ schema: Schema) -> Schema {
        let objects = schema.objects.map { object in
            var object = object
            if object.isEmbedded { object.description = nil }
            (object.removed, object.primaryKey) = ([], object.primaryKey == nil ? nil : "_id")
            object.properties = object.properties.enumerated().map { index, property in
                var property = property
                if index == 0, object.primaryKey != nil { property.name = "_id" }
                property.name.removeAll { $0 == "." }
                (property.isIndexed, property.renamedFrom) = (false, [])
                if property.type.embeddedName != nil { property.defaultValue = nil }
                return property
            }
            return object
        }
        return RandomSchemas.reachable(objects.filter { !$0.isEmbedded }, objects.filter(\.isEmbedded))
    }

    @Test("a property without a type keeps what is said of its members and items")
    func untyped() throws {
        let text = """
            {"title":"B","bsonType":"object","properties":{"_id":{"bsonType":"uuid"},
            "m":{"additionalProperties":{"bsonType":"string"},"items":{"bsonType":"int"},"required":["a"]}}}
            """
        let schema = try Schema(jsonSchema: [try Schema.document(ofText: Array(text.utf8))])
        #expect(try Schema(jsonSchema: [schema.jsonSchema(of: "B")]) == schema)
        let constraints = try #require(schema["B"]?["m"]).constraints
        #expect(constraints["additionalProperties"] == ["bsonType": "string"])
        #expect(constraints["required"] == ["a"])
    }

    @Test("the Dog of the reference is read, and written as it was")
    func dog() throws {
        let url = ModelCases.folder.appending(path: "examples/dog.schema.json")
        let document = try Schema.document(ofText: Array(try Data(contentsOf: url)))
        let schema = try Schema(jsonSchema: [document])
        #expect(schema.jsonSchema(of: "Dog") == document)
        #expect(schema["Dog"]?.primaryKey == "_id")
        #expect(schema["Dog"]?["details"]?.type == .mixed)
    }

    @Test("types that use each other many times are written once each, and read as they were", .endsIfItHangs)
    func manyPlaces() throws {
        var objects = [
            ObjectSchema(
                "Root", primaryKey: "_id",
                properties: [Property("_id", .uuid), Property("a", .embedded("T0"), isOptional: true)])
        ]
        for level in 0..<60 {
            let inner = PropertyType.embedded("T\(level + 1)")
            objects.append(
                ObjectSchema(
                    "T\(level)",
                    properties: [
                        Property("a", inner, isOptional: true), Property("b", .array(inner)),
                        Property("c", .dictionary(inner)),
                    ], isEmbedded: true))
        }
        objects.append(
            ObjectSchema(
                "T60", properties: [Property("link", .link(to: "Root", key: .uuid), isOptional: true)],
                isEmbedded: true))
        let schema = Schema(objects)
        let document = schema.jsonSchema(of: "Root")
        #expect(try document.stored().count < 100_000)
        let again = try Schema(jsonSchema: [document])
        #expect(again.objects.count == objects.count)
        for object in objects { #expect(again[object.name] == schema[object.name], "\(object.name)") }
        #expect(try schema.jsonSchema(of: "Root", isPlain: true).stored().count < 100_000)
        #expect(schema.relationships(of: "Root").count == 10_000)
    }

    @Test("links are found through embedded types that contain each other, in any order of the properties")
    func cyclicLinks() {
        let link = Property("link", .link(to: "Root", key: .uuid), isOptional: true)
        let (a, b) = (
            Property("a", .embedded("A"), isOptional: true), Property("b", .embedded("B"), isOptional: true)
        )
        for (root, inner) in [([a, b], [b, link]), ([b, a], [link, b])] {
            let schema = Schema([
                ObjectSchema("Root", primaryKey: "_id", properties: [Property("_id", .uuid)] + root),
                ObjectSchema("A", properties: inner, isEmbedded: true),
                ObjectSchema("B", properties: [a], isEmbedded: true),
            ])
            #expect(Set(schema.relationships(of: "Root").keys) == ["a.link", "b.a.link"])
        }
    }

    @Test("a type that is said to stand before and doesn't is an issue")
    func missingDefinition() throws {
        let text = """
            {"title":"B","bsonType":"object","properties":{"_id":{"bsonType":"uuid"},
            "m":{"title":"M","bsonType":"object","properties":{},"sealite":{"defined":true}}}}
            """
        let reading = Schema.reading(jsonSchema: [try Schema.document(ofText: Array(text.utf8))])
        #expect(reading.issues.map(\.kind) == [.invalidKeyword])
    }

    @Test("what JSON Schema doesn't say is in the members of Sealite's own")
    func extensions() throws {
        let object = ObjectSchema(
            "A", primaryKey: "key",
            properties: [
                Property("key", .string, isOptional: true),
                Property("n", .int, isIndexed: true, renamedFrom: ["m", "l"]),
                Property("owner", .link(to: "B", key: .uuid), isOptional: true),
            ], removed: [Property("gone", .string, isOptional: true), Property("lost", .int)])
        let schema = Schema([object]).jsonSchema(of: "A")
        #expect(
            schema == [
                "title": "A", "bsonType": "object", "required": ["n"],
                "properties": [
                    "key": ["bsonType": "string", "sealite": ["optional": true]],
                    "n": ["bsonType": "int", "sealite": ["indexed": true, "renamedFrom": ["m", "l"]]],
                    "owner": ["bsonType": "uuid", "sealite": ["link": "B"]],
                ],
                "sealite": [
                    "primaryKey": "key",
                    "removed": [
                        "gone": ["bsonType": "string", "sealite": ["optional": true]], "lost": ["bsonType": "int"],
                    ],
                ],
            ])
        #expect(try Schema(jsonSchema: [schema]).objects == [object])
    }

    @Test("what the policy is, is passed over, and stays for the one who knows it")
    func policy() throws {
        var schema = Schema([ObjectSchema("A", primaryKey: "_id", properties: [Property("_id", .string)])])
            .jsonSchema(of: "A")
        schema["sealite"] = ["level": "strict", "action": "warn", "later": 1]
        #expect(Schema.reading(jsonSchema: [schema]).issues.isEmpty)
    }

    @Test("a type whose schema couldn't be read again is a problem before it is stored")
    func problems() {
        func problems(_ name: String, _ property: Property) -> [String] {
            Schema([ObjectSchema(name, primaryKey: "_id", properties: [Property("_id", .string), property])]).problems()
        }
        let long = String(repeating: "a", count: 57)
        #expect(problems(long, Property("n", .double, defaultValue: 1)) == [])
        #expect(problems(long + "a", Property("n", .int)).count == 1)
        #expect(
            problems("A", Property("n", .date, defaultValue: "2026-11-23"))
                == ["Property 'A.n' has a default that isn't of type 'date'."])
    }

    @Test(
        "embedded types are inside each other only where a schema was made by hand, and then written to their first repetition"
    )
    func cycle() {
        let schema = Schema([
            ObjectSchema("A", properties: [Property("b", .embedded("B"))]),
            ObjectSchema("B", properties: [Property("b", .array(.embedded("B")))], isEmbedded: true),
        ])
        let text = "\(schema.jsonSchema(of: "A"))"
        #expect(text.components(separatedBy: #""title":"B""#).count == 3)
        #expect(schema.relationships(of: "A").isEmpty)
        #expect(schema.jsonSchema(of: "C").isEmpty)
    }
}
