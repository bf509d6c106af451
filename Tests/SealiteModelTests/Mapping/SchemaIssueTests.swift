import SealiteTestSupport
import SealiteValues
import Testing

@testable import SealiteModel

@Suite("issues of JSON Schemas")
struct SchemaIssueTests {
    /// The issues of a property `p` of a type `T`, as `kind path`.
    private static func issues(of property: BSON, required: [BSON] = ["_id"], _ file: MongoDocument = [:]) -> [String] {
        issues(
            [
                "title": "T", "bsonType": "object", "required": .array(required),
                "properties": ["_id": ["bsonType": "objectId"], "p": property],
            ], file)
    }

    private static func issues(_ root: MongoDocument, _ file: MongoDocument = [:]) -> [String] {
        Schema.reading(jsonSchema: [root], relationships: ["T": file]).issues.map { issue in
            "\(issue.severity == .warning ? "warning " : "")\(issue.kind.rawValue) \(issue.path)"
        }
    }

    @Test(
        "a property that models can't have is told by its place",
        arguments: [
            (1, ["invalidKeyword /properties/p"]),
            (["bsonType": "foo"], ["unsupportedType /properties/p/bsonType"]),
            (["bsonType": 1], ["invalidKeyword /properties/p/bsonType"]),
            (["bsonType": []], ["invalidKeyword /properties/p/bsonType"]),
            (["bsonType": "regex"], ["warning unsupportedType /properties/p/bsonType"]),
            (["bsonType": ["int", "string", "null"]], ["warning unionType /properties/p/bsonType"]),
            (["bsonType": ["int", "foo"]], ["unsupportedType /properties/p/bsonType"]),
            (["bsonType": ["null"]], ["warning unsupportedType /properties/p/bsonType"]),
            (["bsonType": "array", "items": 1], ["invalidKeyword /properties/p/items"]),
            (
                ["bsonType": "array", "items": ["bsonType": ["int", "null"]]],
                ["warning unionType /properties/p/items/bsonType"]
            ),
            (["bsonType": "array", "items": ["type": "int"]], ["unsupportedType /properties/p/items/type"]),
            (["bsonType": "array", "uniqueItems": 1], ["invalidKeyword /properties/p/uniqueItems"]),
            (["bsonType": "object", "additionalProperties": 1], ["invalidKeyword /properties/p/additionalProperties"]),
            (["bsonType": "object", "properties": 1], ["invalidKeyword /properties/p/properties"]),
            (["bsonType": "object", "properties": [:], "required": [1]], ["invalidKeyword /properties/p/required"]),
            (["bsonType": "int", "minimum": "x"], ["invalidKeyword /properties/p/minimum"]),
            (["bsonType": "string", "pattern": "("], ["invalidKeyword /properties/p/pattern"]),
            (
                ["bsonType": "int", "format": "x", "id": "y"],
                [
                    "warning unsupportedKeyword /properties/p/format", "warning unsupportedKeyword /properties/p/id",
                ]
            ),
            (["anyOf": [["bsonType": "int"]]], ["warning unsupportedKeyword /properties/p/anyOf"]),
            (["bsonType": "int", "sealite": 1], ["invalidKeyword /properties/p/sealite"]),
            (["bsonType": "int", "sealite": ["indexed": 1]], ["invalidKeyword /properties/p/sealite"]),
            (["bsonType": "bool", "sealite": ["link": "U"]], ["badRef /properties/p"]),
            (["bsonType": "int", "default": 4_000_000_000], ["defaultTypeMismatch /properties/p/default"]),
            (["bsonType": "object", "title": "T", "properties": [:]], ["embeddedCycle /properties/p"]),
            (["bsonType": "object", "title": 1, "properties": [:]], ["invalidKeyword /properties/p/title"]),
            (["bsonType": "int", "enum": [1], "description": "d", "default": 1.0], []),
        ] as [(BSON, [String])])
    func properties(property: BSON, issues: [String]) { #expect(Self.issues(of: property) == issues) }

    @Test("two embedded types of one name have to be the same, but for their descriptions")
    func embeddedTwice() {
        func root(_ second: BSON) -> MongoDocument {
            [
                "title": "T", "bsonType": "object", "required": ["_id"],
                "properties": [
                    "_id": ["bsonType": "objectId"],
                    "p": ["bsonType": "object", "title": "E", "properties": ["x": ["bsonType": "int"]]],
                    "q": ["bsonType": "array", "items": second],
                ],
            ]
        }
        #expect(
            Self.issues(root(["bsonType": "object", "title": "E", "properties": ["x": ["bsonType": "long"]]])) == [
                "nameClash /properties/q/items"
            ])
        let same: BSON = [
            "bsonType": "object", "title": "E", "properties": ["x": ["bsonType": "int"]], "description": "An E.",
        ]
        let (schema, issues) = Schema.reading(jsonSchema: [root(same)])
        #expect(issues.isEmpty)
        #expect(schema["E"]?.description == "An E.")
    }

    @Test("a relationship has to lead to a key")
    func relationships() {
        let reference: BSON = ["ref": "#/relationship/s/d/U", "foreign_key": "_id", "is_list": false]
        let list: BSON = ["ref": "#/relationship/s/d/U", "foreign_key": "_id", "is_list": true]
        let key: BSON = ["bsonType": "objectId"]
        #expect(Self.issues(of: key, ["p": reference]) == [])
        #expect(Self.issues(of: key, ["p": list]) == ["badRef /p"])
        #expect(Self.issues(of: ["bsonType": "array", "items": key], ["p": list]) == [])
        #expect(Self.issues(of: ["bsonType": "array", "items": key], ["p": reference]) == ["badRef /p"])
        #expect(Self.issues(of: ["bsonType": "object", "additionalProperties": key], ["p.[]": reference]) == [])
        #expect(Self.issues(of: ["bsonType": "bool"], ["p": reference]) == ["badRef /properties/p"])
        #expect(Self.issues(of: key, ["q": reference, "p": 1]) == ["badRef /p", "badRef /q"])
        #expect(Self.issues(of: key, ["p": ["ref": "#/relationship/s/d", "foreign_key": "_id"]]) == ["badRef /p"])
    }

    @Test("a link has to be to the primary key of the type that it names")
    func linkTargets() {
        func target(_ type: BSON) -> MongoDocument {
            ["title": "U", "bsonType": "object", "required": ["_id"], "properties": ["_id": ["bsonType": type]]]
        }
        let source: MongoDocument = [
            "title": "T", "bsonType": "object", "required": ["_id"],
            "properties": ["_id": ["bsonType": "int"], "p": ["bsonType": "int", "sealite": ["link": "U"]]],
        ]
        #expect(Schema.reading(jsonSchema: [source, target("long")]).issues.isEmpty)
        #expect(Schema.reading(jsonSchema: [source, target("string")]).issues.map(\.kind) == [.badRef])
        let file: MongoDocument = ["p": ["ref": "#/relationship/s/d/U", "foreign_key": "name"]]
        #expect(
            Schema.reading(jsonSchema: [source, target("int")], relationships: ["T": file]).issues.map(\.kind)
                == [.badRef])
    }

    @Test("required properties that a type can't require stay for validation")
    func required() throws {
        let (schema, issues) = Schema.reading(jsonSchema: [
            [
                "title": "T", "bsonType": "object", "required": ["_id", "e", "m", "l", "p"],
                "properties": [
                    "_id": ["bsonType": "objectId"], "e": ["bsonType": "object", "properties": [:]],
                    "m": ["bsonType": "mixed"], "l": ["bsonType": "array"], "p": ["bsonType": ["int", "null"]],
                ],
            ]
        ])
        #expect(issues.map(\.kind) == [.requiredCollection])
        #expect(schema["T"]?.constraints == ["required": ["e", "m"]])
        #expect(schema["T"]?["p"]?.isOptional == true)
        #expect(schema.jsonSchema(of: "T")["required"] == ["_id", "e", "m"])
    }

    // MARK: - Hostile texts

    @Test("a text that isn't JSON is told by line and column, in Unicode scalars")
    func position() throws {
        let error = #expect(throws: SchemaIssues.self) { try Schema.document(ofText: Array("{\n \"é\": }".utf8)) }
        #expect(error?.issues.first?.position == SchemaIssue.Position(line: 2, column: 7))
        for text in ["", "[]", "1", "{\"a\":1,\"a\":2}", "{\"a\":1} x", "{\"a\u{0}\":1}"] {
            let error = #expect(throws: SchemaIssues.self) { try Schema.document(ofText: Array(text.utf8)) }
            #expect(error?.issues.map(\.kind) == [.badJSON])
        }
        let large = [UInt8](repeating: UInt8(ascii: " "), count: Schema.maximumTextLength + 1)
        #expect(throws: SchemaIssues.self) { try Schema.document(ofText: large) }
    }

    @Test("deep nesting is refused, in texts and in schemas, and never ends the process")
    func depth() throws {
        let brackets = String(repeating: "{\"items\":", count: 5000)
        #expect(throws: SchemaIssues.self) { try Schema.document(ofText: Array(brackets.utf8)) }
        for (below, keyword) in [("items", "array"), ("additionalProperties", "object")] {
            var nested: BSON = ["bsonType": "int"]
            for _ in 0..<200 {
                nested = ["bsonType": .string(keyword), below == "items" ? "items" : "additionalProperties": nested]
            }
            #expect(Self.issues(of: nested).count { $0.hasPrefix("tooDeep") } == 1)
        }
        var nested: BSON = ["bsonType": "int"]
        for _ in 0..<90 { nested = ["bsonType": "array", "items": nested] }
        #expect(Self.issues(of: nested).isEmpty)
    }

    @Test("a damaged schema ends in issues, or in types that come back and can be generated")
    func damage() throws {
        let taken = try TestSeed.seeds(10).reduce(0) { try $0 + damagedButTaken(seed: $1) }
        #expect(taken > 0)
    }

    private func damagedButTaken(seed: UInt64) throws -> Int {
        var random = RandomSchemas(seed: seed)
        var taken = 0
        for _ in 0..<50 {
            let schema = random.schema()
            let roots = schema.objects.filter { !$0.isEmbedded }.map { object in
                random.damaged(schema.jsonSchema(of: object.name))
            }
            let (read, issues) = Schema.reading(jsonSchema: roots)
            guard !issues.contains(where: { $0.severity == .error }) else { continue }
            taken += 1
            let titles = read.objects.filter { !$0.isEmbedded }.map(\.name)
            let again = try Schema(jsonSchema: titles.map { read.jsonSchema(of: $0) })
            #expect(again == read, "seed \(seed)")
            let writer = try? SwiftWriter(read)
            #expect(writer.map { $0.file("A.swift", source: "a").text.isEmpty } != true)
        }
        return taken
    }

    @Test("many members and many issues take little time and memory")
    func size() {
        var properties = MongoDocument([.init("_id", ["bsonType": "objectId"])])
        for index in 0..<20_000 { properties.append("p\(index)", ["bsonType": "foo", "x": 1]) }
        let root: MongoDocument = ["title": "T", "bsonType": "object", "properties": .document(properties)]
        var issues: [SchemaIssue] = []
        let taken = processorTime { issues = Schema.reading(jsonSchema: [root]).issues }
        #expect(issues.count <= 2000)
        #expect(issues.contains { $0.severity == .error })
        #expect(taken < .seconds(60))
    }

    @Test("an issue is one line, with escaped names in its path")
    func description() {
        let issue = SchemaIssue(.badRef, title: "T", path: ["a/b", "c~d"], "nowhere")
        #expect(issue.path == "/a~1b/c~0d")
        #expect(issue.description == "error: T /a~1b/c~0d: nowhere (badRef)")
        let text = SchemaIssue(.badJSON, position: .init(line: 3, column: 4), "a comma is due")
        #expect(text.description == "error: line 3, column 4: a comma is due (badJSON)")
    }
}
