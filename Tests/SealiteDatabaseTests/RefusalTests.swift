import Testing

@testable import SealiteDatabase

@Suite("what a remote refused, in the database")
struct RefusalTests {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection
    let view: ReplicatedCollection

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
        view = ReplicatedCollection(collection: collection, remote: try test.database.remoteNumber("ws://127.0.0.1/db"))
    }

    private func refusal(_ id: String, _ code: Int = 403) throws -> Refusal {
        let change = try #require(try view.change(id: id))
        return Refusal(
            documentID: id, version: change.version, sequence: change.sequence, domain: "HTTP", code: code, reason: "no"
        )
    }

    private func stored() throws -> [Refusal] { try view.refusals().map(\.refusal) }

    private func save(_ ids: String...) throws {
        for id in ids { try collection.save(document: MutableDocument(id: id).setInt(1, forKey: "n")) }
    }

    @Test("refusals are there after the database is opened again")
    func reopened() throws {
        try save("a")
        #expect(try view.refusals().isEmpty && view.refusedChanges(limit: 10).isEmpty)
        try view.removeRefusals(["a"])
        #expect(try view.recordRefusals([refusal("a")]).isEmpty)
        let again = try test.reopened()
        #expect(
            try ReplicatedCollection(collection: again.collection, remote: view.remote).refusals().map(
                \.refusal.documentID) == [
                    "a"
                ])
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a refusal counts as long as the document is as it was and the remote doesn't have it")
    func validity() throws {
        try save("changed", "deleted", "kept", "purged", "there")
        let refusals = try ["changed", "deleted", "kept", "purged", "there"].map { try refusal($0) }
        #expect(try view.recordRefusals(refusals).isEmpty)
        try collection.save(document: MutableDocument(id: "changed").setInt(2, forKey: "n"))
        try collection.delete(id: "deleted")
        try collection.purge(id: "purged")
        #expect(try view.markSynced([SyncedRevision(documentID: "there", version: refusals[4].version)]).isEmpty)
        #expect(try stored() == [refusals[2]])
        #expect(try test.database.scalar(sql: "SELECT count(*) FROM refusals") == 5)
        #expect(try view.refusedChanges(limit: 10).map(\.documentID) == ["kept"])
        #expect(try test.database.scalar(sql: "SELECT count(*) FROM refusals") == 1)
        try view.removeRefusals(["kept", "none"])
        #expect(try view.refusals().isEmpty)
    }

    @Test("a refused revision is no longer taken for the remote's; one that was changed meanwhile is passed over")
    func forgetsRemote() throws {
        try save("a", "b")
        let (first, second) = (try refusal("a"), try refusal("b"))
        #expect(try view.markSynced([SyncedRevision(documentID: "a", version: first.version)]).isEmpty)
        try collection.save(document: MutableDocument(id: "b").setInt(2, forKey: "n"))
        #expect(try view.recordRefusals([first, second]).isEmpty)
        #expect(try view.change(id: "a")?.remoteVersion == nil)
        #expect(try stored().map(\.documentID) == ["a"])
        #expect(try view.recordRefusals([refusal("a", 500)]).isEmpty)
        #expect(try stored().map(\.code) == [500])
    }

    @Test("above the limit stale ones make room, and what still finds none is named")
    func limit() throws {
        try save("a", "b", "c", "d")
        let all = try ["a", "b", "c", "d"].map { try refusal($0) }
        #expect(try view.recordRefusals(all, limit: 3) == [3])
        #expect(try view.recordRefusals([all[3]], limit: 3) == [0])
        // Those that are there may be refused again.
        #expect(try view.recordRefusals([all[0]], limit: 3).isEmpty)
        try collection.purge(id: "b")
        #expect(try view.recordRefusals([all[3]], limit: 3).isEmpty)
        #expect(try stored().map(\.documentID) == ["a", "c", "d"])
    }

    @Test("nothing is remembered of peers that a listener serves")
    func passive() throws {
        try save("a")
        let passive = ReplicatedCollection(collection: collection, remote: nil)
        #expect(try passive.recordRefusals([refusal("a")]).isEmpty)
        #expect(try passive.refusals().isEmpty)
        #expect(try test.database.scalar(sql: "SELECT count(*) FROM refusals") == 0)
    }

    @Test("ids that look the same are different documents")
    func exactIDs() throws {
        let ids = ["\u{C5}", "A\u{30A}", "\u{212B}"]
        for id in ids { try save(id) }
        #expect(try view.recordRefusals(ids.map { try refusal($0) }).isEmpty)
        try view.removeRefusals([ids[1]])
        #expect(try stored().map { Array($0.documentID.utf8) } == [ids[0], ids[2]].map { Array($0.utf8) })
    }
}
