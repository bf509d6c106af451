import SealiteValues
import Testing

@testable import SealiteModel

@Suite("differences of schemas")
struct SchemaDifferenceTests {
    private static func schema(_ property: Property, constraints: MongoDocument = [:]) -> Schema {
        Schema([
            ObjectSchema(
                "A", primaryKey: "_id", properties: [Property("_id", .string), property], constraints: constraints)
        ])
    }

    private static func differences(_ old: Property, _ new: Property) -> [String] {
        Schema.compare(schema(old), schema(new)).map { "\($0.server) \($0.client)" }
    }

    @Test(
        "constraints that let fewer documents pass are narrower, those that let more pass wider",
        arguments: [
            ([:], ["minimum": 1], .narrowing), (["minimum": 1], [:], .widening),
            (["minimum": 1], ["minimum": 1.0], .none), (["minimum": 1], ["minimum": 0.5], .widening),
            (["maximum": 1], ["maximum": 2], .widening), (["maxLength": 5], ["maxLength": 4], .narrowing),
            (["minItems": 5], ["minItems": 4], .widening), (["pattern": "a"], ["pattern": "b"], .narrowing),
            ([:], ["exclusiveMinimum": false], .none),
            (["exclusiveMinimum": true], ["exclusiveMinimum": false], .widening),
            (["enum": [1]], ["enum": [2, 1.0]], .widening), (["enum": [1, 2]], ["enum": [2, 3]], .narrowing),
            (["multipleOf": 6], ["multipleOf": 3], .widening), (["multipleOf": 3], ["multipleOf": 6], .narrowing),
            (["multipleOf": 3], ["multipleOf": 0], .narrowing),
            ([:], ["additionalProperties": false], .narrowing), (["additionalProperties": false], [:], .widening),
            (["additionalProperties": false], ["additionalProperties": ["minimum": 1]], .widening),
            ([:], ["additionalProperties": true], .none), ([:], ["required": ["x"]], .narrowing),
            (["required": ["x", "y"]], ["required": ["y"]], .widening),
            (["bsonType": ["int", "string"]], ["bsonType": ["int", "string", "bool"]], .widening),
            (["items": ["minimum": 3]], ["items": ["minimum": 1]], .widening),
            (["items": ["minimum": 3]], ["items": ["minimum": 1, "maximum": 2]], .narrowing),
            (["anyOf": [["minimum": 1]]], ["anyOf": [["minimum": 2]]], .narrowing),
        ] as [(MongoDocument, MongoDocument, SchemaImpact)])
    func constraints(old: MongoDocument, new: MongoDocument, impact: SchemaImpact) {
        let property = Property("p", .mixed, isOptional: true)
        for differences in [
            Schema.compare(
                Self.schema(Property("p", .mixed, constraints: old)),
                Self.schema(Property("p", .mixed, constraints: new))),
            Schema.compare(Self.schema(property, constraints: old), Self.schema(property, constraints: new)),
        ] {
            #expect(differences.server == impact)
            #expect(differences.client == .none)
        }
    }

    @Test("types are compared exactly, also in width and target")
    func types() {
        let pairs: [(PropertyType, PropertyType)] = [
            (.int, .long), (.array(.int), .array(.long)), (.link(to: "A", key: .string), .link(to: "B", key: .string)),
            (.link(to: "A", key: .string), .string), (.embedded("E"), .embedded("F")),
        ]
        for (old, new) in pairs {
            #expect(Self.differences(Property("p", old), Property("p", new)) == ["breaking breaking"])
        }
        #expect(Self.differences(Property("p", .mixed), Property("p", .mixed, isOptional: true)) == [])
    }

    @Test("defaults, indexes and descriptions break nothing")
    func defaults() {
        let plain = Property("p", .long)
        #expect(Self.differences(plain, Property("p", .long, defaultValue: 1)) == ["nonBreaking nonBreaking"])
        #expect(
            Self.differences(Property("p", .long, defaultValue: 1), Property("p", .long, defaultValue: 2))
                == ["nonBreaking nonBreaking"])
        #expect(Self.differences(Property("p", .long, defaultValue: 1), plain) == ["narrowing nonBreaking"])
        #expect(Self.differences(plain, Property("p", .long, isIndexed: true)) == ["none none"])
        let vector = Property("p", .array(.double), vectorIndex: PropertyVectorIndex(dimensions: 3))
        #expect(Self.differences(Property("p", .array(.double)), vector) == ["none none"])
        #expect(Self.differences(plain, Property("p", .long, description: "d")) == ["none none"])
    }

    @Test(
        "a property that declares its earlier name breaks the server's side alone; one that is told to be renamed breaks both"
    )
    func renames() {
        let old = Self.schema(Property("a", .long))
        let declared = Schema.compare(old, Self.schema(Property("b", .long, renamedFrom: ["a"])))
        #expect(declared.map { "\($0.server) \($0.client)" } == ["breaking nonBreaking"])
        let new = Self.schema(Property("b", .long))
        let told = Schema.compare(old, new, renames: SchemaRenames(properties: ["A": ["a": "b"]]))
        #expect(told.map { "\($0.server) \($0.client)" } == ["breaking breaking"])
        let unknown = Schema.compare(old, new)
        #expect(unknown.map { "\($0.server) \($0.client)" } == ["nonBreaking nonBreaking", "breaking nonBreaking"])
        #expect(
            unknown.map(\.description).first
                == "A.b: the property has been added (server: nonBreaking, client: nonBreaking)")
    }

    @Test("another primary key and another place of objects break both sides")
    func keys() {
        let old = Schema([
            ObjectSchema("A", primaryKey: "a", properties: [Property("a", .string), Property("b", .string)])
        ])
        var new = old
        new.objects[0].primaryKey = "b"
        #expect(Schema.compare(old, new).client == .breaking)
        new = old
        new.objects[0].isEmbedded = true
        #expect(Schema.compare(old, new).server == .breaking)
        new.objects[0].name = "B"
        let differences = Schema.compare(old, new, renames: SchemaRenames(types: ["A": "B"]))
        #expect(differences.map(\.type) == ["B", "B"])
    }
}
