import Foundation
import SealiteDatabase
@testable import SealiteModel
import SealiteValues
import Testing

@Suite("schemas of types")
struct DerivingTests {
    @Test("the schema of the reference's Dog is its JSON Schema's")
    func dog() throws {
        let schema = try Schema(of: [Dog.self])
        #expect(
            schema.objects == [
                ObjectSchema(
                    "Dog", primaryKey: "_id",
                    properties: [
                        Property("_id", .objectID), Property("name", .string, isIndexed: true, defaultValue: ""),
                        Property("age", .int, isOptional: true), Property("breed", .string, isOptional: true),
                        Property("details", .mixed, isOptional: true),
                    ])
            ])
    }

    @Test("every type of members is derived")
    func types() throws {
        let schema = try Schema(of: [Everything.self])
        let types = try #require(schema["Everything"]).properties.map { ($0.name, $0.type) }
        let expected: [String: PropertyType] = [
            "_id": .objectID, "bool": .bool, "int8": .int, "int16": .int, "int32": .int, "int": .long, "int64": .long,
            "uint8": .int, "uint64": .long, "double": .double, "float": .double, "string": .string, "date": .date,
            "decimal": .decimal128, "object": .objectID, "uuid": .uuid, "data": .data, "bytes": .data, "mixed": .mixed,
            "array": .array(.long), "set": .set(.string), "dictionary": .dictionary(.double),
            "embedded": .embedded("Address"), "addresses": .array(.embedded("Address")),
            "byName": .dictionary(.embedded("Address")), "link": .link(to: "Everything", key: .objectID),
            "links": .array(.link(to: "Everything", key: .objectID)), "point": .geoPoint, "size": .string,
            "level": .long, "nested": .array(.array(.mixed)), "sets": .array(.set(.long)), "address": .string,
            "none": .string,
        ]
        #expect(types.count == expected.count)
        for (name, type) in types { #expect(expected[name] == type, "\(name)") }
        let address = try #require(schema["Address"])
        #expect(address.isEmbedded)
        #expect(address.properties == [Property("street", .string), Property("number", .long, isOptional: true)])
    }

    // MARK: - Declarations

    private struct Inner: EmbeddedModel {
        var a = 1
        static let declaration = ModelDeclaration(name: "Part", .property("a", renamedFrom: "b", "c"))
    }

    private enum Kind: String, Codable { case first, second }

    private struct Declared: Model {
        var code: String
        var kind: Kind
        var inner: Inner?

        var id: String { code }
        static let declaration = ModelDeclaration(
            name: "Thing", primaryKey: "code", description: "d", .property("kind", default: "first", description: "k"))
    }

    @Test("names, primary keys, defaults, earlier names and descriptions are what the declaration says")
    func declarations() throws {
        let schema = try Schema(of: [Declared.self])
        #expect(
            schema.objects == [
                ObjectSchema(
                    "Thing", primaryKey: "code",
                    properties: [
                        Property("code", .string), Property("kind", .string, defaultValue: "first", description: "k"),
                        Property("inner", .embedded("Part"), isOptional: true),
                    ], description: "d"),
                ObjectSchema(
                    "Part", properties: [Property("a", .long, renamedFrom: ["b", "c"])], isEmbedded: true),
            ])
    }

    private struct Initial: DefaultedModel, Equatable {
        var id = ObjectID()
        var name = "x"
        var kind = Kind.second
        var made = Date()
        var count: Int? = 7
        var tags: [String] = []
        var names = ["n"]
        var inner = DerivingTests.Size(width: 3)
    }

    fileprivate struct Size: Codable, Equatable {
        var width: Int
    }

    @Test("the defaults of a type with initial values are those, but for what isn't always the same")
    func initialValues() throws {
        let schema = try #require(try Schema(of: [Initial.self])["Initial"])
        #expect(schema.primaryKey == "_id")
        let defaults = schema.properties.filter { $0.defaultValue != nil }
        #expect(defaults.map(\.name) == ["name", "kind"])
        #expect(schema["name"]?.defaultValue == "x")
        #expect(schema["kind"]?.defaultValue == "second")
        let before = Date()
        let empty = try read(Initial.self, "{}")
        #expect(empty.name == "x" && empty.kind == .second && empty.count == nil && empty.tags.isEmpty)
        #expect(empty.names == ["n"] && empty.inner.width == 3)
        #expect(empty.made.timeIntervalSince(before) > -1)
    }

    // MARK: - What can't be derived

    private struct Misspelled: Model {
        var id = 1
        var colour = ""
        static let declaration = ModelDeclaration(.property("color", default: ""))
    }
    private struct Undeclared: Model {
        var id = 1
        var kind: Kind
    }
    private struct Node: Codable {
        var name: String
        var children: [Node]
    }
    private struct Tree: Model {
        var id = 1
        var root: Node
    }
    private struct Left: Codable { var right: [Right] }
    private struct Right: Codable { var left: Left? }
    private struct Ring: Model {
        var id = 1
        var left: Left
    }
    private struct Choice: Model {
        enum Content: Codable { case text(String), number(Int) }
        var id = 1
        var content: Content
    }
    private struct Owner: Model {
        var id = 1
        var dog: Dog
    }
    private struct WrongDefault: Model {
        var id = 1
        var count: Int
        static let declaration = ModelDeclaration(.property("count", default: "many"))
    }
    private struct OtherKey: Model {
        var key = "a"
        var id: Int { 1 }
        static let declaration = ModelDeclaration(primaryKey: "key")
    }

    @Test(
        "what can't be derived is an error that names the type, the member and what to do",
        arguments: [
            (Misspelled.self, "Misspelled", "color", "did you mean 'colour'"),
            (Undeclared.self, "Undeclared", "kind", "default"),
            (Choice.self, "Content", "", "declare"),
            (Owner.self, "Owner", "dog", "Reference<Dog>"),
            (WrongDefault.self, "WrongDefault", "count", "default"),
            (OtherKey.self, "OtherKey", "key", "primary key"),
        ] as [(any Model.Type, String, String, String)])
    func underivable(_ type: any Model.Type, _ name: String, _ member: String, _ advice: String) {
        do {
            _ = try Schema(of: [type])
            Issue.record("\(type) is derived")
        } catch SchemaError.underivable(name, member, let reason) {
            #expect(reason.contains(advice), "\(reason)")
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("embedded types that contain each other are refused by the path")
    func cycles() {
        #expect(
            throws: SchemaError.invalidSchema([
                "An object of an embedded type would contain one of its own type: 'Node.children'."
            ])
        ) { try Schema(of: [Tree.self]) }
        #expect(
            throws: SchemaError.invalidSchema([
                "An object of an embedded type would contain one of its own type: 'Left.right.left'."
            ])
        ) { try Schema(of: [Ring.self]) }
    }

    private struct One: Model {
        struct Part: Codable { var a: Int }
        var id = 1
        var part: Part
    }
    private struct Two: Model {
        struct Part: Codable { var b: Int }
        var id = 1
        var part: Part
    }

    @Test("two types of one name are refused, unless they are the same")
    func names() throws {
        #expect(throws: SchemaError.self) { try Schema(of: [One.self, Two.self]) }
        #expect(throws: SchemaError.self) { try Schema(of: [Dog.self, Dog.self]) }
        #expect(try Schema(of: [Everything.self, Dog.self]).objects.map(\.name) == ["Everything", "Dog", "Address"])
    }

    // MARK: - Containers of any shape

    private struct Shapes: Model {
        struct Email: Codable, Hashable {
            let text: String
            init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(text)
            }
        }
        var id = 1
        var email: Email
        var others: Set<Email>
    }

    @Test("a type that is one value is of that value's type")
    func singleValues() throws {
        let schema = try #require(try Schema(of: [Shapes.self])["Shapes"])
        #expect(schema["email"]?.type == .string)
        #expect(schema["others"]?.type == .set(.string))
    }

    @Test("many threads derive a schema at once")
    func threads() async throws {
        struct Fresh: Model {
            var id = 1
            var name: String
        }
        let schemas = try await withThrowingTaskGroup(of: Schema.self) { group in
            for _ in 0..<32 { group.addTask { try Schema(of: [Fresh.self]) } }
            return try await group.reduce(into: Set<Schema>()) { $0.insert($1) }
        }
        #expect(schemas.count == 1)
    }
}
