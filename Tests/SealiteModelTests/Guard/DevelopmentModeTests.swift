import SealiteDatabase
import SealiteValues
import Testing

@testable import SealiteModel

@Suite("development mode")
struct DevelopmentModeTests {
    struct Cat: Model {
        var id = ObjectID()
        var name = ""
    }

    struct CatWithAge: Model {
        var id = ObjectID()
        var name = ""
        var age: Int?
        static let declaration = ModelDeclaration(name: "Cat")
    }

    struct CatWithNumber: Model {
        var id = ObjectID()
        var name = 0
        static let declaration = ModelDeclaration(name: "Cat")
    }

    struct CatElsewhere: Model {
        var id = ObjectID()
        static let declaration = ModelDeclaration(name: "Cat", collection: "cats")
    }

    struct Unusual: Model {
        var id = ObjectID()
        static let declaration = ModelDeclaration(name: "_big <c\u{E4}t>")
    }

    struct Stop: Error {}

    private let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func store(_ scope: String? = "pets") throws -> ModelStore {
        try ModelStore.open(fixture.database, ModelConfiguration(types: [], developmentScope: scope))
    }

    private func stored() throws -> [StoredSchema] { try SchemaCatalogue(fixture.database).storedSchemas() }

    @Test("without it an object of an unknown type isn't saved")
    func off() throws {
        #expect(throws: SchemaError.unknownType("Cat")) { try store(nil).save(Cat()) }
        #expect(try fixture.database.collection(name: "Cat") == nil)
    }

    @Test("the first object of an unknown type makes its collection and its schema, which is validated from then on")
    func unknownType() throws {
        let store = try store()
        try store.save(Cat(name: "Tom"))
        #expect(try stored().map(\.title) == ["Cat"])
        let collection = try #require(try fixture.database.collection(name: "Cat", scope: "pets"))
        #expect(try stored().first?.collection == collection)
        #expect(try collection.count == 1)
        #expect(throws: SchemaError.self) {
            try collection.save(document: MutableDocument(id: "x", json: #"{"name":1}"#))
        }
    }

    @Test("a schema of the type's name in another scope is found first")
    func otherScope() throws {
        let schema = try Schema(of: [Cat.self])
        try SchemaCatalogue(fixture.database).apply("Cat", of: schema, in: ("home", "felines"))
        try store().save(Cat(name: "Tom"))
        #expect(try fixture.database.collection(name: "felines", scope: "home")?.count == 1)
        #expect(try fixture.database.collection(name: "Cat", scope: "pets") == nil)
    }

    @Test("a collection of the name that has another type's objects isn't taken")
    func takenName() throws {
        var type = try #require(try Schema(of: [Cat.self])["Cat"])
        type.name = "Tiger"
        try SchemaCatalogue(fixture.database).apply("Tiger", of: Schema([type]), in: ("pets", "Cat"))
        #expect(throws: SchemaError.self) { try store().save(Cat()) }
        try store().save(CatElsewhere())
        #expect(try fixture.database.collection(name: "cats", scope: "pets")?.count == 1)
    }

    @Test("a type's name that can't be a collection's is encoded")
    func unusualName() throws {
        try store().save(Unusual())
        #expect(try fixture.database.collection(name: "-_big%20%3Cc%C3%A4t%3E", scope: "pets")?.count == 1)
        try store().save(Unusual())
        #expect(try fixture.database.collection(name: "-_big%20%3Cc%C3%A4t%3E", scope: "pets")?.count == 2)
    }

    @Test("additions extend the schema, other changes are refused and change nothing")
    func changes() throws {
        try store().save(Cat(name: "Tom"))
        try store().save(CatWithAge(name: "Tim", age: 3))
        #expect(try stored().first?.object.properties.map(\.name) == ["_id", "name", "age"])
        #expect(throws: SchemaError.self) { try store().save(CatWithNumber()) }
        #expect(try stored().first?.object["name"]?.type == .string)
        #expect(try fixture.database.collection(name: "Cat", scope: "pets")?.count == 2)
    }

    @Test("what a transaction made that is taken back is made again")
    func rollback() throws {
        let store = try store()
        #expect(throws: Stop.self) {
            try store.write { transaction in
                try transaction.save(Cat(name: "Tom"))
                throw Stop()
            }
        }
        #expect(try stored().isEmpty)
        try store.write { transaction in
            try transaction.save(Cat(name: "Tom"))
            try transaction.save(Cat(name: "Tim"))
        }
        #expect(try store.objects(Cat.self).all().count == 2)
    }
}
