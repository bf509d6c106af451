import Foundation
import SealiteJSON
import Testing

@testable import SealiteDatabase

/// "é" as one Unicode scalar and as two: equal to Swift, different names and ids in JSON and in the database.
@Suite("names and ids that differ in their bytes only")
struct ExactNameTests {
    private static let (one, two) = ("\u{E9}", "e\u{301}")
    private static let json = "{\"\(one)\":1,\"\(two)\":2}"

    @Test(
        "names that differ in their bytes only are both members, read, set and removed by themselves, in small and large objects",
        arguments: [0, 20])
    func members(others: Int) throws {
        var object = try DictionaryObject(json: Self.json)
        for number in 0..<others { object["other-\(number)"] = Value(number) }
        #expect(object[Self.one] == 1 && object[Self.two] == 2)
        object[Self.two] = 3
        #expect(object[Self.one] == 1 && object[Self.two] == 3 && object.count == 2 + others)
        object.removeValue(forKey: Self.one)
        #expect(object[Self.one] == nil && object[Self.two] == 3)
        let literal: DictionaryObject = ["\u{E9}": 1, "e\u{301}": 2]
        #expect(literal.count == 2)
    }

    @Test("a document keeps both through an edit, and both go through other coders")
    func documents() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        let saved = try collection.save(document: MutableDocument(id: "a", json: Self.json))
        for quick in [true, false] {
            let edit = saved.toMutable()
            if !quick { edit.setArray([], forKey: "z").removeValue(forKey: "z") }
            edit.setInt(5, forKey: Self.two)
            let text = try collection.save(document: edit).toJSON()
            #expect(Array(text.utf8) == Array("{\"\(Self.one)\":1,\"\(Self.two)\":5}".utf8))
        }
        _ = try JSONEncoder().encode(Value.dictionary(saved.toDictionary()))
    }

    @Test("a feed names both documents")
    func feed() async throws {
        let test = try TestDatabase()
        let collection = try test.collection
        let changes = collection.changes
        try await test.database.write { _ in
            for id in [Self.one, Self.two] { try collection.save(document: MutableDocument(id: id)) }
        }
        var iterator = changes.makeAsyncIterator()
        let ids = try await iterator.next()?.documentIDs ?? []
        #expect(ids.map { Array($0.utf8) } == [Self.one, Self.two].map { Array($0.utf8) })
        #expect(try collection.count == 2)
    }

    @Test("the normal forms of a name have hashes of their own, so that many of them don't make tables slow")
    func hashes() {
        // 4,096 names that Swift's strings take for one.
        let names = (0..<4096).map { number in
            (0..<12).map { number >> $0 & 1 == 0 ? Self.one : Self.two }.joined()
        }
        #expect(Set(names).count == 1)
        #expect(Set(names.map { ExactText($0).hashValue }).count == 4096)
    }
}
