import Foundation
import Synchronization
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

@Suite("collections among each other")
struct CollectionLifeTests {
    let test: TestDatabase
    var database: SealiteDatabase.Database { test.database }

    init() throws { test = try TestDatabase() }

    @Test("names that differ in case are different collections and scopes, with documents of their own")
    func cases() throws {
        let names = ["hotels", "Hotels", "HOTELS"]
        for name in names {
            try database.createCollection(name: name, scope: "travel").save(document: MutableDocument(id: name))
            try database.createCollection(name: "c", scope: name)
        }
        for name in names {
            let collection = try #require(try database.collection(name: name, scope: "travel"))
            #expect(try collection.documents(in: DocumentRange()).map(\.id) == [name])
            #expect(collection.scope.name == "travel" && collection.database === database)
        }
        #expect(try database.scopes().map(\.name).sorted() == (["_default", "travel"] + names).sorted())
        #expect(try database.collection(name: "hOTELS", scope: "travel") == nil)
        #expect(try database.scope(name: "TRAVEL") == nil)
    }

    @Test("expirations are looked up by one statement for a hundred collections, from one state of the schema")
    func manyExpirations() throws {
        let date = Date(timeIntervalSince1970: 4_000_000_000)
        try database.write { _ in
            for number in 0..<250 { try database.createCollection(name: "c\(number)") }
        }
        #expect(try database.nextExpiration() == nil)
        let work = try database.read {
            try database.reading { connection in
                try StatementWork.counted(connection) { _ = try database.nextExpiration() }
            }
        }
        #expect(work.steps.count == 4, "\(work.steps.keys.map { $0.prefix(80) })")
        for (number, seconds) in [(249, 3.0), (99, 2), (100, 1)] {
            let collection = try database.createCollection(name: "c\(number)")
            try collection.save(document: MutableDocument(id: "a"))
            try collection.setDocumentExpiration(id: "a", expiration: date + seconds)
            #expect(try database.nextExpiration() == Int64(4_000_000_000_000 + 1_000 * seconds))
        }
    }

    @Test("a scope comes with its first collection and goes with its last, seen by other databases of the file")
    func scopes() throws {
        let other = try test.reopened()
        #expect(try other.database.scope(name: "s") == nil)
        try database.createCollection(name: "a", scope: "s")
        try database.createCollection(name: "b", scope: "s")
        let scope = try #require(try other.database.scope(name: "s"))
        #expect(try scope.collections().map(\.name) == ["a", "b"])
        try other.database.deleteCollection(name: "a", scope: "s")
        #expect(try scope.collection(name: "a") == nil && scope.collection(name: "b") != nil)
        try database.deleteCollection(name: "b", scope: "s")
        #expect(try other.database.scope(name: "s") == nil)
        #expect(try scope.collections().isEmpty)
    }

    @Test("a collection made anew under its old name is another one; the old object stays what it is: gone")
    func madeAnew() throws {
        let old = try database.createCollection(name: "c")
        let document = try old.save(document: MutableDocument(id: "a"))
        let other = try test.reopened()
        try other.database.deleteCollection(name: "c")
        let new = try database.createCollection(name: "c")
        #expect(new != old && new.fullName == old.fullName)
        #expect(try new.count == 0 && new.lastSequence == 0)
        for call in [
            { _ = try old.document(id: "a") }, { try old.save(document: MutableDocument(id: "b")) },
            { try old.delete(document: document) }, { try old.purge(document: document) },
            { _ = try old.getDocumentExpiration(id: "a") }, { _ = try old.revisions(id: "a") },
            { _ = try old.conflictedDocumentIDs() }, { _ = try old.documents(ids: ["a"]) },
        ] as [() throws -> Void] {
            #expect(code(call) == .notOpen)
        }
        #expect(code { try new.delete(document: document) } == .invalidParameter)
        #expect(code { try new.save(document: document.toMutable()) } == .invalidParameter)
    }

    @Test("a collection's checkpoints end with it, and those of other collections don't")
    func checkpoints() throws {
        let collection = try database.createCollection(name: "c")
        try collection.save(document: MutableDocument(id: "a"))
        try collection.purge(id: "a")
        try database.createCollection(name: "empty")
        for number in [1, collection.number] {
            try database.setLocalValue(store: "checkpoints", name: "of \(number)", revision: "\(number)", value: [1])
            try database.setLocalValue(store: "peerCheckpoints", name: "\(number)/cp", revision: "1-cc 7", value: [1])
        }
        try database.deleteCollection(name: "empty")
        try database.deleteCollection(name: "c")
        #expect(try database.localValue(store: "checkpoints", name: "of 1") != nil)
        #expect(try database.localValue(store: "peerCheckpoints", name: "1/cp") != nil)
        #expect(try database.localValue(store: "checkpoints", name: "of \(collection.number)") == nil)
        #expect(try database.localValue(store: "peerCheckpoints", name: "\(collection.number)/cp") == nil)
    }

    @Test("the same id in several collections is as many documents")
    func sameID() throws {
        let collections = try ["a", "b", "c"].map { try database.createCollection(name: $0) }
        for (number, collection) in collections.enumerated() {
            try collection.save(document: MutableDocument(id: "same").setInt(number, forKey: "n"))
        }
        try collections[0].delete(id: "same")
        try collections[1].purge(id: "same")
        #expect(try collections.map { try $0.count } == [0, 0, 1])
        #expect(try collections[2].document(id: "same")?.int(forKey: "n") == 2)
        #expect(try collections.map { try $0.lastSequence } == [2, 1, 1])
    }

    @Test("hundreds of collections can be made, listed and deleted")
    func many() throws {
        let names = (0..<300).map { "c\($0)" }
        try database.write { _ in
            for name in names { try database.createCollection(name: name).save(document: MutableDocument(id: name)) }
        }
        let again = try test.reopened()
        #expect(try Set(again.database.collections().map(\.name)) == Set(names + ["_default"]))
        try again.database.write { _ in for name in names { try again.database.deleteCollection(name: name) } }
        #expect(try database.collections().map(\.name) == ["_default"])
        #expect(try database.integrityFindings().isEmpty)
    }
}

@Suite("listeners among each other")
struct ListenerTests {
    private let test: TestDatabase
    private let heard = Heard()

    private final class Heard: Sendable {
        private let texts = Mutex<[String]>([])
        func add(_ text: String) { texts.withLock { $0.append(text) } }
        var all: [String] { texts.withLock { $0 } }

        func wait(for count: Int) async { await eventually("\(count) calls") { all.count >= count } }
    }

    init() throws { test = try TestDatabase() }

    @Test("each registration is called for itself, and only for its collection and document")
    func registrations() async throws {
        let heard = heard
        let (one, two) = (try test.collection, try await test.database.createCollection(name: "two"))
        let listener: @Sendable (String) -> @Sendable (CollectionChange) -> Void = { name in
            { change in for id in change.documentIDs { heard.add("\(name) \(id)") } }
        }
        let tokens = [
            one.addChangeListener(listener: listener("first")), one.addChangeListener(listener: listener("second")),
            two.addChangeListener(listener: listener("two")),
            one.addDocumentChangeListener(id: "b") { heard.add("document \($0.documentID)") },
        ]
        try await one.save(document: MutableDocument(id: "a"))
        await heard.wait(for: 2)
        try await two.save(document: MutableDocument(id: "b"))
        await heard.wait(for: 3)
        try await one.save(document: MutableDocument(id: "b"))
        await heard.wait(for: 6)
        let expected: Set = ["first a", "second a", "two b", "first b", "second b", "document b"]
        #expect(Set(heard.all) == expected && heard.all.count == 6)
        for token in tokens { token.remove() }
    }

    @Test("a batch is told of once it is committed, all of it; one that fails isn't")
    func batches() async throws {
        struct Stop: Error {}
        let (heard, collection) = (heard, try test.collection)
        let token = collection.addChangeListener { change in for id in change.documentIDs { heard.add(id) } }
        #expect(throws: Stop.self) {
            try test.database.inBatch {
                try collection.save(document: MutableDocument(id: "never"))
                throw Stop()
            }
        }
        try await test.database.write { _ in
            for id in ["a", "b", "c"] { try collection.save(document: MutableDocument(id: id)) }
            try collection.delete(id: "b")
            // Nobody can have heard of what isn't committed.
            #expect(heard.all.isEmpty)
        }
        await heard.wait(for: 3)
        #expect(Set(heard.all) == ["a", "b", "c"])
        token.remove()
    }

    @Test("a listener may read, write and remove itself")
    func inside() async throws {
        let (heard, collection) = (heard, try test.collection)
        let token = Mutex<ListenerToken?>(nil)
        let box = TokenBox(token)
        let made = collection.addChangeListener { change in
            guard change.documentIDs.contains("a") else { return }
            do {
                let count = try collection.count
                try collection.save(document: MutableDocument(id: "from the listener"))
                box.remove()
                heard.add("\(count)")
            } catch {
                heard.add("\(error)")
            }
        }
        box.set(made)
        try await collection.save(document: MutableDocument(id: "a"))
        await heard.wait(for: 1)
        #expect(heard.all == ["1"])
        #expect(try await collection.document(id: "from the listener") != nil)
    }

    private final class TokenBox: Sendable {
        private let token: Mutex<ListenerToken?>
        init(_ token: consuming Mutex<ListenerToken?>) { self.token = token }
        func set(_ new: ListenerToken) { token.withLock { $0 = new } }
        func remove() { token.withLock { $0 }?.remove() }
    }
}
