@testable import SealiteJSON
@testable import SealiteModel
@testable import SealiteValues

/// JSON Schemas of object types: the text up to the first zero byte is a schema, what follows is a stored body, over which the validator goes.
final class SchemasFuzz: FuzzTarget {
    init() throws {}

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
        guard let text = parts.first, let document = try? Schema.document(ofText: text) else { return }
        let reading = Schema.reading(jsonSchema: [document])
        guard !reading.issues.contains(where: { $0.severity == .error }),
            let type = reading.schema.objects.first(where: { !$0.isEmbedded })
        else { return }
        try checkRoundTrip(reading.schema, type)
        try checkValidator(reading.schema, type, Self.bodies + (parts.count > 1 ? [parts[1]] : []))
        try checkSwift(reading.schema)
    }

    /// A schema that was read is written as one that reads as the same.
    private func checkRoundTrip(_ schema: Schema, _ type: ObjectSchema) throws(BrokenProperty) {
        let written = schema.jsonSchema(of: type.name)
        let again = Schema.reading(jsonSchema: [written]).schema
        try BrokenProperty.unless(again == schema, "a schema is written as another one")
        try BrokenProperty.unless(
            Schema.compare(schema, again).isEmpty, "a schema differs from itself")
        _ = schema.jsonSchema(of: type.name, isPlain: true)
        _ = schema.relationships(of: type.name)
    }

    private func checkValidator(
        _ schema: Schema, _ type: ObjectSchema, _ bodies: [[UInt8]]
    ) throws(BrokenProperty) {
        guard let validator = try? DocumentValidator(type, in: schema) else {
            throw BrokenProperty("a schema that was read has no validator")
        }
        for body in bodies {
            let violations = validator.violations(inBody: body, id: "$oid:616f44305a205add93ff1081")
            try BrokenProperty.unless(
                violations.isEmpty == validator.fits(body, id: "$oid:616f44305a205add93ff1081"),
                "a body fits and has violations")
            try BrokenProperty.unless(
                violations.count <= DocumentValidator.maximumViolationCount, "there are too many violations")
        }
    }

    private func checkSwift(_ schema: Schema) throws(BrokenProperty) {
        guard let writer = try? SwiftWriter(schema) else { return }
        let text = writer.file("", source: "fuzz").text
        try BrokenProperty.unless(text.hasPrefix("// Generated from fuzz"), "generated Swift has no head")
        let isClean = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\n" }
        try BrokenProperty.unless(isClean, "generated Swift has control characters")
    }

    private static let bodies: [[UInt8]] = [
        #"{}"#, #"{"a":1,"b":"text","c":null,"d":[1,2,2],"e":{"x":1.5,"y":[{"z":true}]}}"#,
        #"{"name":"Jasper","age":8,"details":{"a":[{"b":[1]}]},"place":{"type":"Point","coordinates":[1,2]}}"#,
    ].compactMap { try? JSONB.parse(Array($0.utf8)) }

    /// First inputs.
    static var seeds: [[UInt8]] {
        let schemas = [
            #"{"title":"Dog","bsonType":"object","required":["_id","name"],"properties":{"_id":{"bsonType":"objectId"},"name":{"bsonType":"string","default":"x"},"age":{"bsonType":"int","minimum":0,"description":"years */"},"details":{"bsonType":"mixed"}}}"#,
            #"{"title":"A","bsonType":"object","properties":{"_id":{"bsonType":"string"},"d":{"bsonType":"array","uniqueItems":true,"items":{"bsonType":"long"}},"e":{"bsonType":"object","title":"E","required":["x"],"properties":{"x":{"bsonType":"double"},"y":{"bsonType":"array","items":{"bsonType":"object","properties":{"z":{"bsonType":"bool"}}}}}}}}"#,
            #"{"title":"B","bsonType":"object","additionalProperties":false,"properties":{"_id":{"bsonType":"uuid"},"m":{"bsonType":"object","additionalProperties":{"bsonType":"string","pattern":"^a+$"}},"o":{"bsonType":"objectId","sealite":{"link":"A","indexed":true,"renamedFrom":["p"]}}},"sealite":{"removed":{"q":{"bsonType":"date"}}}}"#,
            #"{"title":"C d","properties":{"_id":{"bsonType":"int"},"place":{"bsonType":"object","required":["type"],"properties":{"type":{"bsonType":"string"},"coordinates":{"bsonType":"array","items":{"bsonType":"double"}}}},"class":{"bsonType":["string","null"],"enum":["a","b"]},"u":{"bsonType":["int","string"]},"r":{"bsonType":"regex"}}}"#,
            #"{"title":"D","bsonType":"object","required":["a"],"minProperties":1,"dependencies":{"a":["b"]},"properties":{"_id":{"bsonType":"long"},"a":{"bsonType":"decimal","default":{"$numberDecimal":"1.5"}},"b":{"bsonType":"binData"},"t":{"type":"boolean"}}}"#,
        ]
        return schemas.map { Array($0.utf8) + [0] + (bodies.last ?? []) } + [Array(schemas[0].utf8)]
    }
}
