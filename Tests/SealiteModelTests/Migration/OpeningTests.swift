import Dispatch
import Foundation
import SealiteDatabase
import SealiteQuery
import SealiteValues
import Testing

@testable import SealiteModel

@Suite("opening databases with declared types")
struct OpeningTests {
    private let stage: MigrationStage

    init() throws { stage = try MigrationStage() }

    private func schema(_ properties: Property...) -> Schema { Schema([ObjectSchema("A", properties: properties)]) }

    @Test("indexes follow the declarations, and those that models didn't make stay")
    func indexes() throws {
        let name = "a`b\"c%d"
        let collection = try stage.collection("A")
        try collection.createIndex(withName: "own", config: ValueIndexConfiguration(["n"]))
        try stage.open(schema(Property(name, .string, isIndexed: true), Property("n", .long, isIndexed: true)))
        #expect(try collection.indexes() == ["model_a`b%22c%25d", "model_n", "own"])
        try stage.put(["_id": "1", name: "x"], in: "A")
        #expect(try collection.index(withName: "model_a`b%22c%25d")?.expressions == ["`a``b\"c%d`"])
        try stage.open(schema(Property(name, .string), Property("n", .long, isIndexed: true)))
        #expect(try collection.indexes() == ["model_n", "own"])
        #expect(try stage.database.integrityFindings() == [])
    }

    @Test("what declarations can't say stays in the stored schema")
    func adopted() throws {
        var full = schema(Property("n", .long, description: "a count", constraints: ["minimum": 1]))
        full.objects[0].description = "letters"
        let collection = try stage.collection("A")
        let policy = SchemaPolicy(level: .moderate, action: .warn)
        try SchemaCatalogue(stage.database).store("A", of: full, collection: collection, version: 1, policy: policy)
        try stage.open(schema(Property("n", .long), Property("m", .long, isOptional: true)), version: 2)
        let stored = try #require(try SchemaCatalogue(stage.database).storedSchema("A"))
        #expect(stored.object["n"] == full.objects[0].properties[0])
        #expect(stored.object.description == "letters")
        #expect(stored.policy == policy)
        try stage.open(schema(Property("n", .string), Property("m", .long, isOptional: true)), version: 3)
        #expect(try stage.stored("A")?["n"] == Property("n", .string))
    }

    @Test("a database that is as declared is opened without waiting for a writer")
    func unchanged() throws {
        let types = schema(Property("n", .long, isIndexed: true))
        try stage.open(types, version: 1)
        try stage.database.write { _ in
            let opened = Box(false)
            let end = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                if (try? stage.open(types, version: 1)) != nil { opened.change { $0 = true } }
                end.signal()
            }
            end.wait()
            #expect(opened.value)
        }
    }

    @Test("types of one collection, a type in another collection than before, and huge versions are refused")
    func refused() throws {
        let types = schema(Property("n", .long))
        #expect(throws: SchemaError.self) { try stage.open(types, version: .max) }
        let pair = Schema(types.objects + [ObjectSchema("B", properties: [Property("n", .long)])])
        let place = QualifiedName(scope: "_default", name: "A")
        let configuration = ModelConfiguration(types: [])
        #expect(throws: SchemaError.invalidSchema(["Types 'A' and 'B' have the same collection."])) {
            _ = try SchemaOpening(stage.database, pair, places: ["A": place, "B": place], configuration).run()
        }
        try stage.open(types)
        let elsewhere = ["A": QualifiedName(scope: "other", name: "A")]
        #expect(throws: SchemaError.self) {
            _ = try SchemaOpening(stage.database, types, places: elsewhere, configuration).run()
        }
        #expect(try stage.database.scope(name: "other") == nil)
        let reading = ModelConfiguration(types: [], mode: .readOnly)
        #expect(
            throws: SchemaError.invalidConfiguration(
                "The documents of type 'A' are stored in the collection '_default.A', but the configuration declares the type in 'other.A'."
            )
        ) {
            _ = try SchemaOpening(stage.database, types, places: elsewhere, reading).run()
        }
    }

    @Test("a damaged stored schema keeps its type from being opened, and no other")
    func damagedSchema() throws {
        try stage.open(schema(Property("n", .long)))
        for definition in [
            "", "[]", "{", #"{"title":"B","bsonType":"object","properties":{}}"#, String(repeating: "[", count: 5000),
        ] {
            try stage.database.setSchemaRecord(
                SchemaRecord(title: "Z", collection: 77, version: 1, definition: definition))
            try stage.open(schema(Property("n", .long)), version: 1)
            #expect(throws: SchemaError.self) { try SchemaCatalogue(stage.database).storedSchemas() }
            let damaged = Schema([ObjectSchema("Z", properties: [Property("n", .long)])])
            #expect(throws: SchemaError.self) { try stage.open(damaged, version: 1) }
        }
    }

    @Test("a collection's schemas go with it")
    func deletedCollection() throws {
        try stage.open(schema(Property("n", .long)))
        try stage.database.deleteCollection(name: "A")
        #expect(try SchemaCatalogue(stage.database).storedSchemas().isEmpty)
        try stage.open(schema(Property("n", .string)), version: 0)
    }

    @Test("the documents of declared types are deleted where they would have to be migrated, and no others")
    func reset() throws {
        let both = Schema([
            ObjectSchema("A", properties: [Property("n", .long)]),
            ObjectSchema("B", properties: [Property("n", .long)]),
        ])
        try stage.open(both, version: 5)
        for name in ["A", "B"] { try stage.put(["_id": "1", "n": 1], in: name) }
        let settings = MigrationStage.Settings(version: 4, resets: true)
        try stage.open(schema(Property("n", .string)), settings) { _ in Issue.record("a migration") }
        #expect(try stage.documents("A").isEmpty)
        #expect(try stage.documents("B").count == 1)
    }

    @Test("cancelling the task gives the migration up, and nothing is changed")
    func cancelledTask() async throws {
        struct A: Model { var id = ""; var n = 0 }
        let first = try await ModelStore.open(stage.database, ModelConfiguration(version: 1, types: [A.self]))
        try await first.write { transaction in
            for number in 0..<3_000 { try transaction.save(A(id: "\(number)", n: number)) }
        }
        let (stage, began) = (stage, Box(false))
        let task = Task {
            var configuration = ModelConfiguration(version: 2, types: [A.self]) { migration in
                try migration.enumerate("A") { _, new in try new?.set("n", -1) }
            }
            configuration.progress = { _ in
                began.change { $0 = true }
                return true
            }
            while !Task.isCancelled { await Task.yield() }
            _ = try await ModelStore.open(stage.database, configuration)
        }
        task.cancel()
        await #expect(throws: DatabaseError.self) { try await task.value }
        #expect(try stage.storedVersion() == 1)
        #expect(try await first.object(A.self, id: "7")?.n == 7)
    }
}
