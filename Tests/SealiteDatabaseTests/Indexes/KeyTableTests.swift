import Foundation
import GRDB
import Testing

@testable import SealiteDatabase

@Suite("value indexes kept by the door for rows")
struct KeyTableTests {
    let stage: IndexStage

    init() throws { stage = try IndexStage() }

    @Test("an index has an entry for each live document that its condition holds for, made before it or after")
    func entries() throws {
        try stage.save("a", age: 1)
        try stage.makeIndexes()
        try stage.save("b", age: nil, name: "Bo")
        try stage.save("odd one", age: 3)
        try stage.save("c", age: 42, line: "x")
        #expect(try stage.entries("age") == ["50c014 1", "50c03c 3", "50c154 4", "606e6f6e6500 2"])
        #expect(try stage.entries("some") == ["414441 1", "414441 4"])
        #expect(
            try stage.entries("two") == [
                "403100 30c014 1", "403100 30c03c 3", "403100 406e6f6e6500 2", "407800 30c154 4",
            ])
        #expect(try stage.findings() == [])
    }

    @Test("a save moves an entry, a deletion removes it, a document that is made again gets it back")
    func changes() throws {
        try stage.makeIndexes()
        try stage.save("a", age: 1)
        try stage.save("b", age: 2)
        try stage.save("a", age: 5)
        #expect(try stage.entries("age") == ["50c028 2", "50c064 1"])
        try stage.collection.delete(id: "a")
        #expect(try stage.entries("age") == ["50c028 2"])
        try stage.save("a", age: 1)
        #expect(try stage.entries("age") == ["50c014 1", "50c028 2"])
        try stage.collection.purge(id: "b")
        try stage.collection.setDocumentExpiration(id: "a", expiration: Date(timeIntervalSince1970: 1000))
        try stage.test.database.purgeExpiredDocuments()
        for name in IndexStage.definitions.keys { #expect(try stage.entries(name) == []) }
        #expect(try stage.findings() == [])
    }

    @Test("a revision of a peer, its tombstone and a resolved conflict change the entries")
    func incoming() throws {
        try stage.makeIndexes()
        let remote = try stage.test.database.remoteNumber("peer")
        func insert(_ revision: String, _ history: [String], age: Int, deleted: Bool = false) throws {
            let revision = IncomingRevision(
                documentID: "a", version: Version(revision), history: history.map { Version($0) },
                isDeleted: deleted, body: Array((deleted ? "{}" : "{\"age\":\(age)}").utf8))
            #expect(try stage.collection.insert(revision, remote: remote) == .inserted)
        }
        try insert("1-aa", [], age: 7)
        #expect(try stage.entries("age") == ["50c08c 1"])
        try insert("2-aa", ["1-aa"], age: 8)
        #expect(try stage.entries("age") == ["50c0a0 1"])
        try insert("3-aa", ["2-aa"], age: 0, deleted: true)
        #expect(try stage.entries("age") == [])
        #expect(try stage.findings() == [])
    }

    @Test("an entry is written only where a key changed")
    func unchangedKeys() throws {
        try stage.makeIndexes()
        try stage.save("a", age: 1)
        let changes = { try stage.test.database.writer.withoutTransaction { $0.totalChangesCount } }
        var before = try changes()
        try stage.collection.save(
            document: try #require(try stage.collection.document(id: "a")).toMutable().setInt(9, forKey: "other"))
        #expect(try changes() - before == 1)
        before = try changes()
        try stage.save("a", age: 1, name: "Eve")
        // The row, and an entry of "some" deleted and inserted.
        #expect(try changes() - before == 3)
    }

    @Test("a transaction that is given up leaves the entries as they were, inside another one too")
    func rollback() throws {
        struct Stop: Error {}
        try stage.makeIndexes()
        try stage.save("a", age: 1)
        #expect(throws: Stop.self) {
            try stage.test.database.write { _ in
                try stage.save("a", age: 2)
                throw Stop()
            }
        }
        try stage.test.database.write { _ in
            try stage.save("b", age: 3)
            _ = try? stage.test.database.write { _ in
                try stage.save("b", age: 4)
                throw Stop()
            }
        }
        #expect(try stage.entries("age") == ["50c014 1", "50c03c 2"])
        #expect(try stage.findings() == [])
    }

    @Test("a key that an expression can't give is refused before anything is changed, and the transaction goes on")
    func noKey() throws {
        try stage.collection.createIndex(
            "sql",
            KeyDefinition(keys: [.sql("iif(id = 'bad', body_value(body, 'age'), body_key('queries', body, 'age'))")]))
        try stage.test.database.write { _ in
            try stage.save("good", age: 1)
            #expect(code { try stage.save("bad", age: 2) } == .unexpected)
        }
        #expect(try stage.entries("sql") == ["50c014 1"])
        #expect(try stage.collection.document(id: "bad") == nil)
        #expect(try stage.collection.lastSequence == 1 && stage.findings() == [])
        let definition = KeyDefinition(keys: [.sql("body_value(body, 'age')")])
        #expect(code { try stage.collection.createIndex("other", definition) } == .unexpected)
    }

    @Test(
        "the same definition again changes nothing, another one builds the index anew, a deleted one leaves no table or trigger"
    )
    func catalogue() throws {
        let names = {
            try stage.test.database.reading { try String.fetchSet($0, sql: "SELECT name FROM sqlite_schema") }
        }
        try stage.save("a", age: 1)
        let before = try names()
        try stage.makeIndexes()
        let made = try names()
        try stage.makeIndexes()
        #expect(try names() == made && stage.collection.indexRecords().map(\.number) == [1, 2, 3])
        try stage.collection.createIndex("age", KeyDefinition(keys: [.path([.member("name")], .queries)]))
        #expect(try stage.entries("age") == ["6041646100 1"])
        #expect(try stage.collection.indexRecords().map(\.number) == [2, 3, 4])
        #expect(try stage.test.database.createCollection(name: "other").indexRecords().isEmpty)
        for name in IndexStage.definitions.keys { try stage.collection.deleteIndex(name) }
        try stage.collection.deleteIndex("unknown")
        try stage.test.database.deleteCollection(name: "other")
        #expect(try names() == before)
        #expect(code { try stage.collection.createIndex("", IndexStage.definitions["age"]!) } == .badName)
    }

    @Test("a deleted collection takes its indexes along, and another of its name has none")
    func deletedCollection() throws {
        let other = try stage.test.database.createCollection(name: "other")
        try other.createIndex("age", KeyDefinition(keys: [.path([.member("age")], .queries)]))
        try stage.test.database.deleteCollection(name: "other")
        let again = try stage.test.database.createCollection(name: "other")
        try again.save(document: MutableDocument(id: "a").setInt(1, forKey: "age"))
        #expect(try again.indexRecords().isEmpty && stage.findings() == [])
        let tables = try stage.test.database.reading {
            try $0.integer("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'keys%'")
        }
        #expect(tables == 0)
    }

    @Test("building tells its progress and can be given up, which changes nothing")
    func progress() throws {
        struct Stop: Error {}
        for index in 0..<10 { try stage.save("\(index)", age: index) }
        let definition = KeyDefinition(keys: [.path([.member("age")], .queries)])
        var reports: [IndexProgress] = []
        try stage.collection.createIndex("age", definition) { reports.append($0) }
        #expect(reports.map(\.documentCount) == [0, 10] && reports.allSatisfy { $0.totalDocumentCount == 10 })
        #expect(throws: Stop.self) {
            try stage.collection.createIndex("other", definition) { if $0.documentCount == 10 { throw Stop() } }
        }
        #expect(try stage.collection.indexRecords().map(\.name) == ["age"])
        #expect(try stage.entries("age").count == 10 && stage.findings() == [])
    }

    @Test("indexes that are made and deleted inside a transaction are kept by what follows in it, or given up with it")
    func insideTransaction() throws {
        struct Stop: Error {}
        let definition = KeyDefinition(keys: [.path([.member("age")], .queries)])
        try stage.test.database.write { _ in
            try stage.save("a", age: 1)
            try stage.collection.createIndex("age", definition)
            try stage.save("a", age: 2)
            _ = try? stage.test.database.write { _ in
                try stage.collection.deleteIndex("age")
                try stage.save("a", age: 3)
                throw Stop()
            }
            try stage.save("b", age: 4)
        }
        #expect(try stage.entries("age") == ["50c028 1", "50c050 2"])
        #expect(try stage.findings() == [])
    }

    @Test("an index whose number a rolled back transaction gave to another one is kept by its own definition")
    func numberGivenAgain() throws {
        struct Stop: Error {}
        try stage.save("a", age: 1)
        _ = try? stage.test.database.write { _ in
            try stage.collection.createIndex("age", KeyDefinition(keys: [.path([.member("name")], .queries)]))
            try stage.save("a", age: 2)
            throw Stop()
        }
        try stage.collection.createIndex("age", KeyDefinition(keys: [.path([.member("age")], .queries)]))
        try stage.save("a", age: 3)
        #expect(try stage.entries("age") == ["50c03c 1"] && stage.findings() == [])
    }

    @Test("a name with an apostrophe that a combining mark follows is the name in SQL too")
    func apostrophe() throws {
        let name = "it'\u{301}s"
        try stage.collection.save(document: MutableDocument(id: "a").setInt(1, forKey: name))
        try stage.collection.createIndex("mark", KeyDefinition(keys: [.path([.member(name)], .queries)]))
        try stage.collection.save(document: MutableDocument(id: "b").setInt(2, forKey: name))
        #expect(try stage.entries("mark") == ["50c014 1", "50c028 2"])
        #expect(try stage.findings() == [])
    }

    @Test("another process's new index is kept by the next transaction")
    func anotherProcess() throws {
        try stage.save("a", age: 1)
        let other = try stage.test.reopened()
        try other.collection.createIndex("age", KeyDefinition(keys: [.path([.member("age")], .queries)]))
        try stage.save("a", age: 2)
        #expect(try stage.entries("age") == ["50c028 1"])
        try other.collection.deleteIndex("age")
        try stage.save("a", age: 3)
        #expect(try stage.findings() == [])
    }
}
