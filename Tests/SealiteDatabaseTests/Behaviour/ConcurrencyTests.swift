import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

@Suite("many at once")
struct ConcurrencyTests {
    private static let taskCount = 8
    private let test: TestDatabase
    private let collection: SealiteDatabase.Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
    }

    /// Runs `body` in eight tasks at once.
    private func together(_ body: @escaping @Sendable (_ task: Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<Self.taskCount { group.addTask { try await body(task) } }
            try await group.waitForAll()
        }
    }

    @Test("tasks that create, update, delete and purge documents of their own end with what they meant")
    func ownDocuments() async throws {
        let collection = collection
        try await together { task in
            for number in 0..<40 {
                let id = "\(task)-\(number)"
                let saved = try await collection.save(document: MutableDocument(id: id).setInt(0, forKey: "n"))
                try await collection.save(document: saved.toMutable().setInt(number, forKey: "n"))
                if number % 4 == 1 { try await collection.delete(id: id) }
                if number % 4 == 2 { try await collection.purge(id: id) }
            }
        }
        #expect(try collection.count == 8 * 20)
        #expect(try await collection.changes(since: 0, limit: 1000).count == 8 * 30)
        #expect(try await collection.document(id: "3-39")?.int(forKey: "n") == 39)
        #expect(try await test.database.integrityFindings().isEmpty)
    }

    @Test("edits of one document by two databases that fail on conflict and try again lose no increment")
    func conflicts() async throws {
        let other = try test.reopened()
        let collections = [collection, try other.collection]
        try await collection.save(document: MutableDocument(id: "counter").setInt(0, forKey: "n"))
        try await together { task in
            let collection = collections[task % 2]
            for _ in 0..<10 {
                while true {
                    let counter = try #require(try await collection.document(id: "counter"))
                    let edit = counter.toMutable().setInt(counter.int(forKey: "n") + 1, forKey: "n")
                    if try await collection.save(document: edit, concurrencyControl: .failOnConflict).isSaved { break }
                }
            }
        }
        #expect(try await collection.document(id: "counter")?.int(forKey: "n") == 80)
    }

    @Test("one mutable document edited by many tasks keeps every edit")
    func sharedEdit() async throws {
        let document = MutableDocument(id: "a")
        try await together { task in
            for number in 0..<50 { document.setInt(number, forKey: "\(task)-\(number)") }
        }
        try await collection.save(document: document)
        #expect(try await collection.document(id: "a")?.count == 400)
    }

    @Test("a snapshot that many read while others write is one state")
    func snapshots() async throws {
        let (database, collection) = (test.database, collection)
        for id in ["left", "right"] {
            try await collection.save(document: MutableDocument(id: id).setInt(0, forKey: "n"))
        }
        try await together { task in
            for number in 1...25 {
                if task < 2 {
                    try await database.write { _ in
                        for id in ["left", "right"] {
                            try collection.save(document: MutableDocument(id: id).setInt(number, forKey: "n"))
                        }
                    }
                } else {
                    let (left, right) = try await database.read {
                        (try collection.document(id: "left"), try collection.document(id: "right"))
                    }
                    #expect(left?.int(forKey: "n") == right?.int(forKey: "n"))
                }
            }
        }
    }

    @Test("closing while others work: each call is done or says notOpen, and what was saved is there")
    func closing() async throws {
        let (database, collection) = (test.database, collection)
        let saved = try await withThrowingTaskGroup(of: [String].self) { group in
            for task in 0..<Self.taskCount {
                group.addTask {
                    var saved: [String] = []
                    do {
                        for number in 0..<100_000 {
                            try await collection.save(document: MutableDocument(id: "\(task)-\(number)"))
                            saved.append("\(task)-\(number)")
                            _ = try await collection.document(id: "\(task)-\(number)")
                        }
                    } catch let error as SealiteDatabase.DatabaseError {
                        #expect(error.code == .notOpen)
                    }
                    return saved
                }
            }
            try await eventually("50 documents") { try collection.count >= 50 }
            try await database.close()
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let again = try test.reopened().collection
        #expect(saved.count >= 50)
        #expect(try await again.documents(ids: saved).count == saved.count)
    }
}
