import Foundation
import SealiteFile
import SealiteJSON
import SealiteMaintenance
import SealiteRevisions
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

@Suite("bases of deltas")
struct DeltaBaseTests {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection
    let remote: Int

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
        remote = try test.database.remoteNumber("ws://127.0.0.1/db")
    }

    /// A body of about 4,000 bytes, of which edits change the number.
    private static func json(_ number: Int) -> String {
        #"{"n":\#(number),"t":"\#(String(repeating: "the same words, ", count: 250))"}"#
    }

    /// Saves a document and returns its new revision.
    @discardableResult
    private func save(_ number: Int, _ id: String = "a") throws -> RevisionID {
        let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
        try document.setJSON(Self.json(number))
        return try collection.save(document: document).revision
    }

    private func push(_ revision: RevisionID, _ id: String = "a") throws {
        #expect(try collection.setRemoteRevision(id: id, revision: revision, remote: remote))
    }

    /// Pretends that a peer was served everything there is.
    private func serve() throws {
        test.database.served.note(Int64(try collection.lastSequence), collection.number)
    }

    private func record(_ id: String = "a") throws -> RevisionRecord {
        try #require(try test.database.reading { try collection.revisionRecord(id, $0) })
    }

    private func baseIDs(_ id: String = "a") throws -> [RevisionID] { try record(id).tree.bases.list.map(\.id) }

    // MARK: - The list

    @Test("random replacements keep the bodies that are wanted, byte for byte, also in their stored form")
    func random() throws {
        var random = SeededRandom(seed: 471)
        let fixed = String(repeating: "fixed words ", count: 40)
        func body(_ number: Int) throws -> [UInt8] {
            let words = (0..<Int.random(in: 5...40, using: &random)).map { _ in
                "word\(Int.random(in: 0...3, using: &random))"
            }
            let members = (0..<Int.random(in: 0...4, using: &random)).map { #""m\#($0)":[\#(number),{"x":"\#($0)"}]"# }
            let all = [#""n":\#(number)"#, #""f":"\#(fixed)""#, #""t":"\#(words.joined(separator: " "))""#] + members
            return try JSONParser.parse(Array("{\(all.joined(separator: ","))}".utf8))
        }
        var keptCount = 0
        for round in 0..<200 {
            var bases = DeltaBases()
            var bodies: [RevisionID: [UInt8]] = [:]
            var current = try body(round)
            for generation in UInt32(1)...30 {
                let id = RevisionID(generation: generation, digest: .bytes(UInt64(round), 0, 0, count: 20))
                let next = try body(Int(generation))
                let isWanted = Bool.random(using: &random)
                let kept = Set(bases.list.map(\.id).filter { _ in Bool.random(using: &random) })
                bases.replace(
                    current, by: next,
                    keeping: isWanted ? .init(id: id, isServed: Bool.random(using: &random)) : nil
                ) { kept.contains($0.id) }
                if isWanted { bodies[id] = current }
                current = next
                #expect(bases.list.count <= DeltaBases.maximumCount)
                keptCount += bases.list.count
                for base in bases.list { #expect(bases.body(of: base.id, current: current) == bodies[base.id]) }
                #expect(bases.bodies(current: current) == bases.list.map { bodies[$0.id] })
                let rest: [UInt8]? = Bool.random(using: &random) ? nil : [1, 2, 3]
                let read = try #require(DeltaBases.split(bases.stored(before: rest)))
                #expect(read.bases == bases && read.rest == rest)
            }
        }
        #expect(keptCount > 1_000)
    }

    @Test("a stored form that is cut off, or has another byte, is refused or read, and never a trap")
    func damaged() throws {
        let first = try save(1)
        try push(first)
        try save(2)
        let stored = try #require(try record().head?.tree)
        for count in 1..<stored.count { #expect(DeltaBases.split(Array(stored.prefix(count))) == nil || count == 0) }
        let current = try record().tree.current.id
        for index in stored.indices {
            for bit in 0..<8 {
                var bytes = stored
                bytes[index] ^= 1 << UInt8(bit)
                let tree = try? RevisionTree(stored: bytes, current: current, isDeleted: false)
                _ = tree?.bodies(current: try record().currentBody)
            }
        }
        #expect(throws: DatabaseError.self) {
            try RevisionTree(stored: stored, current: current, isDeleted: true)
        }
    }

    // MARK: - Which are kept

    @Test("the body that a remote has is kept through further edits, and goes when the remote has a newer one")
    func ofRemote() throws {
        let first = try save(1)
        try push(first)
        for number in 2...6 { try save(number) }
        #expect(try baseIDs() == [first])
        #expect(try collection.document(id: "a", revision: first)?.toJSON() == Self.json(1))
        let base = try #require(try record().tree.bases.list.first)
        #expect(base.delta.count < 100)
        try push(try record().tree.current.id)
        #expect(try baseIDs().isEmpty)
        #expect(try record().flags.contains(.hasBases) == false)
    }

    @Test("the newest body that peers were served is kept, and not one that came after it")
    func served() throws {
        let first = try save(1)
        try save(2)
        #expect(try baseIDs().isEmpty)
        try serve()
        let second = try record().tree.current.id
        for number in 3...5 { try save(number) }
        #expect(try baseIDs() == [second] && first != second)
        try serve()
        let fifth = try record().tree.current.id
        try save(6)
        #expect(try baseIDs() == [fifth])
    }

    @Test("remotes with different revisions each have their base, at most four")
    func remotes() throws {
        let others = try (0..<6).map { try test.database.remoteNumber("ws://127.0.0.1/db\($0)") }
        var revisions: [RevisionID] = []
        for (number, other) in others.enumerated() {
            revisions.append(try save(number))
            #expect(try collection.setRemoteRevision(id: "a", revision: revisions[number], remote: other))
        }
        try save(100)
        #expect(try baseIDs() == revisions.reversed().prefix(DeltaBases.maximumCount).map { $0 })
        for (number, revision) in revisions.enumerated().suffix(DeltaBases.maximumCount) {
            #expect(try collection.document(id: "a", revision: revision)?.toJSON() == Self.json(number))
        }
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("a small body, a tombstone, a purged document and a database without a share keep none")
    func none() throws {
        for (id, change) in [("small", 0), ("deleted", 1), ("purged", 2)] {
            let document = try MutableDocument(id: id, json: id == "small" ? #"{"n":1}"# : Self.json(1))
            try push(try collection.save(document: document).revision, id)
            let edited = try #require(try collection.document(id: id)).toMutable()
            edited.setInt(2, forKey: "n")
            try collection.save(document: edited)
            #expect(try baseIDs(id).count == (change == 0 ? 0 : 1))
        }
        try collection.delete(document: try #require(try collection.document(id: "deleted")))
        #expect(try baseIDs("deleted").isEmpty)
        try collection.purge(id: "purged")
        #expect(try test.database.scalar(sql: "SELECT count(*) FROM documents_1 WHERE flags & 8") == 0)
        #expect(try test.database.statistics().collections.map(\.deltaBaseByteCount) == [0])

        var configuration = DatabaseConfiguration()
        configuration.deltaBaseShare = 0
        let off = try TestDatabase(configuration)
        let saved = try off.collection.save(document: MutableDocument(id: "a", json: Self.json(1)))
        let number = try off.database.remoteNumber("ws://127.0.0.1/db")
        #expect(try off.collection.setRemoteRevision(id: "a", revision: saved.revision, remote: number))
        try off.collection.save(document: saved.toMutable().setInt(2, forKey: "n"))
        #expect(try off.database.scalar(sql: "SELECT count(*) FROM documents_1 WHERE flags & 8") == 0)
    }

    @Test("a blob of a base lives as long as the base")
    func blobs() throws {
        let document = try MutableDocument(id: "a", json: Self.json(1))
        document.setBlob(Blob(contentType: nil, bytes: Array("content".utf8)), forKey: "x")
        let first = try collection.save(document: document)
        try push(first.revision)
        let edited = try #require(try collection.document(id: "a")).toMutable()
        edited.removeValue(forKey: "x")
        try collection.save(document: edited)
        let references = "SELECT count(*) FROM blob_references"
        #expect(try test.database.scalar(sql: references) == 1)
        let base = try #require(try collection.document(id: "a", revision: first.revision))
        #expect(try base.blob(forKey: "x")?.content == Data("content".utf8))
        #expect(try test.database.integrityFindings().isEmpty)
        try push(try record().tree.current.id)
        #expect(try test.database.scalar(sql: references) == 0)
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("only a peer that may read every document gets a delta from a base that another peer was served")
    func sharing() throws {
        let first = try save(1)
        try serve()
        let second = try save(2)
        let query = RevisionQuery(
            documentID: "a", version: Version(second), knownAncestors: [Version(first)], maxHistory: 20,
            listsAttachments: false, omitsOldTreeIDs: false, allowsReplacement: false, takesDelta: true)
        for (view, isDelta) in [
            (ReplicatedCollection(collection: collection, remote: nil, mayReadAll: true), true),
            (ReplicatedCollection(collection: collection, remote: nil, mayReadAll: false), false),
            (ReplicatedCollection(collection: collection, remote: remote), false),
        ] {
            guard case .found(let sent) = try view.revision(query) else { throw TestFailure() }
            #expect((sent.delta != nil) == isDelta && (sent.delta == nil || sent.delta?.source == Version(first)))
            #expect((sent.body.count < 200) == isDelta)
        }
        try push(first)
        guard case .found(let sent) = try ReplicatedCollection(collection: collection, remote: remote).revision(query)
        else { throw TestFailure() }
        #expect(sent.delta?.source == Version(first))
    }

    @Test("a delta for a Sync Gateway names the attachments that were added and removed, and no others")
    func attachments() throws {
        func document(_ names: String...) throws -> Document {
            let document = try collection.document(id: "a")?.toMutable() ?? MutableDocument(id: "a", json: Self.json(1))
            for name in ["x", "y", "z"] { document.removeValue(forKey: name) }
            for name in names { document.setBlob(Blob(contentType: nil, bytes: Array(name.utf8)), forKey: name) }
            return try collection.save(document: document)
        }
        let first = try document("x", "y")
        try push(first.revision)
        let second = try document("y", "z")
        let query = RevisionQuery(
            documentID: "a", version: Version(second.revision), knownAncestors: [Version(first.revision)],
            maxHistory: 20, listsAttachments: true, omitsOldTreeIDs: false, allowsReplacement: false, takesDelta: true)
        let view = ReplicatedCollection(collection: collection, remote: remote)
        guard case .found(let sent) = try view.revision(query) else { throw TestFailure() }
        let delta = try #require(DictionaryObject(jsonb: try JSONParser.parse(sent.body)))
        #expect(sent.delta?.source == Version(first.revision))
        #expect(Set(delta.keys) == ["x", "z", "_attachments"])
        let listed = try #require(delta.dictionary(forKey: "_attachments"))
        #expect(Set(listed.keys) == ["blob_/x", "blob_/z"])
        #expect(listed.array(forKey: "blob_/x")?.isEmpty == true)
        let added = listed.array(forKey: "blob_/z")?.first?.dictionary
        #expect(added?.value(forKey: "stub") == .boolean(true) && added?.int(forKey: "revpos") == 2)
    }

    private struct TestFailure: Error {}

    // MARK: - The bound

    /// Saves documents of about 5,000 bytes, and edits that replace two fifths of them.
    private func saveUnlike(_ count: Int) throws {
        for number in 0..<count {
            let id = "d\(number)"
            let fixed = String(repeating: "fixed words ", count: 250)
            func json(_ text: String) -> String { #"{"t":"\#(text)","fixed":"\#(fixed)"}"# }
            let text = String(repeating: "\(number)abc", count: 400)
            let saved = try collection.save(document: MutableDocument(id: id, json: json(text)))
            try push(saved.revision, id)
            let document = try #require(try collection.document(id: id)).toMutable()
            try document.setJSON(json(String(repeating: "other ", count: 300)))
            try collection.save(document: document)
        }
    }

    @Test("a body of which most is replaced isn't kept, and the document stays as it is")
    func replacedBody() throws {
        let first = try save(1)
        try push(first)
        let document = try #require(try collection.document(id: "a")).toMutable()
        try document.setJSON(#"{"u":[\#(Array(repeating: "1", count: 3_000).joined(separator: ","))]}"#)
        try collection.save(document: document)
        #expect(try baseIDs().isEmpty && collection.document(id: "a", revision: first) == nil)
        #expect(try collection.remoteRevision(id: "a", remote: remote) == first)
    }

    @Test("a compaction frees blobs, and goes past a tree that is damaged")
    func compactionOfDamaged() throws {
        for id in ["x", "y"] {
            try push(try save(1, id), id)
            try save(2, id)
        }
        _ = try test.database.writer.perform(test.database) { transaction in
            try transaction.connection.run("UPDATE documents_1 SET tree = x'0400' WHERE id = 'x'")
        }
        _ = try test.database.freeBlobs { _ in true }
        #expect(try baseIDs("y").isEmpty)
        #expect(try !test.database.integrityFindings().isEmpty)
    }

    @Test("bases beyond their share go, those of the documents that changed first before others")
    func bound() throws {
        try saveUnlike(40)
        let all = try #require(try test.database.statistics().collections.first?.deltaBaseByteCount)
        let bodies = try test.database.scalar(sql: "SELECT sum(length(body)) FROM documents_1")
        #expect(all > UInt64(bodies / 8))
        try test.database.trimBases()
        let left = try #require(try test.database.statistics().collections.first?.deltaBaseByteCount)
        #expect(left > 0 && left <= UInt64(bodies / 8))
        let kept = try (0..<40).filter { try !baseIDs("d\($0)").isEmpty }
        #expect(kept == Array((40 - kept.count)..<40))
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("the bound is enforced when enough bytes were added, by several handles together")
    func counted() throws {
        try saveUnlike(40)
        try test.database.upkeepBases(adding: 900_000)
        #expect(try !baseIDs("d0").isEmpty)
        try test.reopened().database.upkeepBases(adding: 200_000)
        #expect(try baseIDs("d0").isEmpty)
        #expect(try !baseIDs("d39").isEmpty)
    }

    @Test("a compaction removes all bases, and the documents stay as they are")
    func compaction() throws {
        for number in 0..<10 {
            try push(try save(number, "d\(number)"), "d\(number)")
            try save(100 + number, "d\(number)")
        }
        let sequence = try collection.lastSequence
        #expect(try test.database.scalar(sql: "SELECT count(*) FROM documents_1 WHERE flags & 8") == 10)
        try test.database.performMaintenance(type: .compact)
        #expect(try test.database.scalar(sql: "SELECT count(*) FROM documents_1 WHERE flags & 8") == 0)
        #expect(try collection.lastSequence == sequence)
        #expect(try collection.document(id: "d3")?.toJSON() == Self.json(103))
        #expect(try collection.remoteRevision(id: "d3", remote: remote) != nil)
        #expect(try test.database.integrityFindings().isEmpty)
    }

    @Test("an integrity check finds a base that doesn't belong to the body, and a flag that is wrong")
    func checked() throws {
        try push(try save(1))
        try save(2)
        #expect(try test.database.integrityFindings().isEmpty)
        _ = try test.database.writer.perform(test.database) { transaction in
            try transaction.connection.run("UPDATE documents_1 SET body = ?1", try JSONParser.parse(Array("{}".utf8)))
        }
        #expect(try test.database.integrityFindings().contains { $0.contains("base of deltas") })
        _ = try test.database.writer.perform(test.database) { transaction in
            try transaction.connection.run("UPDATE documents_1 SET flags = flags - 8")
        }
        #expect(try test.database.integrityFindings().contains { $0.contains("flag for bases") })
    }

    @Test("a base isn't read from another body, even one of the same size and shape")
    func otherBody() throws {
        let first = try save(1)
        try push(first)
        try save(2)
        let text = String(repeating: "other words too ", count: 250)
        let other = try JSONParser.parse(Array(#"{"n":2,"t":"\#(text)"}"#.utf8))
        #expect(try other.count == record().currentBody.count)
        _ = try test.database.writer.perform(test.database) { transaction in
            try transaction.connection.run("UPDATE documents_1 SET body = ?1", other)
        }
        #expect(try collection.document(id: "a", revision: first) == nil)
        #expect(try test.database.integrityFindings().contains { $0.contains("base of deltas") })
        try save(3)
        #expect(try baseIDs().isEmpty)
    }

    @Test("a copy, a backup, a rotation and a salvage keep the bases, and what was found is sound")
    func files() throws {
        let document = try MutableDocument(id: "a", json: Self.json(1))
        document.setBlob(Blob(contentType: nil, bytes: Array("content".utf8)), forKey: "x")
        let first = try collection.save(document: document).revision
        try push(first)
        try save(2)
        let folder = test.folder.path
        try test.database.copy(to: folder + "/copy.db", slot: .rawKey(testKey(7)))
        _ = try test.file.backup(to: folder + "/backup.db")
        _ = try KeyRotation(of: test.file).run()
        try test.database.close()
        _ = try SealiteDatabase.Database.salvage(test.file, to: folder + "/salvaged.db")
        for name in ["test", "copy", "backup", "salvaged"] {
            let file = try SealedDatabase.open("\(folder)/\(name).db", key: .rawKey(testKey(7)))
            let database = try SealiteDatabase.Database(file: file)
            let base = try database.defaultCollection().document(id: "a", revision: first)
            #expect(try base?.blob(forKey: "x")?.content == Data("content".utf8), "\(name)")
            #expect(base?.int(forKey: "n") == 1)
            #expect(try database.statistics().collections.first?.deltaBaseByteCount ?? 0 > 0)
            #expect(try database.integrityFindings().isEmpty)
        }
    }

    @Test("what was served is remembered by later processes once a peer has saved a checkpoint")
    func remembered() throws {
        let first = try save(1)
        try serve()
        try test.database.write { _ in try collection.storeServedSequence() }
        let other = try test.reopened()
        let document = try #require(try other.collection.document(id: "a")).toMutable()
        try document.setJSON(Self.json(2))
        try other.collection.save(document: document)
        #expect(try baseIDs() == [first])
    }
}
