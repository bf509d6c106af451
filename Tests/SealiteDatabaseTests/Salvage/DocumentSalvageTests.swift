import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteDatabase
@testable import SealiteFile
@testable import SealiteMaintenance

/// Whole files, never of a database that is open in this process.
enum FileBytes {
    static func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    static func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
}

@Suite("salvage of a document database")
struct DocumentSalvageTests {
    private func random(_ marked: MarkedDocuments, percent: Int, seed: UInt64) -> Set<UInt32> {
        var random = SeededRandom(seed: seed)
        return Set((1...marked.pageCount).filter { _ in random.below(100) < percent })
    }

    /// Checks what came out against what was there. Returns what is back in its own collection.
    @discardableResult
    private func check(
        _ marked: MarkedDocuments, without damaged: Set<UInt32>, _ note: String
    ) throws -> (report: SalvagedDocuments, inPlace: Set<MarkedDocuments.Key>) {
        let (report, file) = try marked.salvage()
        #expect(try file.verify().isSound, "\(note)")
        let database = try SealiteDatabase.Database(file: file)
        #expect(try database.integrityFindings() == [], "\(note)")
        let documents = try #require(report.documents)
        let found = try MarkedDocuments.contents(of: database)
        let inPlace = found.keys.filter { marked.documents[$0] != nil }
        let tombstones = Set(found.filter { $0.value.isDeleted }.keys)
        // None is invented: every document is one that was there, as it was.
        for (key, content) in found {
            let originals = marked.documents.filter { $0.key.id == key.id }.values
            #expect(originals.contains(content), "\(note): \(key)")
            if key.collection.hasPrefix("recovered.") {
                #expect(documents.unplaced.contains { $0.id == key.id && $0.collection == key.collection }, "\(note)")
            } else {
                #expect(marked.documents[key] == content, "\(note): \(key)")
            }
        }
        // Every document whose pages are whole is back, in its place or where the report says.
        let foundIDs = Set(found.keys.map(\.id))
        let lost = marked.whole(without: damaged).filter { !foundIDs.contains($0.id) }
        #expect(lost.isEmpty, "\(note): \(lost.count), such as \(lost.prefix(3))")
        // What is missing is named, where the report says that it names all.
        for collection in documents.collections where collection.isMissingComplete {
            let back = Set(found.keys.filter { $0.collection == collection.fullName }.map(\.id))
            let were = Set(marked.documents.keys.filter { $0.collection == collection.fullName }.map(\.id))
            #expect(Set(collection.missing) == were.subtracting(back), "\(note): \(collection.fullName)")
        }
        for collection in documents.collections {
            let counted = found.filter { $0.key.collection == collection.fullName }
            let live = counted.filter { !tombstones.contains($0.key) }
            #expect(collection.documentCount == live.count, "\(note)")
            #expect(collection.tombstoneCount == counted.count - live.count, "\(note)")
        }
        try checkBlobs(marked, database, documents, Set(inPlace), note)
        return (documents, Set(inPlace))
    }

    /// A blob is whole, or it is listed as lost and isn't there.
    private func checkBlobs(
        _ marked: MarkedDocuments, _ database: SealiteDatabase.Database, _ report: SalvagedDocuments,
        _ inPlace: Set<MarkedDocuments.Key>, _ note: String
    ) throws {
        for (key, bytes) in marked.blobs where inPlace.contains(key) {
            let collection = try MarkedDocuments.collection(key.collection, in: database)
            let blob = try #require(try collection.document(id: key.id)?.blob(forKey: "blob"), "\(note): \(key)")
            let digest = try #require(blob.digest)
            let content = try? blob.content
            let isLost = report.lostBlobs.contains { $0.digest == digest }
            #expect(content == (isLost ? nil : Data(bytes)), "\(note): \(key)")
        }
    }

    @Test("an undamaged database comes out whole, and says so")
    func undamaged() throws {
        let marked = try MarkedDocuments()
        let (report, inPlace) = try check(marked, without: [], "undamaged")
        #expect(report.isComplete && !report.gaveUpCheckpoints && !report.hasNewIdentity)
        #expect(inPlace == Set(marked.documents.keys))
        #expect(report.collections.map(\.fullName).contains("notes.empty"))
        #expect(report.blobCount == marked.blobs.count)
    }

    @Test(
        "lost roots of tables lose no document: each is back in its collection, with its history, conflicts and blobs")
    func lostRoots() throws {
        let marked = try MarkedDocuments()
        var damaged: Set<UInt32> = []
        for name in ["documents_1", "documents_3", "documents_4", "blobs", "blob_chunks", "blob_references"] {
            damaged.insert(try #require(marked.roots[name]))
        }
        let before = try StoredRows(marked.path)
        try marked.damage(damaged)
        let (report, inPlace) = try check(marked, without: damaged, "roots")
        #expect(inPlace == marked.whole(without: damaged))
        #expect(inPlace.count == marked.documents.count)
        #expect(report.unplaced.isEmpty && report.lostBlobs.isEmpty)
        #expect(
            report.collections.allSatisfy { $0.missing.isEmpty && $0.isMissingComplete && $0.withoutHistory.isEmpty })
        #expect(report.collections.map(\.foundApartCount) == [250, 0, 250, 250])
        #expect(report.gaveUpCheckpoints && !report.hasNewIdentity)
        #expect(try StoredRows(marked.folder.path + "/new.db") == before)
    }

    @Test("lost roots of tables and of the indexes over their ids leave the rest to tell the collections apart")
    func lostRootsOfIndexes() throws {
        let marked = try MarkedDocuments()
        var damaged: Set<UInt32> = []
        for name in ["documents_1", "documents_3", "documents_3_id"] {
            damaged.insert(try #require(marked.roots[name]))
        }
        try marked.damage(damaged)
        let (report, inPlace) = try check(marked, without: damaged, "roots of indexes")
        #expect(inPlace.count == marked.documents.count)
        #expect(report.unplaced.isEmpty)
    }

    @Test(
        "indexes come back from the catalogue and are built from the documents; without it they leave nothing behind",
        arguments: [
            ["keys_1"], ["indexes"], ["keys_1", "keys_2", "documents_3"], ["indexes", "documents_3", "keys_2"],
            ["elements_3"], ["indexes", "elements_3", "documents_1"], ["text_4_data"],
            ["text_4_config", "documents_3"],
            ["text_4_data", "text_4_docsize", "text_4_idx", "text_4_config", "blobs", "blob_chunks"],
            ["indexes", "text_4_data"], ["indexes", "text_4_config"], ["indexes", "text_4_docsize", "documents_3"],
        ])
    func indexes(lost: [String]) throws {
        let marked = try MarkedDocuments()
        try marked.damage(Set(try lost.map { try #require(marked.roots[$0]) }))
        _ = try marked.salvage()
        let file = try SealedDatabase.open(marked.folder.path + "/new.db", key: .rawKey(testKey(7)))
        let database = try SealiteDatabase.Database(file: file)
        #expect(try database.integrityFindings() == [])
        for (name, indexes) in [
            ("notes.people", ["versions", "words"]), ("notes.places", ["two"]),
            (MarkedDocuments.collections[0], ["elements"]),
        ] {
            let collection = try MarkedDocuments.collection(name, in: database)
            #expect(try collection.indexRecords().map(\.name) == (lost.contains("indexes") ? [] : indexes))
            try collection.save(document: MutableDocument(id: "new").setInt(1, forKey: "version"))
        }
        let count = try database.scalar(
            sql:
                """
                SELECT count(*) FROM sqlite_schema
                WHERE name LIKE 'keys%' OR name LIKE 'elements%' OR name LIKE 'text%' OR name LIKE '%guard%'
                """)
        #expect(count == (lost.contains("indexes") ? 0 : 27))
        #expect(try database.integrityFindings() == [])
    }

    @Test(
        "collections that were replicated are known to be so afterwards, and others aren't", arguments: [true, false])
    func replicated(isSchemaLost: Bool) throws {
        let marked = try MarkedDocuments(documentsEach: 30)
        func open(_ path: String) throws -> SealiteDatabase.Database {
            try SealiteDatabase.Database(file: try SealedDatabase.open(path, key: .rawKey(testKey(7))))
        }
        var database = try open(marked.path)
        try MarkedDocuments.collection("notes.people", in: database).noteReplication()
        try database.close()
        try marked.damage(isSchemaLost ? [1] : [try #require(marked.roots["documents_1"])])
        _ = try marked.salvage()
        database = try open(marked.folder.path + "/new.db")
        #expect(try MarkedDocuments.collection("notes.people", in: database).isReplicated())
        #expect(try !MarkedDocuments.collection("notes.places", in: database).isReplicated())
        try database.close()
    }

    @Test(
        "documents that are synced one by one are so afterwards, with their unsent writes and pauses",
        arguments: ["documents_1", "local_values", "documents_1 local_values"])
    func synced(lost: String) throws {
        let marked = try MarkedDocuments(documentsEach: 30)
        func open(_ path: String) throws -> SyncedDocuments {
            let file = try SealedDatabase.open(path, key: .rawKey(testKey(7)))
            return SyncedDocuments(try SealiteDatabase.Database(file: file).defaultCollection())
        }
        var documents = try open(marked.path)
        var (collection, database) = (documents.collection, documents.collection.database)
        let ids = (1...30).map { MarkedDocuments.id("d", $0) }
        let remote = try database.remoteNumber("wss://peer.example/notes")
        try documents.setRemote(remote)
        try documents.add(ids + ["nowhere"])
        let sent = try #require(try collection.currentRevision(id: ids[0]))
        _ = try ReplicatedCollection(collection: collection, remote: remote).markSynced([
            SyncedRevision(documentID: ids[0], version: Version(try #require(RevisionID(sent.revisionID))))
        ])
        try documents.pause(ids[1], SyncPause(code: "remoteRefused", reason: "test"))
        let before = Dictionary(uniqueKeysWithValues: try documents.records().map { ($0.id, $0.record) })
        let events = try documents.events(limit: 1_000)
        let next = try #require(try documents.space()).nextEvent
        try database.close()

        try marked.damage(Set(try lost.split(separator: " ").map { try #require(marked.roots[String($0)]) }))
        let isWhole = !lost.contains("local_values")
        let report = try #require(try marked.salvage().report.documents)
        documents = try open(marked.folder.path + "/new.db")
        (collection, database) = (documents.collection, documents.collection.database)
        let after = Dictionary(uniqueKeysWithValues: try documents.records().map { ($0.id, $0.record) })
        #expect(report.syncedDocumentCount == after.count)
        #expect(report.lostSyncState == !isWhole)
        // A damaged page takes the rows that are in it.
        #expect(Set(after.keys).isSubset(of: before.keys) && after.count >= before.count - (isWhole ? 0 : 3))
        for (id, record) in after {
            let old = before[id]
            #expect(record.pending == old?.pending && record.pause == old?.pause && record.base == old?.base, "\(id)")
        }
        #expect(after[ids[0]]?.pending == nil && after["nowhere"]?.pending == nil)
        #expect(after.values.count { $0.pending != nil } > 20)
        #expect(try documents.staleIDs().count == after.count - 1)
        let space = try #require(try documents.space())
        #expect(!space.isCaughtUp && space.remote == remote)
        #expect(isWhole ? space.nextEvent == next : space.nextEvent > next)
        #expect(try documents.events(limit: 1_000) == (isWhole ? events : []))
        try database.close()
    }

    @Test("where all that was known of the sync of documents one by one is lost, the report says so")
    func lostSync() throws {
        let marked = try MarkedDocuments(documentsEach: 30)
        let file = try SealedDatabase.open(marked.path, key: .rawKey(testKey(7)))
        let database = try SealiteDatabase.Database(file: file)
        try SyncedDocuments(try database.defaultCollection()).add([MarkedDocuments.id("d", 1)])
        try database.close()
        // So few values are all in one page.
        try marked.damage([try #require(marked.roots["local_values"])])
        let report = try #require(try marked.salvage().report.documents)
        #expect(report.syncedDocumentCount == 0 && report.lostSyncState && report.gaveUpCheckpoints)
    }

    @Test("a lost page 1 takes the schema, and the documents come back where the collections' names can be told")
    func lostPageOne() throws {
        let marked = try MarkedDocuments()
        try marked.damage([1])
        let (report, _) = try check(marked, without: [1], "page 1")
        #expect(Set(report.collections.map(\.fullName)).isSuperset(of: MarkedDocuments.collections + ["notes.empty"]))
        #expect(report.documentCount + report.collections.reduce(0) { $0 + $1.tombstoneCount } == 750)
        #expect(!report.hasNewIdentity)
    }

    @Test("the names of collections come from their index where their table is lost, and sequences aren't given twice")
    func lostNames() throws {
        let marked = try MarkedDocuments()
        try marked.damage([try #require(marked.roots["collections"])])
        let (report, inPlace) = try check(marked, without: [], "names")
        #expect(inPlace.count == marked.documents.count)
        #expect(report.collections.allSatisfy { $0.isNameKnown })
        let file = try SealedDatabase.open(marked.folder.path + "/new.db", key: .rawKey(testKey(7)))
        let database = try SealiteDatabase.Database(file: file)
        let collection = try database.defaultCollection()
        let last = try database.scalar(sql: "SELECT max(sequence) FROM documents_1")
        try collection.save(document: MutableDocument(id: "new"))
        #expect(try database.scalar(sql: "SELECT sequence FROM documents_1 WHERE id = 'new'") > last)
    }

    @Test(
        "every document whose pages are whole is back, none is invented, whatever pages are lost",
        arguments: [1, 10, 30], TestSeed.seeds(TestEnvironment.isSoak ? 4 : 1))
    func randomDamage(percent: Int, seed: UInt64) throws {
        let marked = try MarkedDocuments()
        let damaged = random(marked, percent: percent, seed: seed)
        try marked.damage(damaged)
        let (report, inPlace) = try check(marked, without: damaged, "\(percent) %, seed \(seed)")
        let whole = marked.whole(without: damaged)
        // A listed document is enough to place its whole page, where the schema still says whose the index is.
        if damaged.isDisjoint(with: marked.schemaPages) {
            let anchored = try marked.anchored(without: damaged).intersection(whole)
            #expect(anchored.count > whole.count / 4)
            let homeless = anchored.subtracting(inPlace)
            #expect(homeless.isEmpty, "\(percent) %, seed \(seed): \(homeless.count)")
        }
        #expect(report.gaveUpCheckpoints || damaged.isEmpty)
    }

    @Test("a document whose history alone is lost comes back without it")
    func lostHistory() throws {
        let marked = try MarkedDocuments()
        // A page of nothing but the end of a revision tree.
        let file = try SealedDatabase.open(marked.path, key: .rawKey(testKey(7)))
        var page: UInt32 = 0
        try file.connect().query(
            """
            SELECT pageno FROM dbstat WHERE name = 'documents_1' AND pagetype = 'overflow' ORDER BY path
            """
        ) { (row) throws(SealedFileError) in
            let number = UInt32(row.integer(0))
            if page == 0, !marked.pages.values.contains(where: { $0.contains(number) }) { page = number }
        }
        try #require(page > 0)
        try marked.damage([page])
        let (report, inPlace) = try check(marked, without: [page], "history")
        #expect(inPlace.count == marked.documents.count)
        #expect(report.collections[0].withoutHistory.count == 1)
    }

    @Test("what was deleted doesn't come back where the freelist is lost, and is listed")
    func deletedContent() throws {
        let marked = try MarkedDocuments()
        let file = try SealedDatabase.open(marked.path, key: .rawKey(testKey(7)))
        var gone: Set<String> = []
        do {
            let connection = try file.connect()
            try connection.execute("PRAGMA journal_mode=DELETE; PRAGMA secure_delete=OFF")
            try connection.query("SELECT id FROM documents_1 WHERE sequence < 200 AND NOT flags & 4") {
                (row) throws(SealedFileError) in gone.insert(row.text(0) ?? "")
            }
            try connection.execute("DELETE FROM documents_1 WHERE sequence < 200 AND NOT flags & 4")
        }
        let trunk = UInt32(try file.connect().integer("PRAGMA freelist_count")) > 0 ? try firstTrunk(file) : 0
        try #require(trunk > 0 && !gone.isEmpty)
        try marked.damage([trunk, try #require(marked.roots["documents_1"])])
        let (report, new) = try marked.salvage()
        let documents = try #require(report.documents)
        let found = try MarkedDocuments.contents(of: try SealiteDatabase.Database(file: new))
        #expect(found.keys.allSatisfy { !gone.contains($0.id) })
        #expect(found.count == marked.documents.count - gone.count)
        // Listed with them are older copies of rows that moved to other pages.
        #expect(documents.unplaced.allSatisfy { $0.reason == (gone.contains($0.id) ? .deleted : .superseded) })
        #expect(documents.unplaced.contains { $0.reason == .deleted })
    }

    @Test("an older row of a document that is back in its collection is listed, and stays in the new file")
    func supersededContent() throws {
        let marked = try MarkedDocuments()
        let file = try SealedDatabase.open(marked.path, key: .rawKey(testKey(7)))
        do {
            // A dropped table like that of the documents, so that its pages are free and show older rows.
            let connection = try file.connect()
            var table = ""
            try connection.query(
                "SELECT replace(sql, 'documents_1', 'older') FROM sqlite_schema WHERE name = 'documents_1'"
            ) { (row) throws(SealedFileError) in table = row.text(0) ?? "" }
            try connection.execute("PRAGMA journal_mode=DELETE; PRAGMA secure_delete=OFF")
            try connection.execute(table)
            try connection.execute(
                """
                INSERT INTO older (number, sequence, id, flags, revision, expires, body, tree)
                SELECT number, 1, id, flags, revision, expires, body, tree FROM documents_1 WHERE sequence > 1
                """)
            try connection.execute("DROP TABLE older")
        }
        let trunk = try firstTrunk(file)
        try #require(trunk > 0)
        try marked.damage([trunk, try #require(marked.roots["documents_1"])])
        let (report, new) = try marked.salvage()
        let documents = try #require(report.documents)
        let superseded = documents.unplaced.filter { $0.reason == .superseded }
        #expect(!superseded.isEmpty && superseded.allSatisfy { $0.sequence == 1 })
        #expect(try new.connect().integer("SELECT count(*) FROM lost_and_found WHERE nfield = 8 AND c2 = 1") > 0)
        #expect(documents.collections.allSatisfy { $0.withoutHistory.isEmpty })
        let found = try MarkedDocuments.contents(of: try SealiteDatabase.Database(file: new))
        #expect(found.count == marked.documents.count)
    }

    private func firstTrunk(_ file: SealedDatabase) throws -> UInt32 {
        let damaged = try DamagedFile(path: file.path, ring: file.ring, vfs: "unix", log: nil)
        return try #require(damaged.pages.text(1)).bigEndian32(at: 32)
    }

    /// Turns a bit in the root pages of these tables of a database that isn't open.
    private func damageRoots(of names: [String], in path: String) throws {
        let file = try TestDatabase.file(path)
        var bytes = try FileBytes.read(path)
        do {
            let connection = try file.connect()
            for name in names {
                let root = try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'")
                bytes[HeaderLayout.regionByteCount + Int(root - 1) * file.pageSize + 33] ^= 1
            }
        }
        try FileBytes.write(bytes, path)
    }

    @Test(
        "documents that two collections list alike come back, each once, where nobody takes one for the other's",
        arguments: [nil, "documents_2"] as [String?])
    func twins(taken: String?) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/twins.db"
        do {
            let database = try SealiteDatabase.Database(file: try TestDatabase.file(path))
            for collection in [try database.defaultCollection(), try database.createCollection(name: "other")] {
                for number in 1...200 {
                    let text = String(repeating: "\(collection.name) ", count: 20)
                    try collection.save(document: MutableDocument(id: "note-\(number)").setString(text, forKey: "text"))
                }
            }
            if let taken { try database.createCollection(name: taken, scope: "recovered") }
            try database.close()
        }
        try damageRoots(of: ["documents_1", "documents_2"], in: path)
        let report = try SealiteDatabase.Database.salvage(try TestDatabase.file(path), to: folder.path + "/new.db")
        let documents = try #require(report.documents)
        #expect(documents.documentCount == 400)
        #expect(documents.unplaced.count == 400)
        #expect(documents.unplaced.allSatisfy { $0.reason == .unknownCollection })
        let database = try SealiteDatabase.Database(file: try TestDatabase.file(folder.path + "/new.db"))
        #expect(try database.integrityFindings() == [])
        let second = taken == nil ? "documents_2" : "documents_3"
        #expect(Set(documents.unplaced.map(\.collection)) == ["recovered.documents", "recovered.\(second)"])
        #expect(
            try Set(database.collections(scope: "recovered").map(\.name)) == ["documents", "documents_2", second])
    }

    @Test("a collection whose name is lost gets a name that no other collection has")
    func takenName() throws {
        let marked = try MarkedDocuments(documentsEach: 30)
        let file = try SealedDatabase.open(marked.path, key: .rawKey(testKey(7)))
        try file.connect().execute(
            """
            UPDATE collections SET scope = 'recovered', name = 'collection_4' WHERE number = 3;
            DELETE FROM collections WHERE number = 4
            """)
        try marked.damage([try #require(marked.roots["documents_1"])])
        let report = try #require(try marked.salvage().report.documents)
        let recovered = report.collections.filter { $0.scope == "recovered" }
        #expect(recovered.map(\.name) == ["collection_4", "collection_4_2"])
        #expect(recovered.map(\.isNameKnown) == [true, false])
        #expect(recovered.allSatisfy { $0.documentCount > 0 })
    }

    @Test("a database that was never replicated has no checkpoints and no state of sync to lose")
    func neverReplicated() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/alone.db"
        let database = try SealiteDatabase.Database(file: try TestDatabase.file(path))
        try database.defaultCollection().save(document: MutableDocument(id: "note"))
        try database.close()
        try damageRoots(of: ["documents_1", "local_values"], in: path)
        let report = try SealiteDatabase.Database.salvage(try TestDatabase.file(path), to: folder.path + "/new.db")
        let documents = try #require(report.documents)
        #expect(!documents.gaveUpCheckpoints && !documents.lostSyncState)
    }

    @Test("a sealed database that holds something else is salvaged as ever")
    func somethingElse() throws {
        let folder = try TemporaryFolder()
        let file = try TestDatabase.file(folder.path + "/plain.db")
        try file.connect().execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        let report = try SealiteDatabase.Database.salvage(file, to: folder.path + "/new.db")
        #expect(report.isComplete && report.documents == nil)
        #expect(report.file.tables.map(\.name) == ["t"])
    }
}

/// Every row of the tables that documents are kept in.
struct StoredRows: Equatable {
    private var rows: [String: [[String]]] = [:]

    init(_ path: String) throws {
        let connection = try SealedDatabase.open(path, key: .rawKey(testKey(7))).connect()
        for table in ["properties", "remotes", "blob_references"] + (1...4).map({ "documents_\($0)" }) {
            rows[table] = try Self.rows("SELECT * FROM \(table)", connection)
        }
        rows["blobs"] = try Self.rows("SELECT number, digest, length FROM blobs", connection)
        rows["blob_chunks"] = try Self.rows("SELECT position, length(data) FROM blob_chunks", connection)
    }

    private static func rows(_ sql: String, _ connection: RawConnection) throws -> [[String]] {
        var rows: [[String]] = []
        try connection.query(sql) { (row) throws(SealedFileError) in
            rows.append((0..<row.columnCount).map { row.kind($0) == .blob ? row.blob($0).hex : row.text($0) ?? "NULL" })
        }
        return rows
    }
}
