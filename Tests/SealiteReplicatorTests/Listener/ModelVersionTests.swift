import Foundation
import SealiteDatabase
import SealiteModel
import SealiteTransportTestSupport
import SealiteValues
import Testing

@testable import SealiteReplicator

/// A dog as the first version of an application has it.
private struct FirstDog: Model {
    var id = UUID()
    var name: String
    var age: Int
    var breed: String?

    static let declaration = ModelDeclaration(name: "Dog", collection: "_default")
}

/// A dog as the second version has it: without a name, with a colour, and with a new word for its breed.
private struct SecondDog: Model {
    var id = UUID()
    var age: Int
    var race: String?
    var color = "black"

    static let declaration = ModelDeclaration(
        name: "Dog", collection: "_default", .property("race", renamedFrom: "breed"),
        .property("color", default: "black"))
}

@Suite("applications with different versions of a model, over sockets", .serialized, .takesSocketTurn)
struct ModelVersionTests {
    private func open(_ database: SyncDatabase, _ type: any Model.Type, version: UInt64) async throws -> ModelStore {
        try await ModelStore.open(database.database, ModelConfiguration(version: version, types: [type]))
    }

    @Test("applications with both versions of a model go on, nothing is lost, and old members survive")
    func versions() async throws {
        let pair = try await NetworkPair.start()
        let old = try await open(pair.server, FirstDog.self, version: 1)
        let rex = FirstDog(name: "Rex", age: 3, breed: "Labrador")
        try await old.save(rex)
        #expect(try await pair.replicator().run().error == nil)

        // The client, which never had a schema, begins with the second version.
        let new = try await open(pair.client, SecondDog.self, version: 2)
        var copy = try #require(try await new.object(SecondDog.self, id: rex.id))
        #expect(copy.age == 3 && copy.race == "Labrador" && copy.color == "black")
        copy.age = 4
        copy.color = "brown"
        try await new.save(copy)
        try await new.save(SecondDog(age: 1, race: "Pug"))
        #expect(try await pair.replicator().run().error == nil)

        let seen = try #require(try await old.object(FirstDog.self, id: rex.id))
        #expect(seen.name == "Rex" && seen.age == 4)
        var renamed = seen
        renamed.name = "Max"
        try await old.save(renamed)
        #expect(try await pair.replicator().run().error == nil)
        let last = try #require(try await new.object(SecondDog.self, id: rex.id))
        #expect(last.color == "brown" && last.race == "Labrador" && last.age == 4)
        #expect(try pair.client.revisions == pair.server.revisions)
        await pair.listener.stop()
    }

    @Test("an application that takes the second version of a synced model goes on with the documents of the first")
    func upgrade() async throws {
        let pair = try await NetworkPair.start()
        for database in [pair.client, pair.server] {
            let store = try await open(database, FirstDog.self, version: 1)
            for number in 0..<20 { try await store.save(FirstDog(name: "dog \(number)", age: number)) }
        }
        #expect(try await pair.replicator().run().error == nil)
        let revisions = try pair.client.revisions
        // Both sides know that the collection is synced: a function is refused, and nothing is rewritten.
        for database in [pair.client, pair.server] {
            let configuration = ModelConfiguration(version: 2, types: [SecondDog.self]) { _ in }
            await #expect(throws: SchemaError.migrationNotAllowed) {
                _ = try await ModelStore.open(database.database, configuration)
            }
        }
        let new = try await open(pair.client, SecondDog.self, version: 2)
        #expect(try await new.objects(SecondDog.self).count() == 40)
        #expect(try pair.client.revisions == revisions)
        let dog = SecondDog(age: 9, race: "Pug")
        try await new.save(dog)
        #expect(try await pair.replicator().run().error == nil)
        // The other side requires a name, which the new type doesn't know any more.
        let old = try await open(pair.server, FirstDog.self, version: 1)
        let seen = try #require(try await old.object(FirstDog.self, id: dog.id))
        #expect(seen.name.isEmpty && seen.age == 9)
        #expect(try await old.objects(FirstDog.self).count() == 41)
        await pair.listener.stop()
    }
}
