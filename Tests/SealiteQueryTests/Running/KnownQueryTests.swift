import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteDatabase
@testable import SealiteQuery

@Suite("queries of texts that were created before")
struct KnownQueryTests {
    let test: TestDatabase
    private let text = "SELECT number FROM _ WHERE number = $number"

    init() throws {
        test = try TestDatabase()
        try test.database.write { transaction in
            for number in 1...100 {
                let document = MutableDocument(id: "d\(number)").setInt(number, forKey: "number")
                try transaction.save(document, in: try test.collection)
            }
        }
    }

    private func numbers(_ number: Int, _ text: String? = nil) throws -> [Int] {
        let query = try test.database.createQuery((text ?? self.text) as String)
        query.parameters = Parameters().setInt(number, forName: "number")
        return try query.execute().map { $0.int(at: 0) }
    }

    /// The number of statements that the first connection for cursors has prepared, which does all the reading of
    /// queries that aren't read at the same time.
    private func preparedCount() throws -> Int {
        let connection = try test.database.cursors.take()
        defer { test.database.cursors.giveBack(connection) }
        #expect(connection.isFirst)
        return connection.preparedCount
    }

    private func plan() throws -> String { try test.database.createQuery(text as String).explain() }

    @Test("a text is prepared by SQLite once, and a new text once, whatever its parameters are")
    func counts() throws {
        for number in 1...20 { #expect(try numbers(number) == [number]) }
        #expect(try preparedCount() == 1)
        for number in 1...20 {
            let text = "SELECT number FROM _ WHERE number = \(number)"
            let query = try test.database.createQuery(text as String)
            #expect(try query.execute().map { $0.int(at: 0) } == [number])
        }
        #expect(try preparedCount() == 21)
    }

    @Test("an index that somebody else creates is used at once, and one that somebody else deletes no longer")
    func indexes() throws {
        let other = try TestFile.open(test.path)
        defer { try? other.close() }
        #expect(try numbers(7) == [7])
        #expect(try !plan().contains("by_number"))
        for _ in 0..<2 {
            try other.defaultCollection().createIndex(
                withName: "by_number", config: ValueIndexConfiguration(["number"]))
            #expect(try numbers(7) == [7])
            #expect(try plan().contains("by_number"))
            try other.defaultCollection().deleteIndex(forName: "by_number")
            #expect(try numbers(7) == [7])
            #expect(try !plan().contains("by_number"))
        }
    }

    @Test("the translation of a transaction that is rolled back isn't kept")
    func rollback() throws {
        struct Stop: Error {}
        for name in ["first", "second"] {
            _ = try? test.database.write { _ in
                try test.collection.createIndex(withName: name, config: ValueIndexConfiguration(["number"]))
                #expect(try numbers(7) == [7])
                #expect(try plan().contains(name))
                throw Stop()
            }
            #expect(try !plan().contains(name))
        }
        // The next transaction gives another schema the version that the other two had.
        try test.collection.createIndex(withName: "other", config: ValueIndexConfiguration(["text"]))
        #expect(try numbers(7) == [7])
        #expect(try !plan().contains("number` "))
    }

    @Test("a collection that was created after a text was refused is found, and a deleted one isn't")
    func collections() throws {
        let text = "SELECT number FROM later WHERE number = $number"
        #expect(throws: DatabaseError.self) { try numbers(7, text) }
        let later = try test.database.createCollection(name: "later")
        try later.save(document: MutableDocument(id: "d").setInt(7, forKey: "number"))
        #expect(try numbers(7, text) == [7])
        try test.database.deleteCollection(name: "later")
        #expect(throws: DatabaseError.self) { try numbers(7, text) }
        try test.database.createCollection(name: "later")
        #expect(try numbers(7, text) == [])
    }

    @Test("texts that only Unicode equates are different queries")
    func forms() throws {
        for (id, text) in [("composed", "\u{E9}"), ("decomposed", "e\u{301}")] {
            try test.collection.save(document: MutableDocument(id: id).setString(text, forKey: "text"))
        }
        for (id, text) in [("composed", "\u{E9}"), ("decomposed", "e\u{301}")] {
            let query = try test.database.createQuery("SELECT META().id FROM _ WHERE text = '\(text)'" as String)
            #expect(try query.execute().map { $0.string(at: 0) } == [id])
        }
    }

    @Test("at most 64 texts are kept, those that were used last, and none of more than 4,096 bytes")
    func limit() throws {
        let known = KnownQueries.of(test.database)
        let schema = try test.database.schemaVersion()
        func isKnown(_ text: String) -> Bool { known.query(text, schema: schema) != nil }
        let texts = (0..<80).map { "SELECT number, \($0) FROM _" }
        for text in texts {
            _ = try test.database.createQuery(text as String)
            #expect(isKnown(texts[0]) && isKnown(text))
        }
        #expect(texts.filter(isKnown).count == 64)
        let long = "SELECT number FROM _" + String(repeating: " ", count: 4077)
        _ = try test.database.createQuery(long as String)
        #expect(long.utf8.count == 4097 && !isKnown(long))
    }
}
