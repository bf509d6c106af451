import Foundation
import Testing

@testable import SealiteDatabase

@Suite("editing documents")
struct EditingTests {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
    }

    @Test("an edit is independent of the document it began with, and of other edits of it")
    func independence() throws {
        let saved = try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        let (first, second) = (saved.toMutable(), saved.toMutable())
        first.setInt(2, forKey: "x")
        second.removeValue(forKey: "x")
        #expect(saved.int(forKey: "x") == 1 && first.int(forKey: "x") == 2 && !second.contains(key: "x"))
        let again = try collection.save(document: first)
        #expect(saved != again && saved.int(forKey: "x") == 1)
        #expect(try collection.document(id: "a") == again)
        // The same object goes on from what it was saved as.
        try collection.save(document: first.setInt(3, forKey: "x"), concurrencyControl: .failOnConflict)
        #expect(try collection.document(id: "a")?.int(forKey: "x") == 3)
        #expect(first.revisionID?.hasPrefix("3-") == true)
    }

    @Test("every type is set, read back, set to null and removed")
    func types() throws {
        let date = Date(timeIntervalSince1970: 1_234_567_890.5)
        let document = MutableDocument(id: "a").setString("text", forKey: "string").setInt(.min, forKey: "int")
            .setInt64(.max, forKey: "int64").setDouble(-0.0, forKey: "double").setFloat(1.1, forKey: "float")
            .setBoolean(true, forKey: "boolean").setDate(date, forKey: "date").setArray([1, "two"], forKey: "array")
            .setDictionary(["k": [nil]], forKey: "dictionary")
            .setNumber(Number(json: "123456789012345678901234567890.5"), forKey: "number")
            .setBlob(Blob(contentType: nil, bytes: [1]), forKey: "blob")
        try collection.save(document: document)
        let read = try #require(try test.reopened().collection.document(id: "a"))
        #expect(read.string(forKey: "string") == "text" && read.int(forKey: "int") == .min)
        #expect(read.int64(forKey: "int64") == .max && read.double(forKey: "double").sign == .minus)
        #expect(
            read.float(forKey: "float") == 1.1 && read.boolean(forKey: "boolean") && read.date(forKey: "date") == date)
        #expect(read.array(forKey: "array") == [1, "two"] && read.dictionary(forKey: "dictionary") == ["k": [nil]])
        #expect(read.number(forKey: "number")?.description == "123456789012345678901234567890.5")
        #expect(try read.blob(forKey: "blob")?.content == Data([1]))
        #expect(read.keys == document.keys && read.count == 11)
        let edit = try #require(try collection.document(id: "a")).toMutable()
        for key in read.keys { edit.setValue(.null, forKey: key) }
        try collection.save(document: edit)
        let nulls = try #require(try collection.document(id: "a"))
        #expect(nulls.keys.allSatisfy { nulls.contains(key: $0) && nulls[$0].isNull })
        #expect(nulls.int(forKey: "int") == 0 && nulls.string(forKey: "string") == nil)
        for key in nulls.keys { edit.removeValue(forKey: key) }
        try collection.save(document: edit)
        #expect(try collection.document(id: "a")?.count == 0)
        #expect(try collection.document(id: "a")?.toJSON() == "{}")
    }

    @Test("arrays and dictionaries inside are changed in place, by value and by subscript")
    func nested() throws {
        let json = #"{"list":[1,{"deep":[true]}],"map":{"a":{"b":1}}}"#
        let document = try MutableDocument(id: "a", json: json)
        document["map"]["a"]["b"] = 2
        document["map"]["new"] = ["x": 1]
        document["list"][1]["deep"][0] = false
        var list = try #require(document.array(forKey: "list"))
        list.append("last")
        list.remove(at: 0)
        #expect(document["list"][0].int == 1)
        document.setArray(list, forKey: "list")
        try collection.save(document: document)
        let expected = #"{"list":[{"deep":[false]},"last"],"map":{"a":{"b":2},"new":{"x":1}}}"#
        #expect(try collection.document(id: "a")?.toJSON() == expected)
    }

    @Test("all properties are replaced at once, from values and from JSON; JSON that is refused changes nothing")
    func replacing() throws {
        let document = MutableDocument(id: "a").setInt(1, forKey: "old")
        document.setData(["new": 1])
        #expect(document.keys == ["new"])
        try document.setJSON(#"{"newer":[1.50]}"#)
        #expect(code { try document.setJSON("[1]") } == .invalidJSON)
        #expect(code { try document.setJSON(#"{"a":1,"a":2}"#) } == .invalidJSON)
        try collection.save(document: document)
        #expect(try collection.document(id: "a")?.toJSON() == #"{"newer":[1.50]}"#)
    }

    @Test("documents are equal when id, collection, revision and properties are")
    func equality() throws {
        let other = try test.database.createCollection(name: "other")
        for collection in [collection, other] {
            for id in ["a", "b"] { try collection.save(document: MutableDocument(id: id).setInt(1, forKey: "x")) }
        }
        let document = try #require(try collection.document(id: "a"))
        #expect(try document == collection.document(id: "a"))
        #expect(try document != collection.document(id: "b"))
        #expect(try document != other.document(id: "a"))
        try collection.save(document: document.toMutable())
        #expect(try document != collection.document(id: "a"))
    }

    @Test("many updates of one document remember the newest revisions and stay one document")
    func manyUpdates() throws {
        let document = MutableDocument(id: "a")
        for number in 1...100 { try collection.save(document: document.setInt(number, forKey: "n")) }
        let revisions = try collection.revisions(id: "a")
        #expect(revisions.map { $0.id.generation } == (81...100).reversed().map { UInt32($0) })
        #expect(try collection.count == 1 && collection.lastSequence == 100)
        #expect(try test.database.integrityFindings().isEmpty)
    }
}
