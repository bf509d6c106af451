import SealiteDatabase
import SealiteValues
import Testing

@testable import SealiteModel

@Suite("opening databases with synced collections")
struct SyncedOpeningTests {
    private let stage: MigrationStage

    init() throws { stage = try MigrationStage() }

    private let dog = ObjectSchema(
        "Dog", primaryKey: "_id",
        properties: [
            Property("_id", .objectID), Property("name", .string), Property("breed", .string, isOptional: true),
        ])

    private func changed(_ change: (inout ObjectSchema) -> Void) -> Schema {
        var object = dog
        change(&object)
        return Schema([object])
    }

    private var synced: MigrationStage.Settings { MigrationStage.Settings(version: 2, mode: .synced) }

    @Test("a collection that was replicated is synced whatever the configuration says")
    func replicated() throws {
        try stage.open(Schema([dog]), version: 1)
        try stage.collection("Dog").noteReplication()
        #expect(throws: SchemaError.migrationNotAllowed) { try stage.open(Schema([dog]), version: 2) { _ in } }
        let required = changed { $0.properties[2].isOptional = false }
        #expect(throws: SchemaError.additiveOnly([.makeRequired(type: "Dog", required.objects[0].properties[2])])) {
            try stage.open(required, version: 2)
        }
        try stage.open(changed { $0.properties.append(Property("color", .string, isOptional: true)) }, version: 1)
        #expect(try stage.stored("Dog")?["color"] != nil)
        #expect(try stage.storedVersion() == 1)
    }

    @Test("local types migrate beside synced ones, without a function")
    func mixed() throws {
        let local = ObjectSchema("Local", properties: [Property("n", .long)])
        try stage.open(Schema([dog, local]), version: 3)
        try stage.collection("Dog").noteReplication()
        try stage.put(["_id": "1", "n": 1], in: "Local")
        let document: MongoDocument = ["_id": .objectID(ObjectID()), "name": "Rex", "breed": "Lab"]
        try stage.put(document, in: "Dog")
        let changedLocal = ObjectSchema("Local", properties: [Property("m", .long, renamedFrom: ["n"])])
        var smaller = dog
        smaller.properties.removeLast()
        try stage.open(Schema([smaller, changedLocal]), version: 4)
        #expect(try stage.documents("Local") == [["_id": "1", "m": 1]])
        #expect(try stage.documents("Dog") == [document])
        #expect(try SchemaCatalogue(stage.database).storedSchema("Dog")?.version == 3)
        #expect(try SchemaCatalogue(stage.database).storedSchema("Local")?.version == 4)
        #expect(throws: SchemaError.versionTooLow(stored: 4, given: 3)) {
            try stage.open(Schema([dog, changedLocal]), version: 3)
        }
    }

    @Test("a property of a synced type that is no longer declared can't be renamed")
    func renamedInSynced() throws {
        let local = ObjectSchema("Local", properties: [Property("n", .long)])
        try stage.open(Schema([dog, local]), version: 1)
        try stage.collection("Dog").noteReplication()
        #expect(throws: SchemaError.migrationNotAllowed) {
            try stage.open(Schema([local]), version: 2) { migration in
                try migration.rename("Dog", "name", to: "title")
            }
        }
    }

    @Test("removed properties stay stored, and come back only as they were")
    func removedProperties() throws {
        try stage.open(Schema([dog]), synced)
        try stage.open(changed { $0.properties.removeLast(2) }, synced)
        #expect(try stage.stored("Dog")?.removed.map(\.name) == ["name", "breed"])
        #expect(try stage.stored("Dog")?.properties.map(\.name) == ["_id"])
        #expect(throws: SchemaError.self) { try stage.open(changed { $0.properties[1].type = .long }, synced) }
        #expect(throws: SchemaError.self) { try stage.open(changed { $0.properties[2].isOptional = false }, synced) }
        try stage.open(changed { $0.properties.removeLast() }, synced)
        #expect(try stage.stored("Dog")?.removed.map(\.name) == ["breed"])
        try stage.open(Schema([dog]), synced)
        #expect(try stage.stored("Dog") == dog)
    }

    @Test("the primary key and types inside embedded objects can't change either")
    func refusedChanges() throws {
        var types = Schema([dog, ObjectSchema("E", properties: [Property("n", .long)], isEmbedded: true)])
        types.objects[0].properties.append(Property("e", .array(.embedded("E"))))
        try stage.open(types, synced)
        var other = types
        other.objects[1].properties[0].type = .string
        #expect(throws: SchemaError.self) { try stage.open(other, synced) }
        other = types
        other.objects[0].primaryKey = "name"
        #expect(throws: SchemaError.additiveOnly([.changePrimaryKey(type: "Dog", old: "_id", new: "name")])) {
            try stage.open(other, synced)
        }
        other = types
        other.objects[1].properties = [Property("m", .string, isOptional: true)]
        try stage.open(other, synced)
        let catalogue = SchemaCatalogue(stage.database)
        #expect(try catalogue.storedSchema("Dog")?.schema["E"]?.removed == [Property("n", .long)])
        // It stays recorded when the schema is changed without a program.
        try #require(try stage.database.collection(name: "Dog")).noteReplication()
        try catalogue.migrate(other)
        #expect(try catalogue.storedSchema("Dog")?.schema["E"]?.removed == [Property("n", .long)])
    }

    @Test("an opening for reading takes what is stored, or says what is missing")
    func reading() throws {
        try stage.open(Schema([dog]), version: 3)
        let reading = MigrationStage.Settings(version: 3, mode: .readOnly)
        let more = changed { $0.properties.append(Property("color", .string, isOptional: true)) }
        #expect(throws: SchemaError.readOnlyMismatch([.addProperty(type: "Dog", more.objects[0].properties[3])])) {
            try stage.open(more, reading)
        }
        let cat = ObjectSchema("Cat", properties: [Property("n", .long)])
        let fewer = changed { $0.properties.removeLast() }
        let found = try stage.open(Schema(fewer.objects + [cat]), reading) { _ in Issue.record("a migration") }
        #expect(found.keys.sorted() == ["Dog"])
        #expect(try stage.database.collection(name: "Cat") == nil)
        #expect(try stage.stored("Dog") == dog)
        #expect(throws: SchemaError.versionMismatch(stored: 3, given: 4)) {
            try stage.open(Schema([dog]), MigrationStage.Settings(version: 4, mode: .readOnly))
        }
        #expect(throws: SchemaError.versionMismatch(stored: 3, given: 2)) {
            try stage.open(Schema([dog]), MigrationStage.Settings(version: 2, mode: .readOnly))
        }
    }
}
