import Foundation
import SealiteValues
import Testing

@testable import SealiteModel

@Suite("the text of generated Swift")
struct SwiftWriterTests {
    private static func text(_ schema: Schema, _ access: SwiftWriter.Access = .public) throws -> String {
        try SwiftWriter(schema, access: access).file("Models.swift", source: "models.json").text
    }

    @Test("the Dog of the reference is a model that needs nothing more")
    func dog() throws {
        let url = ModelCases.folder.appending(path: "examples/dog.schema.json")
        let schema = try Schema(jsonSchema: [try Schema.document(ofText: Array(try Data(contentsOf: url)))])
        let files = try SwiftWriter(schema).files { _ in "dog.schema.json" }
        #expect(files.map(\.name) == ["Dog.swift"])
        let lines = try #require(files.first).text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "// Generated from dog.schema.json; edits are lost.")
        #expect(lines[1].hasPrefix("// SHA-256 of the schema: "))
        #expect(
            lines.dropFirst(2).joined(separator: "\n") == """

                public import SealiteDatabase
                public import SealiteModel
                public import SealiteValues

                public struct Dog: Model, Hashable {
                    public var id: ObjectID
                    public var name: String
                    public var age: Int?
                    public var breed: String?
                    public var details: Value

                    /// The part of the schema that the type doesn't show.
                    public static let declaration = ModelDeclaration(.property("age", type: .int))

                    /// An object of its members.
                    public init(
                        id: ObjectID = ObjectID(),
                        name: String,
                        age: Int? = nil,
                        breed: String? = nil,
                        details: Value = .null
                    ) {
                        self.id = id
                        self.name = name
                        self.age = age
                        self.breed = breed
                        self.details = details
                    }
                }

                """)
    }

    @Test("descriptions and constraints are documentation comments, whatever is in them")
    func comments() throws {
        let object = ObjectSchema(
            "A", primaryKey: "_id",
            properties: [
                Property("_id", .string), Property("n", .long, constraints: ["minimum": 1, "enum": ["x\n*/"]]),
            ], description: "First */ line\r\nsecond\u{2028}\u{202E}third\u{0}\u{B}let x = 1\n",
            constraints: ["maxProperties": 3])
        let text = try Self.text(Schema([object]))
        let comments = text.split(separator: "\n").filter { $0.contains("///") && !$0.contains("type doesn't show") }
        #expect(
            comments == [
                "/// First */ line", "/// second", "/// third", "/// let x = 1", "///", "///",
                "/// Validation keeps to:", "/// - maxProperties: 3",
                "    /// Validation keeps to:", "    /// - minimum: 1", "    /// - enum: [\"x\\n*/\"]",
                "    /// An object of its members.",
            ])
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || SwiftLiteral.isPlain($0) })
    }

    @Test("what a type can't show is declared")
    func declaration() throws {
        let schema = Schema([
            ObjectSchema(
                "big dog", primaryKey: "the key",
                properties: [
                    Property(
                        "name", .string, isIndexed: true, defaultValue: "a\"\\\u{202E}", renamedFrom: ["title", "t"]),
                    Property("the key", .int),
                    Property(
                        "place", .array(.double),
                        vectorIndex: PropertyVectorIndex(dimensions: 3, centroids: 9, metric: .dot)),
                    Property("when", .date, defaultValue: .datetime(DateTime(milliseconds: 1500))),
                    Property("owner", .link(to: "Person", key: .uuid), isOptional: true),
                ])
        ])
        let text = try Self.text(schema, .internal)
        #expect(text.contains("struct BigDog: Model, Hashable {\n    var theKey: Int\n    var name: String\n"))
        #expect(text.contains("    var owner: UUID?\n"))
        #expect(text.contains("    var id: Int { theKey }\n"))
        #expect(text.contains(#"        name: "big dog","#))
        #expect(text.contains(#"        primaryKey: "the key","#))
        #expect(text.contains(#".property("the key", type: .int)"#))
        #expect(
            text.contains(#".property("name", default: "a\"\\\u{202E}", isIndexed: true, renamedFrom: "title", "t")"#))
        #expect(
            text.contains(
                #".property("place", vectorIndex: PropertyVectorIndex(dimensions: 3, centroids: 9, metric: .dot))"#))
        #expect(
            text.contains(
                #".property("when", default: try? BSON(extendedJSON: "{\"$date\":{\"$numberLong\":\"1500\"}}"))"#))
        #expect(text.contains(#".property("owner", type: .link(to: "Person", key: .uuid))"#))
        #expect(text.contains("when: Date = Date(timeIntervalSince1970: 1.5)"))
        #expect(text.contains("        case theKey = \"the key\"\n"))
        #expect(text.contains("\nimport Foundation\nimport SealiteModel\nimport SealiteValues\n"))
    }

    @Test("embedded types are in the file of the one type that has them, and in their own where several have")
    func files() throws {
        func root(_ name: String, _ embedded: String...) -> ObjectSchema {
            let properties = embedded.map { Property($0.lowercased(), .array(.embedded($0))) }
            return ObjectSchema(name, primaryKey: "_id", properties: [Property("_id", .objectID)] + properties)
        }
        let schema = Schema([
            root("A", "Own", "Shared"), root("B", "Shared"),
            ObjectSchema("Own", properties: [Property("x", .embedded("Inner"), isOptional: true)], isEmbedded: true),
            ObjectSchema("Inner", properties: [Property("y", .int)], isEmbedded: true),
            ObjectSchema("Shared", properties: [Property("z", .bool)], isEmbedded: true),
        ])
        let files = try SwiftWriter(schema).files { "\($0).json" }
        #expect(files.map(\.name) == ["A.swift", "B.swift", "Shared.swift"])
        let structs = files.map { file in
            file.text.split(separator: "\n").filter { $0.hasPrefix("public struct") }.joined(separator: " ")
        }
        #expect(
            structs == [
                "public struct A: Model, Hashable { public struct Own: Codable, Hashable, Sendable { "
                    + "public struct Inner: EmbeddedModel, Hashable {",
                "public struct B: Model, Hashable {", "public struct Shared: Codable, Hashable, Sendable {",
            ])
        #expect(files[2].text.hasPrefix("// Generated from Shared.json; edits are lost.\n"))
        #expect(!files[2].text.contains("import"))
    }

    @Test("the digest changes with the schema")
    func digest() throws {
        func digest(_ type: PropertyType) throws -> Substring? {
            let object = ObjectSchema(
                "A", primaryKey: "_id", properties: [Property("_id", .string), Property("x", type)])
            return try Self.text(Schema([object])).split(separator: "\n").dropFirst().first
        }
        #expect(try digest(.int) == digest(.int))
        #expect(try digest(.int) != digest(.long))
    }

    @Test("types and properties that would have one name are refused with both names")
    func clashes() {
        let properties = ["a-b", "a b"].map { Property($0, .int) }
        let schema = Schema([ObjectSchema("T", properties: properties), ObjectSchema("T ", properties: [])])
        let error = #expect(throws: SchemaIssues.self) { try SwiftWriter(schema) }
        #expect(error?.issues.map(\.kind) == [.nameClash, .nameClash])
        let text = error?.description ?? ""
        let isAboutAll = ["'T'", "'T '", "'a-b'", "'a b'"].allSatisfy { text.contains($0) }
        #expect(isAboutAll)
    }

    @Test("names of types that the code speaks of are left to those")
    func taken() throws {
        let schema = Schema([ObjectSchema("String", primaryKey: "_id", properties: [Property("_id", .string)])])
        let text = try Self.text(schema)
        #expect(text.contains("public struct StringObject: Model"))
        #expect(text.contains(#"ModelDeclaration(name: "String")"#))
    }

    @Test("names without letters have one all the same")
    func unnamed() {
        #expect(SwiftName.type("🐶") == "Unnamed")
        #expect(SwiftName.property("") == "unnamed")
        #expect(SwiftName.property("_") == "unnamed")
        #expect(SwiftName.property("__") == "__")
        #expect(SwiftName.property("first-name") == "firstName")
        #expect(SwiftName.property("a\u{3164}\u{202E}b") == "aB")
        #expect(SwiftName.property("\u{301}x") == "_\u{301}x")
    }
}
