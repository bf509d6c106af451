import Foundation
import SealiteFile
import SealiteRevisions
import Testing

@testable import SealiteDatabase

@Suite("a database of revision trees that is upgraded to version vectors")
struct VersionUpgradeTests {
    /// Documents of the test of many documents: as many as an upgrade has to manage in the long form (`SEALITE_SOAK=1`).
    private static let manyDocuments =
        ProcessInfo.processInfo.environment["SEALITE_SOAK"] == "1" ? 100_000 : 1_000

    private func upgraded(_ test: TestDatabase) throws -> TestDatabase {
        try test.database.upgradeToVersionVectors()
        let again = try test.reopened()
        #expect(again.database.versioning == .vectors)
        return again
    }

    private func history(_ id: String, in test: TestDatabase) throws -> String {
        let record = try test.database.reading { try test.collection.revisionRecord(id, $0) }
        return try #require(record).tree.history(at: 0).text
    }

    @Test("documents keep their ids until their next change, which is proven to descend from them")
    func keepsIDs() throws {
        let test = try TestDatabase()
        let first = try test.collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "v"))
        let second = try test.collection.save(document: first.toMutable().setInt(2, forKey: "v"))
        try test.collection.save(document: MutableDocument(id: "gone"))
        try test.collection.delete(id: "gone")
        let tombstone = try #require(try test.collection.revisions(id: "gone").first?.id.description)
        let upgraded = try upgraded(test)
        let collection = try upgraded.collection
        #expect(try collection.document(id: "a")?.revisionID == second.revisionID)
        #expect(try collection.revisions(id: "a").map(\.id.description) == [second.revisionID, first.revisionID])
        let third = try collection.save(
            document: #require(try collection.document(id: "a")).toMutable().setInt(3, forKey: "v"))
        #expect(third.revisionID.contains("@"))
        #expect(try history("a", in: upgraded) == "\(third.revisionID); \(second.revisionID), \(first.revisionID)")
        let again = try collection.save(document: MutableDocument(id: "gone"))
        #expect(try history("gone", in: upgraded).hasPrefix("\(again.revisionID); \(tombstone)"))
        #expect(try upgraded.database.integrityFindings().isEmpty)
        // The second upgrade changes nothing.
        let before = try upgraded.database.reading { try FormatTables.property("source", in: $0) }
        let last = try self.upgraded(upgraded)
        #expect(try last.database.reading { try FormatTables.property("source", in: $0) } == before)
    }

    @Test("a conflict from before is resolved by a version that knows both sides")
    func conflict() throws {
        let test = try TestDatabase()
        let remote = try test.database.remoteNumber("ws://remote/db")
        let mine = try test.collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "v"))
        let incoming = IncomingRevision(documentID: "a", version: Version("1-abcd"), body: Array("{}".utf8))
        #expect(try test.collection.insert(incoming, remote: remote) == .conflict)
        let upgraded = try upgraded(test)
        #expect(try upgraded.collection.conflictedDocumentIDs() == ["a"])
        let merged = try upgraded.collection.resolveConflict(
            id: "a", revision: #require(RevisionID("1-abcd")), expecting: nil,
            resolution: .merged(MutableDocument(id: "a").setInt(9, forKey: "v")))
        let ids = try #require(try history("a", in: upgraded).split(separator: "; ").last).split(separator: ", ")
        #expect(merged.revisionID.contains("@") && Set(ids.map(String.init)) == [mine.revisionID, "1-abcd"])
        #expect(try !#require(try upgraded.collection.document(id: "a")).hasConflict)
        #expect(try upgraded.database.integrityFindings().isEmpty)
    }

    @Test("who has the database open as one of trees reads on, and is told to open it again at the next change")
    func openElsewhere() throws {
        let test = try TestDatabase()
        try test.collection.save(document: MutableDocument(id: "a"))
        let other = try test.reopened()
        let upgraded = try upgraded(test)
        #expect(try other.collection.document(id: "a") != nil)
        #expect(code { try other.collection.save(document: MutableDocument(id: "a")) } == .notOpen)
        #expect(code { try other.collection.purge(id: "a") } == .notOpen)
        #expect(try upgraded.collection.save(document: MutableDocument(id: "b")).revisionID.contains("@"))
        #expect(code { try upgraded.database.write { _ in try upgraded.database.upgradeToVersionVectors() } } != nil)
    }

    @Test("an upgrade writes two rows, however many documents there are")
    func manyDocuments() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        try test.database.write { _ in
            for number in 0..<Self.manyDocuments {
                try collection.save(document: MutableDocument(id: "doc-\(number)").setInt(number, forKey: "v"))
            }
        }
        func size(_ test: TestDatabase) throws -> Int64 {
            try test.database.reading { try $0.integer("PRAGMA page_count") }
        }
        let (before, sequence) = (try size(test), try collection.lastSequence)
        let upgraded = try upgraded(test)
        #expect(try size(upgraded) <= before + 1 && upgraded.collection.lastSequence == sequence)
        #expect(try Int(upgraded.collection.count) == Self.manyDocuments)
        let last = try #require(try upgraded.collection.document(id: "doc-\(Self.manyDocuments - 1)"))
        #expect(last.revisionID.hasPrefix("1-"))
    }

    @Test("what is salvaged of it has version vectors, though no document has one yet")
    func salvage() throws {
        let test = try TestDatabase()
        let first = try test.collection.save(document: MutableDocument(id: "a"))
        let upgraded = try upgraded(test)
        try upgraded.database.close()
        let path = test.folder.path + "/new.db"
        _ = try SealiteDatabase.Database.salvage(upgraded.file, to: path)
        let salvaged = try SealiteDatabase.Database(file: try TestDatabase.file(path))
        #expect(salvaged.versioning == .vectors)
        #expect(try salvaged.defaultCollection().document(id: "a")?.revisionID == first.revisionID)
    }
}
