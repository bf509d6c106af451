import Testing

@testable import SealiteDatabase

@Suite("saving a document that was changed meanwhile")
struct ConflictTests {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
    }

    /// Two edits of one document, the first one saved.
    private func staleEdit() throws -> MutableDocument {
        try collection.save(document: MutableDocument(id: "a").setInt(0, forKey: "v"))
        let first = try #require(try collection.document(id: "a")).toMutable()
        let second = try #require(try collection.document(id: "a")).toMutable()
        try collection.save(document: first.setInt(1, forKey: "v"))
        return second.setInt(2, forKey: "v")
    }

    @Test("the last writer wins by default, on top of the other's revision")
    func lastWriteWins() throws {
        let saved = try collection.save(document: try staleEdit())
        #expect(saved.revisionID.hasPrefix("3-"))
        #expect(try collection.document(id: "a")?.int(forKey: "v") == 2)
        #expect(try collection.revisions(id: "a").count == 3)
    }

    @Test("fail on conflict stores nothing and hands over what is there")
    func failOnConflict() throws {
        let stale = try staleEdit()
        guard case .conflict(let existing) = try collection.save(document: stale, concurrencyControl: .failOnConflict)
        else { return #expect(Bool(false), "the save went through") }
        #expect(existing?.int(forKey: "v") == 1)
        #expect(try collection.document(id: "a")?.int(forKey: "v") == 1)
        let fresh = try #require(existing).toMutable().setInt(3, forKey: "v")
        #expect(try collection.save(document: fresh, concurrencyControl: .failOnConflict).isSaved)
    }

    @Test("a new document conflicts with one that is there, not with a tombstone")
    func newDocument() throws {
        try collection.save(document: MutableDocument(id: "a"))
        let second = MutableDocument(id: "a").setInt(1, forKey: "v")
        #expect(try !collection.save(document: second, concurrencyControl: .failOnConflict).isSaved)
        try collection.delete(id: "a")
        #expect(try collection.save(document: second, concurrencyControl: .failOnConflict).isSaved)
    }

    @Test("an edit of a document that was deleted or purged meanwhile conflicts")
    func deletedMeanwhile() throws {
        let stale = try staleEdit()
        try collection.delete(id: "a")
        guard case .conflict(let existing) = try collection.save(document: stale, concurrencyControl: .failOnConflict)
        else { return #expect(Bool(false), "the save went through") }
        #expect(existing == nil)
        try collection.purge(id: "a")
        #expect(try !collection.save(document: stale, concurrencyControl: .failOnConflict).isSaved)
        #expect(try collection.save(document: stale).revisionID.hasPrefix("1-"))
    }

    @Test("a handler may merge, keep or give up; it is not called without a conflict")
    func handler() throws {
        let stale = try staleEdit()
        let kept = try collection.save(document: stale) { _, _ in false }
        #expect(!kept.isSaved)
        #expect(try collection.document(id: "a")?.int(forKey: "v") == 1)
        let merged = try collection.save(document: stale) { mine, theirs in
            mine.setInt(mine.int(forKey: "v") + (theirs?.int(forKey: "v") ?? 0), forKey: "v")
            return true
        }
        #expect(merged.isSaved)
        #expect(try collection.document(id: "a")?.int(forKey: "v") == 3)
        let called = try collection.save(document: stale) { _, _ in
            Issue.record("called without a conflict")
            return false
        }
        #expect(called.isSaved)
    }

    @Test("a handler sees nil for a deleted document, and what it throws reaches the caller with nothing stored")
    func handlerOfDeleted() throws {
        struct Refusal: Error {}
        let stale = try staleEdit()
        try collection.delete(id: "a")
        #expect(throws: Refusal.self) {
            try collection.save(document: stale) { _, theirs in
                #expect(theirs == nil)
                throw Refusal()
            }
        }
        #expect(try collection.document(id: "a") == nil)
        #expect(try collection.lastSequence == 3)
    }

    @Test("deleting a stale document fails on conflict and succeeds when the last writer wins")
    func staleDelete() throws {
        let old = try collection.save(document: MutableDocument(id: "a"))
        try collection.save(document: old.toMutable().setInt(1, forKey: "v"))
        #expect(try !collection.delete(document: old, concurrencyControl: .failOnConflict).isSaved)
        #expect(try collection.document(id: "a") != nil)
        try collection.delete(document: old)
        #expect(try collection.document(id: "a") == nil)
    }
}
