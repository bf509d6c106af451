import Foundation
import SealiteFile
import Testing

@testable import SealiteDatabase
@testable import SealiteTestSupport

@Suite("transactions that are rolled back")
struct RolledBackTests {
    struct Stop: Error {}

    @Test(
        "what is done after a failure that ended the transaction underneath is refused, not stored by itself",
        arguments: [Fault.Style.full, .error])
    func endedUnderneath(style: Fault.Style) throws {
        let disk = MemoryDisk()
        let vfs = try TestVFS(name: "ended, \(style), below", disk: disk)
        let choice = VFSChoice(name: "ended, \(style), sealed", base: vfs.name)
        let file = try SealedDatabase.create("/documents.db", slot: .rawKey(testKey(7)), vfs: choice)
        var configuration = DatabaseConfiguration()
        // So little that a large document is written to the log before the transaction ends.
        configuration.writeCacheByteCount = 64 * 1024
        let database = try SealiteDatabase.Database(file: file, configuration: configuration)
        let collection = try database.defaultCollection()
        try collection.save(document: MutableDocument(id: "before"))
        let text = String(repeating: "x", count: 600_000)
        var refusals = 0
        for number in 1...60 {
            let known = try collection.changes(since: 0).map(\.id)
            vfs.tap.arm(Fault(style, number: number))
            var stored: [String] = []
            var isRefused = false
            let failure = code {
                try database.write { _ in
                    for id in ["large-\(number)", "small-\(number)"] {
                        let document = MutableDocument(id: id)
                        if id.hasPrefix("large") { document.setString(text, forKey: "x") }
                        switch code({ try collection.save(document: document) }) {
                        case nil: stored.append(id)
                        case .transactionLost: isRefused = true
                        default: vfs.tap.disarm()
                        }
                    }
                    // Neither does a nested transaction, or a read.
                    if isRefused {
                        #expect(code { try database.write { _ in } } == .transactionLost)
                        #expect(code { _ = try collection.document(id: "before") } == .transactionLost)
                    }
                }
            }
            let strikes = vfs.tap.strikes
            vfs.tap.disarm()
            let now = try collection.changes(since: 0).map(\.id)
            #expect(now == (failure == nil ? known + stored : known), "\(number): \(String(describing: failure))")
            refusals += isRefused ? 1 : 0
            if failure == nil, strikes == 0 { break }
        }
        #expect(refusals > 0)
        try database.close()
    }

    @Test("a statement that a rollback has ended reports that the transaction is lost")
    func statementInProgress() throws {
        let test = try TestDatabase()
        for id in ["a", "b"] { try test.collection.save(document: MutableDocument(id: id)) }
        let failure = code {
            try test.database.writer.perform(test.database) { transaction in
                // A rollback ends statements that read only if the transaction has changed the schema.
                try transaction.connection.run("CREATE TABLE changed (a)")
                let statement = try PreparedStatement(transaction.connection, "SELECT id FROM documents_1")
                _ = try statement.step()
                transaction.connection.endTransaction("ROLLBACK")
                _ = try statement.step()
            }
        }
        #expect(failure == .transactionLost)
    }

    @Test("a document saved in a transaction that was rolled back is again the edit that it was")
    func baseComesBack() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        let edited = try collection.save(document: MutableDocument(id: "a")).toMutable().setInt(1, forKey: "x")
        let fresh = MutableDocument(id: "b")
        let before = edited.revisionID
        for _ in 0..<3 {
            #expect(throws: Stop.self) {
                try test.database.write { _ in
                    for document in [edited, fresh, edited] {
                        #expect(try collection.save(document: document, concurrencyControl: .failOnConflict).isSaved)
                    }
                    #expect(edited.revisionID?.hasPrefix("3-") == true)
                    throw Stop()
                }
            }
            #expect(edited.revisionID == before && fresh.revisionID == nil && fresh.sequence == 0)
        }
        #expect(try collection.save(document: edited, concurrencyControl: .failOnConflict).isSaved)
        #expect(try collection.save(document: fresh, concurrencyControl: .failOnConflict).isSaved)
        #expect(try collection.save(document: edited, concurrencyControl: .failOnConflict).isSaved)
        #expect(try collection.document(id: "a")?.revisionID == edited.revisionID)
    }

    @Test("of nested transactions only those that were rolled back are forgotten")
    func nested() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        let document = MutableDocument(id: "a")
        var revisions: [String?] = []
        try test.database.write { _ in
            try collection.save(document: document)
            revisions.append(document.revisionID)
            for _ in 0..<3 {
                _ = try? test.database.write { _ in
                    try collection.save(document: document)
                    try test.database.write { _ in try collection.save(document: document) }
                    #expect(document.revisionID?.hasPrefix("3-") == true)
                    throw Stop()
                }
                #expect(document.revisionID == revisions.last)
            }
            for _ in 0..<3 { try test.database.write { _ in try collection.save(document: document) } }
            revisions.append(document.revisionID)
        }
        #expect(revisions[1]?.hasPrefix("4-") == true && document.revisionID == revisions[1])
        _ = try? test.database.write { _ in
            for _ in 0..<3 { try test.database.write { _ in try collection.save(document: document) } }
            throw Stop()
        }
        #expect(document.revisionID == revisions[1])
        #expect(try collection.save(document: document, concurrencyControl: .failOnConflict).isSaved)
    }

    @Test("a hundred thousand nested saves of one document need no memory of each")
    func manyNested() throws {
        let test = try TestDatabase()
        let (collection, document) = (try test.collection, MutableDocument(id: "a"))
        try test.database.write { _ in
            for _ in 0..<(TestEnvironment.isSoak ? 100_000 : 3000) {
                try test.database.write { _ in try collection.save(document: document) }
            }
        }
        #expect(document.historyLength <= 2)
    }
}
