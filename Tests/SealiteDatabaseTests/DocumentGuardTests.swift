import Foundation
import Testing

@testable import SealiteDatabase

@Suite("guards of documents")
struct DocumentGuardTests {
    struct Refused: Error {}

    /// Refuses documents with a member `refused` unless they had it before, and gives those without `kind` one.
    struct TestGuard: DocumentGuard, DocumentSaveCheck {
        let guarded: String

        func check(of collection: SealiteDatabase.Collection) throws -> (any DocumentSaveCheck)? {
            collection.name == guarded ? self : nil
        }

        func check(_ save: inout DocumentSave) throws {
            if Self.has("refused", save.body) {
                let old = try save.oldBody()
                guard let old, Self.has("refused", old) else { throw Refused() }
            }
            if !Self.has("kind", save.body) {
                save.body = try MutableDocument(object: JSONBObject(save.body)).setString("plain", forKey: "kind")
                    .encoded()
            }
        }

        func note(_ save: DocumentSave) {}

        private static func has(_ name: String, _ body: [UInt8]) -> Bool {
            JSONBObject(body).value(forKey: name, database: nil) != nil
        }
    }

    let test: TestDatabase
    let collection: SealiteDatabase.Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
        try collection.save(document: MutableDocument(id: "old").setBoolean(true, forKey: "refused"))
        test.database.install(TestGuard(guarded: "_default"), named: "test")
    }

    @Test("a save that a guard refuses changes nothing, and its error comes out as it is")
    func refusal() throws {
        let document = MutableDocument(id: "a").setBoolean(true, forKey: "refused")
        #expect(throws: Refused.self) { try collection.save(document: document) }
        #expect(try collection.count == 1)
        #expect(collection.lastSequenceOrZero == 1)
        try test.database.write { transaction in
            try transaction.save(MutableDocument(id: "b"), in: collection)
            #expect(throws: Refused.self) { try transaction.save(document, in: collection) }
        }
        #expect(try collection.count == 2)
    }

    @Test("a guard may complete the body, and the saved document has what it added")
    func completion() throws {
        let document = MutableDocument(id: "a").setInt(1, forKey: "n")
        let saved = try collection.save(document: document)
        #expect(saved.string(forKey: "kind") == "plain")
        #expect(try collection.document(id: "a")?.toJSON() == #"{"n":1,"kind":"plain"}"#)
        #expect(try collection.document(id: "a")?.revision == saved.revision)
    }

    @Test("a guard sees the body that the document has, within the transaction too")
    func oldBody() throws {
        try collection.save(document: MutableDocument(id: "old").setBoolean(false, forKey: "refused"))
        try test.database.write { transaction in
            try transaction.delete(id: "old", in: collection)
            #expect(throws: Refused.self) {
                try transaction.save(MutableDocument(id: "old").setBoolean(false, forKey: "refused"), in: collection)
            }
        }
        #expect(try collection.document(id: "old") == nil)
    }

    @Test("revisions of peers, deletions and purges pass no guard, nor do other collections")
    func unguarded() throws {
        let version = Version("1-" + String(repeating: "a", count: 40))
        try collection.insert(
            IncomingRevision(documentID: "remote", version: version, body: Array(#"{"refused":1}"#.utf8)))
        #expect(try collection.document(id: "remote")?.toJSON() == #"{"refused":1}"#)
        try collection.delete(id: "remote")
        try collection.purge(id: "old")
        let other = try test.database.createCollection(name: "other")
        try other.save(document: MutableDocument(id: "a").setBoolean(true, forKey: "refused"))
        #expect(try other.document(id: "a")?.toJSON() == #"{"refused":true}"#)
    }

    @Test("a move to another id that a guard refuses leaves the document where it was, within the transaction too")
    func refusedMove() throws {
        let stored = try #require(try collection.storedDocument(id: "old"))
        try test.database.write { _ in
            #expect(throws: Refused.self) { _ = try collection.move(stored, to: "new", body: stored.body) }
        }
        #expect(try collection.document(id: "old")?.sequence == stored.sequence.magnitude)
        #expect(try collection.document(id: "new") == nil)
    }

    @Test("a conflict is told before a guard looks")
    func conflict() throws {
        let stale = try #require(try collection.document(id: "old")).toMutable()
        try collection.save(document: MutableDocument(id: "old").setInt(1, forKey: "n"))
        let outcome = try collection.save(
            document: stale.setInt(2, forKey: "refused"), concurrencyControl: .failOnConflict)
        #expect(!outcome.isSaved)
    }

    @Test("a guard of the same name takes the place of the other, and a transaction can do without")
    func installing() throws {
        let refused = MutableDocument(id: "a").setBoolean(true, forKey: "refused")
        test.database.install(TestGuard(guarded: "other"), named: "test")
        try collection.save(document: refused)
        test.database.install(TestGuard(guarded: "_default"), named: "test")
        let again = MutableDocument(id: "b").setBoolean(true, forKey: "refused")
        try test.database.write { transaction in
            try transaction.withoutGuards { _ = try collection.save(document: again) }
            #expect(throws: Refused.self) {
                try collection.save(document: MutableDocument(id: "c").setBoolean(true, forKey: "refused"))
            }
        }
        test.database.removeGuard(named: "test")
        try collection.save(document: MutableDocument(id: "d").setBoolean(true, forKey: "refused"))
        #expect(try collection.count == 4)
    }
}

extension SealiteDatabase.Collection {
    fileprivate var lastSequenceOrZero: UInt64 { (try? lastSequence) ?? 0 }
}
