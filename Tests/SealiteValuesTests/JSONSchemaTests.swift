import Foundation
import SealiteValues
import Testing

@Suite("the validator of JSON Schema")
struct JSONSchemaTests {
    /// Regular expressions for tests: none of the cases needs what the engines read differently.
    private static let patterns: JSONSchema.PatternCompiler = { text in
        guard !text.isEmpty else { return { _ in true } }
        guard let expression = try? NSRegularExpression(pattern: text) else { return nil }
        return { expression.firstMatch(in: $0, range: NSRange($0.startIndex..., in: $0)) != nil }
    }

    private static func schema(_ document: MongoDocument, _ dialect: JSONSchema.Dialect) throws -> JSONSchema {
        try JSONSchema(document, dialect: dialect, patterns: patterns)
    }

    @Test("all cases of jsonschema-mongo.json pass")
    func mongo() throws {
        try CaseFile("Mongo/jsonschema-mongo.json").run(group: { _ in "$jsonSchema" }) { entry in
            guard case .document(let document)? = entry["schema"], let value = entry["document"] else {
                return "no schema"
            }
            return Self.check(entry, document, value, .mongo)
        }
    }

    @Test("all cases of jsonschema-draft4.json pass")
    func draft4() throws {
        try CaseFile("Models/jsonschema-draft4.json").run(group: { "draft 4, \($0.text("src") ?? "")" }) { entry in
            guard case .document(let document)? = entry["schema"], let value = entry["data"] else { return "no schema" }
            return Self.check(entry, document, value, .draft4)
        }
    }

    private static func check(
        _ entry: MongoDocument, _ document: MongoDocument, _ value: BSON, _ dialect: JSONSchema.Dialect
    ) -> String? {
        do {
            let schema = try schema(document, dialect)
            guard entry["error"] == nil else { return "the schema is taken" }
            let isFulfilled = schema.isFulfilled(by: value)
            guard schema.violations(in: value).isEmpty == isFulfilled else { return "the violations don't fit" }
            return isFulfilled == entry.flag("valid") ? nil : "the value is \(isFulfilled ? "taken" : "refused")"
        } catch {
            return entry["error"] == nil ? "\(error)" : nil
        }
    }

    @Test("violations tell where, and what")
    func violations() throws {
        let schema = try Self.schema(
            [
                "required": ["a"], "properties": ["b": ["items": ["bsonType": "int"]], "c": ["minimum": 5], "a": [:]],
                "additionalProperties": false,
            ], .mongo)
        let found = schema.violations(in: ["b": [1, "x"], "c": 4, "d": 1]).map { "\($0.path) \($0.keyword)" }
        #expect(Set(found) == ["a required", "b.1 bsonType", "c minimum", "d additionalProperties"])
        #expect(schema.violations(in: ["a": 1, "b": [1], "c": 5]).isEmpty)
    }

    @Test(
        "what $jsonSchema doesn't know is refused at its place",
        arguments: [
            (["$ref": "#"], .failedToParse, "$ref"),
            (["properties": ["a": ["foo": 1]]], .failedToParse, "properties.a.foo"),
            (["type": "integer"], .failedToParse, "type"),
            (["type": "string", "bsonType": "string"], .failedToParse, ""),
            (["required": []], .failedToParse, "required"), (["enum": [1, 1.0]], .failedToParse, "enum"),
            (["properties": [:], "additionalProperties": 1], .typeMismatch, "additionalProperties"),
            (["anyOf": [["minimum": ""]]], .typeMismatch, "anyOf.0.minimum"),
            (["patternProperties": ["(": [:]]], .invalidPattern, "patternProperties.("),
        ] as [(MongoDocument, JSONSchemaError.Code, String)])
    func refusals(document: MongoDocument, code: JSONSchemaError.Code, path: String) {
        let error = #expect(throws: JSONSchemaError.self) { _ = try Self.schema(document, .mongo) }
        #expect(error?.code == code)
        #expect(error?.path == path)
    }

    @Test("schemas nested too deep are refused")
    func depth() throws {
        var document: MongoDocument = [:]
        for _ in 0..<199 { document = ["not": .document(document)] }
        _ = try Self.schema(document, .mongo)
        #expect(throws: JSONSchemaError.self) { _ = try Self.schema(["not": .document(document)], .mongo) }
    }

    @Test("Draft 4 takes the integers that JSON leaves of longs and doubles, and MongoDB doesn't")
    func integers() throws {
        for (type, isTaken) in [("long", true), ("double", true), ("decimal", false), ("int", true)] {
            let document: MongoDocument = ["bsonType": .string(type)]
            #expect(try Self.schema(document, .draft4).isFulfilled(by: .int32(5)) == isTaken)
            #expect(try Self.schema(document, .mongo).isFulfilled(by: .int32(5)) == (type == "int"))
        }
        #expect(try Self.schema(["type": "integer"], .draft4).isFulfilled(by: 1.5) == false)
    }
}
