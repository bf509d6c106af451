import SealiteDatabase
import SealiteValues
import Testing

@testable import SealiteModel

@Suite("migrations without a function")
struct CatalogueMigrationTests {
    private static func schema(_ properties: Property...) -> Schema {
        Schema([ObjectSchema("Dog", primaryKey: "_id", properties: [Property("_id", .string)] + properties)])
    }

    private static let name = Property("name", .string, isOptional: true)
    private static let breed = Property("breed", .string, isOptional: true)

    /// Migrates a database of one dog, and returns the dog.
    private func migrated(to new: Schema) throws -> String? {
        let fixture = try StoreFixture()
        defer { withExtendedLifetime(fixture) {} }
        let catalogue = SchemaCatalogue(fixture.database)
        try catalogue.apply("Dog", of: Self.schema(Self.name, Self.breed))
        let dogs = try #require(try fixture.database.collection(name: "Dog"))
        try dogs.save(document: MutableDocument(id: "a", json: #"{"name":"Rex","breed":"Lab"}"#))
        try catalogue.migrate(new)
        return try dogs.document(id: "a")?.toJSON()
    }

    @Test("the documents of a synced collection stay, and so do the version and earlier names")
    func synced() throws {
        let fixture = try StoreFixture()
        defer { withExtendedLifetime(fixture) {} }
        let catalogue = SchemaCatalogue(fixture.database)
        try catalogue.apply("Dog", of: Self.schema(Self.name, Self.breed), version: 3)
        let dogs = try #require(try fixture.database.collection(name: "Dog"))
        try dogs.save(document: MutableDocument(id: "a", json: #"{"breed":"Lab"}"#))
        try dogs.noteReplication()
        var race = Property("race", .string, isOptional: true)
        race.renamedFrom = ["breed"]
        #expect(try catalogue.migrate(Self.schema(Self.name, race)) == 3)
        #expect(try dogs.document(id: "a")?.toJSON() == #"{"breed":"Lab"}"#)
        race.renamedFrom = []
        #expect(try catalogue.migrate(Self.schema(Self.name, race)) == 3)
        try catalogue.apply("Dog", of: Self.schema(Self.name, race))
        let stored = try #require(try catalogue.storedSchema("Dog"))
        #expect(stored.version == 3 && stored.object["race"]?.renamedFrom == ["breed"])
        // A property of the earlier name takes it over.
        try catalogue.migrate(Self.schema(Self.name, race, Self.breed))
        #expect(try catalogue.storedSchema("Dog")?.object["race"]?.renamedFrom == [])
    }

    @Test("a declared rename moves values, and is refused as a removal where it would lose them")
    func renames() throws {
        var renamed = Property("race", .string, isOptional: true)
        renamed.renamedFrom = ["breed"]
        #expect(try migrated(to: Self.schema(Self.name, renamed)) == #"{"name":"Rex","race":"Lab"}"#)
        // The new name has values of its own.
        var onto = Self.name
        onto.renamedFrom = ["breed"]
        let removal = SchemaError.migrationRequired([.removeProperty(type: "Dog", Self.breed)])
        #expect(throws: removal) { try migrated(to: Self.schema(onto)) }
        // The values would be of another type.
        var number = Property("number", .int, isOptional: true)
        number.renamedFrom = ["breed"]
        #expect(throws: removal) { try migrated(to: Self.schema(Self.name, number)) }
    }
}
