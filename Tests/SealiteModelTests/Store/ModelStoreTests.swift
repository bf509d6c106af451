import Dispatch
import Foundation
import SealiteDatabase
@testable import SealiteModel
import SealiteQuery
import SealiteTestSupport
import SealiteValues
import Testing

private struct Person: Model, Equatable {
    var id: String
    var name: String
    var born: Date?
    var dogs: [Reference<Dog>] = []
    var best: Reference<Dog>?
    var home: Home?

    struct Home: Codable, Equatable {
        var city: String
        var keeper: Reference<Person>?
    }

    static let declaration = ModelDeclaration(collection: "people")
}

private struct Numbered: Model, Equatable {
    var id: Int
    var count = 0
}

private struct Keyed: Model, Equatable {
    var id: UUID
}

@Suite("stores of objects")
struct ModelStoreTests {
    @Test("objects are saved, read, changed and deleted, one transaction each")
    func basics() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Dog.self, Person.self, Numbered.self, Keyed.self)
        let dog = Dog(name: "Jasper", age: 8)
        #expect(try await store.save(dog))
        #expect(try await store.object(Dog.self, id: dog.id) == dog)
        #expect(try await store.object(Reference(dog)) == dog)
        var older = dog
        older.age = nil
        #expect(try await store.save(older))
        #expect(try store.json(older) == #"{"name":"Jasper","details":null}"#)
        #expect(try await store.delete(older))
        #expect(try await !store.delete(older))
        #expect(try await store.object(Dog.self, id: dog.id) == nil)
        #expect(try await store.save(dog))
        #expect(try await store.object(Dog.self, id: dog.id) == dog)
        #expect(try store.collection(of: Person.self).name == "people")
    }

    @Test("IDs are ObjectIDs, UUIDs, numbers and any text, in the forms of documents")
    func ids() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Person.self, Numbered.self, Keyed.self)
        for id in ["a", "$n:1", "_x", "", "line\nbreak", "é"] {
            try await store.save(Person(id: id, name: id))
            #expect(try await store.object(Person.self, id: id)?.id == id)
        }
        try await store.save(Numbered(id: -7))
        #expect(try store.document(Numbered.self, "$n:-7") != nil)
        #expect(try await store.object(Numbered.self, id: -7) == Numbered(id: -7))
        try await store.save(Keyed(id: fixedUUID))
        #expect(try await store.object(Keyed.self, id: fixedUUID) == Keyed(id: fixedUUID))
        #expect(try store.json(Keyed(id: fixedUUID)) == "{}")
        #expect(throws: DatabaseError.self) {
            _ = try store.save(Person(id: String(repeating: "x", count: 300), name: "")) as Bool
        }
    }

    @Test("a document whose ID starts with a dollar sign as another program made it is found, and saved as itself")
    func foreignIDs() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Person.self)
        try store.put(Person.self, documentID: "$x", #"{"name":"n"}"#)
        #expect(try await store.object(Person.self, id: "$x")?.name == "n")
        try await store.save(Person(id: "$x", name: "m"))
        #expect(try await store.object(Person.self, id: "$x")?.name == "m")
        #expect(try store.collection(of: Person.self).count == 1)
        #expect(try await store.objects(Person.self).first()?.id == "$x")
    }

    @Test("an ID in capital digits is a text, and one that isn't of the key's type makes an object that can't be read")
    func otherIDs() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Person.self, Numbered.self)
        let text = "$oid:65F1C0FFEE0123456789ABCD"
        try store.put(Person.self, documentID: text, #"{"name":"n"}"#)
        #expect(try store.object(Person.self, id: text)?.id == text)
        try store.put(Person.self, documentID: text.lowercased(), #"{"name":"n"}"#)
        try store.put(Numbered.self, documentID: "$n:1.5", "{}")
        for read in [{ _ = try store.objects(Person.self).all() }, { _ = try store.objects(Numbered.self).all() }] {
            let error = #expect(throws: DatabaseError.self) { try read() }
            #expect(error?.code == .decodingFailed)
        }
        // The string of that ID is another document.
        #expect(try store.object(Person.self, id: text.lowercased()) == nil)
    }

    @Test("an object that is stored as it is makes no revision")
    func unchanged() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Dog.self)
        let dog = Dog(name: "n", details: ["b": 1, "a": 2])
        try await store.save(dog)
        let before = try store.collection(of: Dog.self).lastSequence
        #expect(try await !store.save(dog))
        #expect(try store.collection(of: Dog.self).lastSequence == before)
    }

    @Test("a transaction changes all or nothing, sees its changes, and can be nested")
    func transactions() async throws {
        struct Stop: Error {}
        let fixture = try StoreFixture()
        let store = try fixture.store(Dog.self, Numbered.self)
        try await store.write { transaction in
            try transaction.save(Numbered(id: 1))
            try transaction.save(Dog(id: fixedID, name: "in"))
            #expect(try transaction.object(Dog.self, id: fixedID)?.name == "in")
            #expect(try transaction.objects(Dog.self).where("name = 'in'").all().count == 1)
            do {
                try transaction.nested { inner in
                    try inner.delete(Dog.self, id: fixedID)
                    throw Stop()
                }
            } catch is Stop {}
        }
        #expect(try await store.object(Dog.self, id: fixedID)?.name == "in")
        await #expect(throws: Stop.self) {
            try await store.write { transaction in
                try transaction.save(Numbered(id: 2))
                try transaction.delete(Numbered(id: 1))
                throw Stop()
            }
        }
        #expect(try await store.objects(Numbered.self).all() == [Numbered(id: 1)])
    }

    @Test("a type that the configuration doesn't name is refused")
    func unknownType() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Dog.self)
        await #expect(throws: SchemaError.unknownType("Numbered")) { try await store.save(Numbered(id: 1)) }
        await #expect(throws: SchemaError.unknownType("Numbered")) { try await store.objects(Numbered.self).all() }
    }

    @Test("blobs in mixed values are stored with the object, and read back")
    func blobs() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Dog.self)
        let blob = Blob(contentType: "text/plain", data: Data("hello".utf8))
        try await store.save(Dog(id: fixedID, details: ["photo": .blob(blob)]))
        let again = try #require(try await store.object(Dog.self, id: fixedID))
        #expect(try again.details["photo"].blob?.content == Data("hello".utf8))
        #expect(try await !store.save(again))
    }

    @Test("an object of a type without a collection is deleted without waiting for a writer")
    func deletedWithoutCollection() async throws {
        let fixture = try StoreFixture()
        let store = try await ModelStore.open(
            fixture.database, ModelConfiguration(types: [Numbered.self], mode: .readOnly))
        let (hasBegun, hasEnded, end) = (Box(false), Box(false), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            try? fixture.database.write { _ in
                hasBegun.change { $0 = true }
                end.wait()
            }
        }
        defer { end.signal() }
        await eventually { hasBegun.value }
        let deletion = Task {
            defer { hasEnded.change { $0 = true } }
            return try await store.delete(Numbered.self, id: 1)
        }
        await eventually { hasEnded.value }
        end.signal()
        #expect(try await !deletion.value)
    }

    // MARK: - Queries

    private func kennel() async throws -> (StoreFixture, ModelStore) {
        let fixture = try StoreFixture()
        let store = try fixture.store(Dog.self, Person.self)
        try await store.write { transaction in
            for age in 0..<500 {
                try transaction.save(Dog(name: "dog \(age % 10)", age: age, breed: age < 3 ? "b" : nil))
            }
        }
        return (fixture, store)
    }

    @Test("conditions, sorting and limits narrow a query")
    func queries() async throws {
        let (fixture, store) = try await kennel()
        defer { withExtendedLifetime(fixture) {} }
        let old = store.objects(Dog.self).where("age >= $age AND name = $name", ["age": 100, "name": "dog 3"])
        #expect(try await old.count() == 40)
        let ages = try await old.sorted("age", ascending: false).limit(2, offset: 1).all().map(\.age)
        #expect(ages == [483, 473])
        #expect(try await old.sorted("age").first()?.age == 103)
        #expect(try await old.limit(100, offset: 30).count() == 10)
        #expect(try await old.where("breed IS VALUED").all().isEmpty)
        #expect(try await store.objects(Dog.self).sorted("name").sorted("age", ascending: false).first()?.age == 490)
    }

    @Test("objects stream out of one state of the database")
    func streaming() async throws {
        let (fixture, store) = try await kennel()
        defer { withExtendedLifetime(fixture) {} }
        var count = 0
        for try await dog in store.objects(Dog.self) {
            if count == 0 { try await store.save(Dog(name: "late")) }
            #expect(dog.name != "late")
            count += 1
        }
        #expect(count == 500)
        #expect(try await store.objects(Dog.self).count() == 501)
    }

    @Test("parameters are values of every type of members, as these are stored")
    func parameters() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Everything.self)
        try await store.save(Everything.sample)
        let all = Everything.sample
        let conditions: [(String, any QueryParameter)] = [
            ("bool", true), ("int", all.int), ("double", 3.0), ("string", all.string), ("date", all.date),
            ("decimal", all.decimal), ("object", all.object), ("uuid", all.uuid), ("data", all.data),
            ("mixed", all.mixed), ("array", all.array), ("link", all.link), ("link", BSON.objectID(fixedID)),
            ("int32", all.int32), ("int64", all.int64), ("size", "large"),
        ]
        for (member, value) in conditions {
            #expect(
                try await store.objects(Everything.self).where("\(member) = $v", ["v": value]).count() == 1, "\(member)"
            )
        }
        #expect(try await store.objects(Everything.self).where("bool = $v", ["v": String?.none]).count() == 0)
    }

    @Test("conditions that aren't ones and parameters that nobody asks for are errors")
    func wrongQueries() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Dog.self)
        await #expect(throws: DatabaseError.self) { try await store.objects(Dog.self).where("age >").all() }
        await #expect(throws: DatabaseError.self) { try await store.objects(Dog.self).where("age > 1", ["x": 1]).all() }
    }

    @Test("conditions share the values of their parameters, and can't give one of them two values")
    func sharedParameters() async throws {
        let (fixture, store) = try await kennel()
        defer { withExtendedLifetime(fixture) {} }
        let some = store.objects(Dog.self).where("age < $n + 5").where("age >= $n", ["n": 7])
        #expect(try await some.count() == 5)
        #expect(try await some.where("age = $n", ["n": 7]).count() == 1)
        await #expect(throws: DatabaseError(.invalidParameter, "")) {
            try await some.where("age = $n", ["n": 8]).count()
        }
    }

    @Test("a document that doesn't fit is an error when it is read, and counts")
    func damaged() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Dog.self)
        try store.put(Dog.self, fixedID, #"{"name":5}"#)
        #expect(try await store.objects(Dog.self).count() == 1)
        await #expect(throws: DatabaseError.self) { try await store.objects(Dog.self).all() }
    }

    @Test("inverse links find the objects that link to one, by a link, a list of links and a path")
    func inverseLinks() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Dog.self, Person.self)
        let (rex, tim) = (Dog(name: "Rex"), Dog(name: "Tim"))
        let ada = Person(id: "ada", name: "Ada", dogs: [Reference(rex), Reference(tim)])
        let bob = Person(
            id: "bob", name: "Bob", dogs: [Reference(tim)], best: Reference(rex),
            home: .init(city: "x", keeper: Reference(ada)))
        try await store.write { transaction in
            try transaction.save(rex)
            try transaction.save(tim)
            try transaction.save(ada)
            try transaction.save(bob)
        }
        #expect(try await store.objects(Person.self, linkingBy: "dogs", to: rex).all() == [ada])
        #expect(try await store.objects(Person.self, linkingBy: "dogs", to: tim).sorted("name").all() == [ada, bob])
        #expect(try await store.objects(Person.self, linkingBy: "best", to: rex).all() == [bob])
        #expect(try await store.objects(Person.self, linkingBy: "home.keeper", to: ada).all() == [bob])
        #expect(try await store.object(bob.dogs[0]) == tim)
    }

    // MARK: - Many at once

    @Test("many tasks save and read at once, and the last write wins whole")
    func concurrency() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Numbered.self, Person.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for round in 0..<20 {
                        try await store.save(Numbered(id: round, count: task))
                        try await store.save(Person(id: "\(task)-\(round)", name: "\(task)"))
                        guard let seen = try await store.object(Numbered.self, id: round) else {
                            throw SchemaError.unknownType("lost")
                        }
                        #expect((0..<16).contains(seen.count))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.objects(Person.self).count() == 320)
        #expect(try await store.objects(Numbered.self).count() == 20)
    }
}
