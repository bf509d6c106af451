import Foundation
import GRDB
import SealiteCrypto
import SealiteFile
import SealiteGRDB
import Synchronization
import Testing

@testable import SealiteDatabase

@Suite("databases, scopes and collections")
struct DatabaseTests {
    @Test("what was saved is there after closing and opening again")
    func reopen() throws {
        let first = try TestDatabase()
        try first.collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        let uuid = try first.database.publicUUID()
        try first.database.close()
        let second = try first.reopened()
        #expect(try second.collection.document(id: "a")?.int(forKey: "x") == 1)
        #expect(try second.database.publicUUID() == uuid)
    }

    @Test("opening a database and reading it writes nothing: the file stays as it is, byte by byte")
    func openingWritesNothing() throws {
        let first = try TestDatabase()
        try first.collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        let path = try #require(first.database.path)
        try first.database.close()
        let before = try Data(contentsOf: URL(filePath: path))
        let second = try first.reopened()
        #expect(try second.collection.document(id: "a")?.int(forKey: "x") == 1)
        #expect(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int == 0)
        try second.database.close()
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test("after close every call throws notOpen, the path is gone, and closing again does nothing")
    func useAfterClose() async throws {
        let test = try TestDatabase()
        let collection = try test.collection
        let document = try await collection.save(document: MutableDocument(id: "a"))
        #expect(test.database.path != nil)
        try await test.database.close()
        try await test.database.close()
        #expect(test.database.path == nil)
        #expect(code { _ = try collection.document(id: "a") } == .notOpen)
        #expect(code { try collection.save(document: MutableDocument()) } == .notOpen)
        #expect(code { try collection.delete(document: document) } == .notOpen)
        #expect(code { _ = try collection.count } == .notOpen)
        #expect(code { try test.database.write { _ in } } == .notOpen)
        #expect(code { try test.database.read {} } == .notOpen)
        #expect(code { _ = try test.database.scopes() } == .notOpen)
        #expect(code { try test.database.performMaintenance(type: .compact) } == .notOpen)
        await #expect(throws: SealiteDatabase.DatabaseError.self) { try await collection.document(id: "a") }
        await #expect(throws: SealiteDatabase.DatabaseError.self) { try await test.database.write { _ in } }
    }

    @Test("a database can't be closed from inside its own transaction or read")
    func closeInside() throws {
        let test = try TestDatabase()
        try test.database.write { _ in #expect(code { try test.database.close() } == .invalidParameter) }
        try test.database.read { #expect(code { try test.database.close() } == .invalidParameter) }
        _ = try test.database.scopes()
    }

    @Test("the default scope and collection are always there and can't be deleted")
    func defaults() throws {
        let test = try TestDatabase()
        #expect(try test.database.scopes().map(\.name) == ["_default"])
        #expect(try test.database.collections().map(\.fullName) == ["_default._default"])
        #expect(try test.database.collection(name: "_default") == test.collection)
        #expect(code { try test.database.deleteCollection(name: "_default") } == .invalidParameter)
    }

    @Test("collections are made once, listed by scope, and gone with their documents when deleted")
    func lifecycle() throws {
        let test = try TestDatabase()
        let database = test.database
        let hotels = try database.createCollection(name: "hotels", scope: "travel")
        #expect(try database.createCollection(name: "hotels", scope: "travel") == hotels)
        try database.createCollection(name: "airlines", scope: "travel")
        #expect(try database.scopes().map(\.name) == ["_default", "travel"])
        #expect(try database.scope(name: "travel")?.collections().map(\.name) == ["airlines", "hotels"])
        #expect(try database.collection(name: "none", scope: "travel") == nil)
        try hotels.save(document: MutableDocument(id: "a"))
        #expect(try test.collection.count == 0)
        try database.deleteCollection(name: "hotels", scope: "travel")
        try database.deleteCollection(name: "hotels", scope: "travel")
        #expect(code { _ = try hotels.document(id: "a") } == .notOpen)
        #expect(code { try hotels.save(document: MutableDocument()) } == .notOpen)
        #expect(code { _ = try hotels.count } == .notOpen)
        #expect(code { _ = try hotels.lastSequence } == .notOpen)
        let again = try database.createCollection(name: "hotels", scope: "travel")
        #expect(again != hotels)
        #expect(try again.count == 0)
        try database.deleteCollection(name: "hotels", scope: "travel")
        try database.deleteCollection(name: "airlines", scope: "travel")
        #expect(try database.scope(name: "travel") == nil)
    }

    @Test(
        "names that can't be used are refused",
        arguments: ["", "_a", "%a", "a b", "a.b", "é", "a/b", "a\u{0}", String(repeating: "x", count: 252)])
    func badNames(name: String) throws {
        let test = try TestDatabase()
        #expect(code { try test.database.createCollection(name: name) } == .badName)
        #expect(code { try test.database.createCollection(name: "ok", scope: name) } == .badName)
        #expect(code { _ = try test.database.collection(name: name) } == .badName)
    }

    @Test("names of 251 characters, with every allowed character, in any case", arguments: ["a", "A-_%9"])
    func goodNames(name: String) throws {
        let test = try TestDatabase()
        let long = name + String(repeating: "z", count: 251 - name.utf8.count)
        for name in [name, long, name.lowercased(), name.uppercased()] {
            let collection = try test.database.createCollection(name: name, scope: name)
            #expect(collection.fullName == "\(name).\(name)")
        }
    }

    @Test("two databases on one file see each other's commits and collections")
    func twoDatabases() throws {
        let first = try TestDatabase()
        let second = try first.reopened()
        try first.collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "x"))
        #expect(try second.collection.document(id: "a")?.int(forKey: "x") == 1)
        let copy = try #require(try second.collection.document(id: "a")).toMutable()
        try second.collection.save(document: copy.setInt(2, forKey: "x"))
        #expect(try first.collection.document(id: "a")?.int(forKey: "x") == 2)
        try first.collection.save(document: MutableDocument(id: "b"))
        #expect(try first.collection.document(id: "b")?.sequence == 3)
        let made = try first.database.createCollection(name: "c")
        #expect(try second.database.collection(name: "c")?.number == made.number)
    }

    @Test("a database of something else is refused, and so is one of a later version")
    func foreignFiles() throws {
        let folder = try TemporaryFolder()
        let queue = try TestDatabase.file(folder.path + "/test.db").makeQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        try queue.close()
        #expect(code { _ = try TestDatabase(in: folder) } == .wrongFormat)
        let test = try TestDatabase()
        try test.database.writer.withoutTransaction {
            try $0.execute(sql: "PRAGMA user_version = \(FormatTables.version + 1)")
        }
        try test.database.close()
        #expect(code { _ = try test.reopened() } == .databaseTooNew)
    }

    @Test("making, opening with the wrong key, looking for and deleting a file")
    func files() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/notes.db"
        #expect(!SealiteDatabase.Database.exists(at: path))
        #expect(code { try SealiteDatabase.Database.delete(at: path) } == .notFound)
        let database = try SealiteDatabase.Database.create(path, slot: .rawKey(testKey(1)))
        try database.defaultCollection().save(document: MutableDocument(id: "a"))
        try database.close()
        #expect(SealiteDatabase.Database.exists(at: path))
        #expect(throws: SealedFileError(.wrongKey, "")) {
            _ = try SealiteDatabase.Database.open(path, key: .rawKey(testKey(2)))
        }
        let again = try SealiteDatabase.Database.open(path, key: .rawKey(testKey(1)))
        #expect(try again.defaultCollection().count == 1)
        try Data([1]).write(to: URL(filePath: path + "-rotate"))
        try again.delete()
        #expect(!SealiteDatabase.Database.exists(at: path))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        #expect(code { try again.delete() } == .notOpen)
    }

    @Test("a copy has everything, UUIDs of its own and a key of its own")
    func copying() throws {
        let test = try TestDatabase()
        try test.collection.save(
            document: MutableDocument(id: "a").setBlob(Blob(contentType: nil, bytes: [1, 2]), forKey: "b"))
        try test.collection.save(document: MutableDocument(id: "d"))
        try test.collection.delete(id: "d")
        let path = test.folder.path + "/copy.db"
        try test.database.copy(to: path, slot: .rawKey(testKey(8)))
        let copy = try SealiteDatabase.Database.open(path, key: .rawKey(testKey(8)))
        #expect(try copy.defaultCollection().document(id: "a")?.blob(forKey: "b")?.content == Data([1, 2]))
        #expect(try copy.defaultCollection().changes(since: 0) == test.collection.changes(since: 0))
        #expect(try copy.publicUUID() != test.database.publicUUID())
        #expect(try copy.privateUUID() != test.database.privateUUID())
        #expect(try copy.previousPrivateUUID() == test.database.privateUUID())
        #expect(throws: SealedFileError(.exists, "")) {
            try test.database.copy(to: path, slot: .rawKey(testKey(8)))
        }
    }

    @Test("a copy has no name before its UUIDs are its own, and leaves nothing where it fails")
    func copyAppears() throws {
        let test = try TestDatabase()
        try test.collection.save(document: MutableDocument(id: "a"))
        let path = test.folder.path + "/copy.db"
        let identity = try test.database.privateUUID()
        let drafts = Mutex<[String]>([])
        let watch: @Sendable (NewFile.PublicationStep) -> Void = { step in
            guard case .synced = step else { return }
            let names = (try? FileManager.default.contentsOfDirectory(atPath: test.folder.path)) ?? []
            drafts.withLock { $0 += names.filter { $0.contains("copy.db") } }
            // What a crash at this moment would leave.
            for name in names where name.contains(NewFile.marker) {
                try? FileManager.default.copyItem(
                    atPath: "\(test.folder.path)/\(name)", toPath: test.folder.path + "/crashed.db")
            }
        }
        try NewFile.$onPublication.withValue(watch) { try test.database.copy(to: path, slot: .rawKey(testKey(8))) }
        #expect(drafts.withLock { $0.count == 1 && $0[0].contains(NewFile.marker) })
        let crashed = try SealiteDatabase.Database.open(test.folder.path + "/crashed.db", key: .rawKey(testKey(8)))
        #expect(try crashed.privateUUID() != identity && crashed.previousPrivateUUID() == identity)
        #expect(try crashed.defaultCollection().document(id: "a") != nil)
        #expect(throws: SealedFileError.self) {
            try test.database.copy(to: test.folder.path + "/none/copy.db", slot: .rawKey(testKey(8)))
        }
        try test.database.close()
        #expect(
            code { try test.database.copy(to: test.folder.path + "/late.db", slot: .rawKey(testKey(8))) } == .notOpen)
        let left = try FileManager.default.contentsOfDirectory(atPath: test.folder.path)
        #expect(left.allSatisfy { !$0.contains(NewFile.marker) && !$0.contains("late") }, "\(left)")
    }

    @Test("nothing that was stored can be found in the files")
    func nothingInClear() throws {
        let test = try TestDatabase()
        let marker = "marker-\(UUID().uuidString)"
        let blob = Blob(contentType: nil, bytes: Array(String(repeating: marker, count: 3000).utf8))
        try test.collection.save(
            document: MutableDocument(id: marker).setString(marker, forKey: marker).setBlob(blob, forKey: "b"))
        for closed in [false, true] {
            if closed { try test.database.close() }
            for name in try FileManager.default.contentsOfDirectory(atPath: test.folder.path) {
                let content = try Data(contentsOf: URL(fileURLWithPath: test.folder.path + "/" + name))
                #expect(content.range(of: Data(marker.utf8)) == nil, "\(name)")
            }
        }
    }

    @Test("enumeration pages through ids and sequences, with bounds, backwards and with tombstones")
    func enumeration() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        let ids = (0..<300).map { "d\($0)" }
        try test.database.write { _ in for id in ids { try collection.save(document: MutableDocument(id: id)) } }
        try collection.delete(id: "d7")
        var seen: [String] = []
        try collection.forEachDocument { seen.append($0.id) }
        #expect(seen == ids.filter { $0 != "d7" }.sorted())
        seen = []
        try collection.forEachDocument(in: DocumentRange(order: .idDescending, includingDeleted: true)) {
            seen.append($0.id)
        }
        #expect(seen == ids.sorted().reversed())
        seen = []
        try collection.forEachDocument(in: DocumentRange(order: .sequence, since: 290, includingDeleted: true)) {
            seen.append($0.id)
        }
        #expect(seen == ids.suffix(10) + ["d7"])
        let range = DocumentRange(from: "d10", through: "d11")
        #expect(
            try collection.documents(in: range).map(\.id) == [
                "d10", "d100", "d101", "d102", "d103", "d104", "d105", "d106", "d107", "d108", "d109", "d11",
            ])
        let first = try collection.documents(in: .prefix("d29"), limit: 4)
        #expect(first.map(\.id) == ["d29", "d290", "d291", "d292"])
        #expect(
            try collection.documents(in: .prefix("d29"), after: first.last, limit: 4).map(\.id) == [
                "d293", "d294", "d295", "d296",
            ])
    }

    @Test("a page of an enumeration ends with the document that fills it; all come, large and small")
    func largePages() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        let text = String(repeating: "x", count: 700_000)
        for id in 0..<6 {
            try collection.save(document: MutableDocument(id: "\(id)").setString(id < 4 ? text : "", forKey: "x"))
        }
        let page = try test.database.reading {
            try collection.page(DocumentRange(), after: nil, 256, byteLimit: 1 << 20, $0)
        }
        #expect(page.map(\.id) == ["0", "1"])
        var seen: [String] = []
        try collection.forEachDocument { seen.append($0.id) }
        #expect(seen == (0..<6).map(String.init))
    }

    @Test("maintenance of every kind leaves the documents as they were, and statistics count them")
    func maintenance() async throws {
        let test = try TestDatabase()
        let collection = try test.collection
        try await test.database.write { _ in
            for index in 0..<500 {
                try collection.save(
                    document: MutableDocument(id: "\(index)").setString(String(repeating: "x", count: 500), forKey: "x")
                )
            }
            for index in 100..<500 { try collection.purge(id: "\(index)") }
            try collection.delete(id: "0")
        }
        let before = try await test.database.statistics()
        for type in MaintenanceType.allCases { try await test.database.performMaintenance(type: type) }
        let after = try await test.database.statistics()
        #expect(after.byteCount < before.byteCount)
        #expect(after.freeByteCount == 0)
        #expect(after.collections.map(\.documentCount) == [99])
        #expect(after.collections.map(\.deletedCount) == [1])
        #expect(try await collection.document(id: "42")?.string(forKey: "x")?.count == 500)
        #expect(
            code { try test.database.write { _ in try test.database.performMaintenance(type: .compact) } }
                == .invalidParameter)
    }

    @Test("values that aren't replicated are trimmed by their size in bytes, those without a time first")
    func trimmedLocalValues() throws {
        let test = try TestDatabase()
        let revisions = [
            ("1", "1-cc 1700000050"), ("2", nil), ("3", "9-cc"), ("éééééééééé", "1-cc 1700000060"),
        ]
        for (name, revision) in revisions {
            try test.database.setLocalValue(store: "s", name: name, revision: revision, value: [1])
        }
        func trim(byteCount: Int, since time: UInt64 = 0, atMost limit: Int = 10) throws -> [String] {
            _ = try test.database.trimLocalValues(
                store: "s", keeping: "", count: 10, byteCount: byteCount, savedSince: time, atMost: limit)
            return try ["1", "2", "3", "éééééééééé"].filter {
                try test.database.localValue(store: "s", name: $0) != nil
            }
        }
        #expect(try trim(byteCount: 100).count == 4)
        // The names and values have 17 characters, but 27 bytes.
        #expect(try trim(byteCount: 26) == ["1", "éééééééééé"])
        #expect(try trim(byteCount: 100, since: 1_700_000_055) == ["éééééééééé"])
    }

    @Test("the integrity check finds a damaged body, tree and revision")
    func integrityFindings() throws {
        let test = try TestDatabase()
        for id in ["a", "b", "c"] {
            let document = MutableDocument(id: id).setInt(1, forKey: "x")
            try test.collection.save(document: document)
            try test.collection.save(document: document.setInt(2, forKey: "x"))
        }
        #expect(try test.database.integrityFindings().isEmpty)
        try test.database.writer.withoutTransaction { connection in
            try connection.execute(sql: "UPDATE documents_1 SET body = x'FF' WHERE id = 'a'")
            try connection.execute(sql: "UPDATE documents_1 SET tree = x'0105' WHERE id = 'b'")
            try connection.execute(sql: "UPDATE documents_1 SET revision = x'' WHERE id = 'c'")
        }
        #expect(try test.database.integrityFindings().count == 3)
        #expect(code { try test.database.performMaintenance(type: .integrityCheck) } == .corruptData)
    }
}
