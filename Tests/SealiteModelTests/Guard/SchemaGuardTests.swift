import Foundation
import SealiteDatabase
import SealiteQuery
import SealiteValues
import Synchronization
import Testing

@testable import SealiteModel

@Suite("validation of what is saved")
struct SchemaGuardTests {
    struct Dog: Model {
        var id = ObjectID()
        var name = ""
        var age: Int?
    }

    private let fixture: StoreFixture
    private let store: ModelStore
    private let dogs: SealiteDatabase.Collection

    init() throws {
        fixture = try StoreFixture()
        store = try fixture.store(Dog.self)
        dogs = try store.collection(of: Dog.self)
    }

    private static let id = "$oid:616f44305a205add93ff1081"

    /// Returns the violations that a change is refused for; nil where it is made.
    private func refusal(_ body: () throws -> Void) throws -> [String]? {
        do {
            try body()
            return nil
        } catch let error as SchemaError {
            guard case .unfit(let type, let violations) = error else { throw error }
            #expect(type == "Dog")
            return violations.map { "\($0.path) \($0.keyword)" }
        }
    }

    private func save(_ json: String, id: String = id) throws {
        try dogs.save(document: MutableDocument(id: id, json: json))
    }

    @Test("every call that saves is validated, and what is refused leaves nothing")
    func everyCall() throws {
        #expect(try refusal { try save(#"{"name":"Jasper"}"#) } == nil)
        #expect(try refusal { try save(#"{"name":5}"#) } == ["name bsonType"])
        #expect(try refusal { try save(#"{"age":1}"#, id: "text") } == ["_id bsonType", "name required"])
        #expect(
            try refusal { _ = try fixture.database.createQuery("UPDATE Dog SET age = 'x'").execute() } == [
                "age bsonType"
            ])
        let stale = try #require(try dogs.document(id: Self.id)).toMutable().setInt(1, forKey: "name")
        #expect(
            try refusal { try dogs.save(document: stale, concurrencyControl: .failOnConflict) } == ["name bsonType"])
        #expect(
            try refusal {
                _ = try fixture.database.write { try $0.save(stale, in: dogs) }
            } == ["name bsonType"])
        #expect(try dogs.document(id: Self.id)?.toJSON() == #"{"name":"Jasper"}"#)
        #expect(try dogs.count == 1)
        #expect(try store.save(Dog(name: "Rex", age: 3)))
    }

    @Test("revisions of peers are kept as they are, and listed")
    func peers() async throws {
        try dogs.insert(
            IncomingRevision(
                documentID: Self.id, version: Version("1-" + String(repeating: "a", count: 40)),
                body: Array(#"{"name":5}"#.utf8)))
        for index in 0..<600 {
            try await store.save(Dog(name: "dog \(index)"))
        }
        var found: [String] = []
        for try await unfit in try store.unfitDocuments() {
            found += unfit.violations.map { "\(unfit.document.id) \(unfit.type) \($0)" }
        }
        #expect(found == ["\(Self.id) Dog 'name' isn't of type string (bsonType)"])
    }

    /// A peer's revision.
    private func incoming(round: Int) -> IncomingRevision {
        IncomingRevision(
            documentID: Self.id, version: Version("1-" + String(repeating: "\(round)", count: 40)),
            body: Array(#"{"name":"theirs"}"#.utf8))
    }

    /// Ends a conflict with a peer's revision, the one of the round, by a body.
    private func merge(_ json: String, round: Int) throws {
        try save(#"{"name":"mine \#(round)"}"#)
        let theirs = incoming(round: round)
        #expect(try dogs.insert(theirs) == .conflict)
        try dogs.resolveConflict(
            id: Self.id, revision: try #require(theirs.version.revisionID), expecting: nil,
            resolution: .merged(MutableDocument(id: Self.id, json: json)))
        #expect(try dogs.document(id: Self.id)?.toJSON() == json)
    }

    @Test("a merge that ends a conflict is saved as it is, and told to the handler where the policy validates it")
    func merges() throws {
        let box = Box()
        var configuration = ModelConfiguration(types: [Dog.self])
        configuration.onUnfitDocument = { warning in box.warnings.withLock { $0.append(warning) } }
        let store = try ModelStore.open(fixture.database, configuration)
        try merge(#"{"name":"fits"}"#, round: 1)
        #expect(box.warnings.withLock { $0 }.isEmpty)
        try merge(#"{"name":5}"#, round: 2)
        let warnings = box.warnings.withLock { $0 }
        #expect(warnings.map(\.documentID) == [Self.id])
        #expect(warnings.first?.violations.map(\.path) == ["name"])
        try store.setPolicy(SchemaPolicy(level: .off), of: Dog.self)
        try dogs.purge(id: Self.id)
        try merge(#"{"name":6}"#, round: 3)
        #expect(box.warnings.withLock { $0.count } == 1)
    }

    @Test("a merge that doesn't fit is listed")
    func listedMerges() async throws {
        try merge(#"{"name":5}"#, round: 1)
        var found: [String] = []
        for try await unfit in try store.unfitDocuments() { found.append(unfit.document.id) }
        #expect(found == [Self.id])
    }

    @Test("a schema that can't be read keeps no conflict from being ended")
    func mergesBesideDamage() throws {
        try dogs.insert(incoming(round: 1))
        let other = incoming(round: 2)
        #expect(try dogs.insert(other) == .conflict)
        try fixture.database.setSchemaRecord(
            SchemaRecord(title: "Dog", collection: dogs.number, version: 0, definition: "{"))
        try dogs.resolveConflict(
            id: Self.id, revision: try #require(other.version.revisionID), expecting: nil,
            resolution: .merged(MutableDocument(id: Self.id, json: #"{"name":6}"#)))
        #expect(try dogs.document(id: Self.id)?.toJSON() == #"{"name":6}"#)
    }

    @Test("the level moderate leaves documents alone that didn't fit, off all of them, and the policy stays")
    func levels() throws {
        try store.setPolicy(SchemaPolicy(level: .off), of: Dog.self)
        #expect(try refusal { try save(#"{"name":5}"#) } == nil)
        try store.setPolicy(SchemaPolicy(level: .moderate), of: Dog.self)
        #expect(try refusal { try save(#"{"name":6}"#) } == nil)
        #expect(try refusal { try save(#"{"name":"fits"}"#) } == nil)
        #expect(try refusal { try save(#"{"name":7}"#) } == ["name bsonType"])
        #expect(try refusal { try save(#"{"name":7}"#, id: "$oid:616f44305a205add93ff1082") } == ["name bsonType"])
        let again = try fixture.store(Dog.self)
        #expect(try again.policy(of: Dog.self) == SchemaPolicy(level: .moderate))
    }

    @Test("the action warn saves a document and tells the configuration's handler")
    func warnings() throws {
        let box = Box()
        var configuration = ModelConfiguration(types: [Dog.self])
        configuration.onUnfitDocument = { warning in box.warnings.withLock { $0.append(warning) } }
        let store = try ModelStore.open(fixture.database, configuration)
        try store.setPolicy(SchemaPolicy(action: .warn), of: Dog.self)
        try save(#"{"name":5}"#)
        let warnings = box.warnings.withLock { $0 }
        #expect(warnings.map(\.documentID) == [Self.id])
        #expect(warnings.first?.type == "Dog" && warnings.first?.collection == "_default.Dog")
        #expect(warnings.first?.violations.map(\.path) == ["name"])
        #expect(try dogs.count == 1)
    }

    private final class Box: Sendable {
        let warnings = Mutex<[SchemaWarning]>([])
    }

    @Test("null-type validation lets null stand for an absent member")
    func nulls() throws {
        #expect(try refusal { try save(#"{"name":"a","age":null}"#) } == ["age bsonType"])
        try store.setPolicy(SchemaPolicy(nullTypeValidation: true), of: Dog.self)
        #expect(try refusal { try save(#"{"name":"a","age":null}"#) } == nil)
        #expect(try refusal { try save(#"{"name":null}"#) } == ["name bsonType"])
    }

    @Test("a schema that another process stores counts from the next transaction on")
    func otherProcess() throws {
        #expect(try refusal { try save(#"{"name":"a"}"#) } == nil)
        var type = try #require(store.schema["Dog"])
        type.properties[1].constraints = ["minLength": 2]
        try SchemaCatalogue(fixture.database).apply("Dog", of: Schema([type]))
        #expect(try refusal { try save(#"{"name":"a"}"#) } == ["name minLength"])
    }

    @Test("a stored schema that can't be read lets nothing be saved, and says so")
    func damaged() throws {
        try fixture.database.setSchemaRecord(
            SchemaRecord(title: "Dog", collection: dogs.number, version: 0, definition: "{"))
        let error = #expect(throws: SchemaError.self) { try save(#"{"name":"a"}"#) }
        guard case .damagedSchema("Dog", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try dogs.count == 0)
    }

    // MARK: - Missing members

    @Test("members that the stored schema requires and the declared type doesn't get their default, or the empty value")
    func filling() throws {
        var type = try #require(store.schema["Dog"])
        type.properties += [
            Property("legs", .int, defaultValue: 4), Property("born", .date), Property("tags", .array(.string)),
        ]
        let catalogue = SchemaCatalogue(fixture.database)
        try catalogue.apply("Dog", of: Schema([type]))
        try store.save(Dog(id: try #require(ObjectID("616f44305a205add93ff1081")), name: "Rex"))
        #expect(
            try dogs.document(id: Self.id)?.toJSON()
                == #"{"name":"Rex","legs":4,"born":{"$date":"1970-01-01T00:00:00.000Z"}}"#)
        // What the declared type requires is not made up.
        #expect(try refusal { try save(#"{"legs":3}"#) } == ["name required"])
    }

    @Test("a new object of a synced type gets the empty value of a removed required property, an old one doesn't")
    func removedProperties() throws {
        try save(#"{"name":"old"}"#)
        var type = try #require(store.schema["Dog"])
        type.removed = [Property("chip", .string), Property("colour", .string, isOptional: true)]
        try SchemaCatalogue(fixture.database).apply("Dog", of: Schema([type]))
        try save(#"{"name":"older"}"#)
        #expect(try dogs.document(id: Self.id)?.toJSON() == #"{"name":"older"}"#)
        try save(#"{"name":"new"}"#, id: "$oid:616f44305a205add93ff1082")
        #expect(try dogs.document(id: "$oid:616f44305a205add93ff1082")?.toJSON() == #"{"name":"new","chip":""}"#)
    }
}
