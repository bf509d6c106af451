import Foundation
import SealiteDatabase
import SealiteJSON
@testable import SealiteModel
import SealiteValues
import Testing

/// The reference's model.
struct Dog: Model, Equatable {
    var id = ObjectID()
    var name = ""
    var age: Int?
    var breed: String?
    var details = Value.null

    static let declaration = ModelDeclaration(
        .property("name", default: "", isIndexed: true), .property("age", type: .int))
}

@Suite("the reference's Dog")
struct DogTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/Models/examples")

    /// The members of an example's document without its `_id`.
    private func members(_ file: String) throws -> MongoDocument {
        let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
        var document = try MongoDocument(extendedJSON: text)
        #expect(document["_id"] == .objectID(fixedID))
        document["_id"] = nil
        return document
    }

    @Test("the stored document is read as the Dog of the reference, and saving it changes nothing")
    func plain() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Dog.self)
        let members = try members("dog.document.json")
        let document = try store.put(Dog.self, fixedID, members.extendedJSON(.relaxed))
        let jasper = Dog(id: fixedID, name: "Jasper", age: 8, breed: "Golden Retriever")
        #expect(try await store.object(Dog.self, id: fixedID) == jasper)
        #expect(try await store.save(jasper) == false)
        #expect(try store.document(Dog.self, document.id)?.revisionID == document.revisionID)
        #expect(try written(jasper) == #"{"name":"Jasper","age":8,"breed":"Golden Retriever","details":null}"#)
    }

    @Test("nested mixed values are read as they are stored, and written so")
    func nested() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Dog.self)
        try store.put(Dog.self, fixedID, try members("dog-nested.document.json").extendedJSON(.relaxed))
        let jasper = try #require(try await store.object(Dog.self, id: fixedID))
        #expect(jasper.details["vaccinations"] == ["rabies", "distemper"])
        #expect(jasper.details["weight"].double == 65.5)
        #expect(jasper.details["vetVisits"][1]["reason"] == "annual checkup")
        #expect(jasper.details["vetVisits"][0]["date"]["$date"] == "2002-08-18T04:56:07Z")
        #expect(try await store.save(jasper) == false)
    }
}
