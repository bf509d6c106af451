import SealiteDatabase
import SealiteValues
import Testing

@testable import SealiteModel

@Suite("migrations of primary keys")
struct PrimaryKeyTests {
    private let stage: MigrationStage

    init() throws { stage = try MigrationStage() }

    private func schema(_ key: String?, _ properties: Property...) -> Schema {
        Schema([ObjectSchema("A", primaryKey: key, properties: properties)])
    }

    private var byName: Schema { schema("name", Property("name", .string), Property("number", .long)) }
    private var byNumber: Schema { schema("number", Property("name", .string), Property("number", .long)) }

    @Test("documents get the IDs that the new primary key says, and the old one becomes a member")
    func change() throws {
        try stage.open(byName, version: 1)
        try stage.put([["_id": "x", "number": 1, "u": true], ["_id": "y", "number": 2]], in: "A")
        try stage.open(byNumber, version: 2) { migration in
            try migration.enumerate("A") { old, new in
                #expect(try old?["name"] == new?["name"])
                #expect(try old?["name"] == old?.id)
                let number = try old?.integer("number") ?? 0
                try new?.set("number", BSON(number + 10))
            }
        }
        #expect(try stage.documents("A") == [["_id": 11, "u": true, "name": "x"], ["_id": 12, "name": "y"]])
        #expect(try stage.database.integrityFindings() == [])
    }

    @Test("two documents with one key fail the migration, unless the function deletes one")
    func duplicates() throws {
        try stage.open(byName, version: 1)
        let documents: [MongoDocument] = [["_id": "x", "number": 1], ["_id": "y", "number": 1]]
        try stage.put(documents, in: "A")
        #expect(throws: SchemaError.duplicatePrimaryKey(type: "A")) { try stage.open(byNumber, version: 2) }
        #expect(try stage.documents("A") == documents)
        try stage.open(byNumber, version: 2) { migration in try migration.delete("A", id: "x") }
        #expect(try stage.documents("A") == [["_id": 1, "name": "y"]])
    }

    @Test("a document without a value for the new primary key fails the migration")
    func missingKey() throws {
        try stage.open(byName, version: 1)
        try stage.put(["_id": "x"], in: "A")
        #expect(throws: SchemaError.invalidPrimaryKey(type: "A")) { try stage.open(byNumber, version: 2) }
    }

    @Test("documents may take each other's IDs")
    func rotation() throws {
        let types = schema("name", Property("name", .string), Property("next", .string))
        try stage.open(types, version: 1)
        let names = (0..<300).map { "d\($0)" }
        try stage.put(
            names.indices.map { ["_id": .string(names[$0]), "next": .string(names[($0 + 1) % 300])] }, in: "A")
        let other = schema("next", Property("name", .string), Property("next", .string))
        try stage.open(other, version: 2)
        let found = try stage.documents("A")
        #expect(found.count == 300)
        for document in found {
            let name = try #require(document.text("name").flatMap { Int($0.dropFirst()) })
            #expect(document.text("_id") == "d\((name + 1) % 300)")
        }
    }

    @Test("the function may give documents other IDs where the primary key stays")
    func setKey() throws {
        let types = schema("_id", Property("_id", .string), Property("n", .long))
        try stage.open(types, version: 1)
        try stage.put([["_id": "x", "n": 1], ["_id": "y", "n": 2], ["_id": "z", "n": 3]], in: "A")
        try stage.open(types, version: 2) { migration in
            try migration.enumerate("A") { old, new in
                let swapped = ["x": "y", "y": "x"]
                guard case .string(let name)? = old?.id, let other = swapped[name] else { return }
                try new?.set("_id", other)
                #expect(try new?["_id"] == .string(other))
            }
        }
        #expect(
            try stage.documents("A") == [["_id": "x", "n": 2], ["_id": "y", "n": 1], ["_id": "z", "n": 3]])
        #expect(throws: SchemaError.duplicatePrimaryKey(type: "A")) {
            try stage.open(types, version: 3) { migration in
                try migration.enumerate("A") { old, new in if old?.id == "x" { try new?.set("_id", "z") } }
            }
        }
    }

    @Test("the function may give the objects of a new type other IDs, also each other's")
    func setKeyOfNewType() throws {
        try stage.open(byName, version: 1)
        let new = ObjectSchema("B", primaryKey: "_id", properties: [Property("_id", .string), Property("n", .long)])
        try stage.open(Schema(byName.objects + [new]), version: 2) { migration in
            try migration.create("B", ["_id": "x", "n": 1])
            try migration.create("B", ["_id": "y", "n": 2])
            try migration.enumerate("B") { _, object in
                let key = try object?.integer("n") == 1 ? "y" : "z"
                try object?.set("_id", key)
            }
        }
        #expect(try stage.documents("B") == [["_id": "y", "n": 1], ["_id": "z", "n": 2]])
    }

    @Test("a renamed primary key and one whose integers get another width leave the documents alone")
    func renamed() throws {
        try stage.open(schema("a", Property("a", .int)), version: 1)
        try stage.put(["_id": 5], in: "A")
        let sequence = try stage.collection("A").lastSequence
        try stage.open(schema("b", Property("b", .long, renamedFrom: ["a"])), version: 2)
        #expect(try stage.documents("A") == [["_id": 5]])
        #expect(try stage.collection("A").lastSequence == sequence)
    }

    @Test("a document that was deleted under the new ID doesn't stand in the way")
    func tombstone() throws {
        try stage.open(byName, version: 1)
        let collection = try stage.collection("A")
        try stage.put(["_id": "x", "number": 1], in: "A")
        let id = try DocumentKey.text(of: 1)
        try collection.save(document: MutableDocument(id: id))
        try collection.delete(id: id)
        try stage.open(byNumber, version: 2)
        #expect(try stage.documents("A") == [["_id": 1, "name": "x"]])
    }
}
