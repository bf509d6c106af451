import Foundation
import SealiteJSON
import SealiteValues
import Testing

@testable import SealiteModel
@testable import SealiteTestSupport

@Suite("generated Swift")
struct GeneratedCodeTests {
    private static let isSoak = Effort.current == .soak

    @Test(
        "generated types compile, have the schemas that they were made of, and read and write their documents",
        .endsIfItHangs)
    func compiled() throws {
        var program = GeneratedProgram()
        var schemas: [Schema] = []
        var expected: Set<GeneratedProgram.Entry> = []
        for schema in try Self.schemas(count: Self.isSoak ? 50 : 3) {
            var random = RandomSchemas(seed: UInt64(schemas.count) &+ 1 &+ TestSeed.run)
            let entries = try schema.objects.filter { !$0.isEmbedded }.flatMap { object in
                try Self.documents(of: object, in: schema, &random)
            }
            try program.add(schema, entries)
            schemas.append(schema)
            expected.formUnion(entries)
        }
        let result = try program.run()
        for schema in schemas {
            for object in schema.objects where !object.isEmbedded {
                let derived = try #require(result.schemas[object.name])
                #expect(derived == schema.declarable.jsonSchema(of: object.name), "\(object.name)")
            }
        }
        for entry in expected.subtracting(result.entries) {
            let found = result.entries.first { $0.type == entry.type && $0.id == entry.id }?.body ?? ""
            let start = entry.body.commonPrefix(with: found).suffix(60)
            Issue.record(
                "\(entry.type) \(entry.id): ends after \(start), with \(found.dropFirst(start.count).prefix(60))")
        }
        #expect(result.entries.count == expected.count)
    }

    /// The Dog of the reference, and random schemas: others with each `SEALITE_SEED`.
    private static func schemas(count: Int) throws -> [Schema] {
        let url = ModelCases.folder.appending(path: "examples/dog.schema.json")
        let dog = try Schema(jsonSchema: [try Schema.document(ofText: Array(try Data(contentsOf: url)))])
        var schemas = [dog]
        for seed in (1...UInt64(count)).map({ $0 &+ TestSeed.run }) {
            var random = RandomSchemas(seed: seed)
            random.suffix = " \(seed)"
            schemas.append(random.schema())
        }
        return schemas
    }

    private static func documents(
        of object: ObjectSchema, in schema: Schema, _ random: inout RandomSchemas
    ) throws -> [GeneratedProgram.Entry] {
        let key = try #require(object.primaryKey.flatMap { object[$0] })
        var entries: [String: GeneratedProgram.Entry] = [:]
        for _ in 0..<3 {
            let id = try DocumentKey.text(of: random.value(of: key.type, in: schema))
            let body = try random.members(of: object, in: schema, false).stored()
            let text = String(decoding: try JSONBSerializer.text(of: body.span), as: UTF8.self)
            entries[id] = GeneratedProgram.Entry(type: object.name, id: id, body: text)
        }
        // Lines of the program's input have no control characters, and neither do document IDs.
        return entries.values.filter { !$0.id.utf8.contains(UInt8(ascii: "\n")) }
    }
}

extension Schema {
    /// The schema without what a declaration in Swift can't say: constraints, and properties that were removed.
    fileprivate var declarable: Schema {
        Schema(
            objects.map { object in
                var object = object
                (object.constraints, object.removed) = ([:], [])
                object.properties = object.properties.map { property in
                    var property = property
                    property.constraints = [:]
                    return property
                }
                return object
            })
    }
}
