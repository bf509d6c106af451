import Foundation
import SealiteCrypto
import SealiteFile
import SealiteMaintenance
import Testing

@testable import SealiteDatabase

/// The description of a golden database by `scripts/golden-documents.sh`.
private struct GoldenNote: Decodable {
    struct Listed: Decodable, Equatable {
        let id: String
        let revision: String
        let sequence: UInt64
        let deleted: Bool?
    }
    struct Content: Decodable {
        let documents: [Listed]
        let export: [String]
    }
    struct Revision: Decodable, Equatable {
        let revision: String
        let parent: String?
        let current: Bool?
        let deleted: Bool?
        let body: Bool?
    }
    let format: Int
    let remote: String
    let blobSHA1: String
    let collections: [String: Content]
    let histories: [String: [Revision]]
}

@Suite("golden databases of the newest format")
struct GoldenDatabaseTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/Documents").path

    static var formats: [Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { name in
            name.hasPrefix("documents-") && name.hasSuffix(".db") ? Int(name.dropFirst(10).dropLast(3)) : nil
        }.sorted()
    }

    @Test("there are golden databases of the present format and of no other")
    func complete() {
        #expect(Self.formats == [Int(FormatTables.version)])
    }

    /// One with revision trees, and one that was upgraded to version vectors.
    static let names = ["documents-\(FormatTables.version)", "vectors-\(FormatTables.version)"]

    @Test("a golden database opens, and holds what it held", arguments: names)
    func opens(_ golden: String) throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path + "/golden.db"
        try FileManager.default.copyItem(atPath: "\(Self.folder)/\(golden).db", toPath: path)
        let note = try JSONDecoder().decode(
            GoldenNote.self, from: try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/\(golden).json")))
        let key = unsafe SecretBytes(copying: Array(0..<32 as Range<UInt8>).span.bytes)
        let file = try SealedDatabase.open(path, key: .rawKey(key))
        #expect(try file.connect().integer("PRAGMA user_version") == Int64(note.format))
        let database = try SealiteDatabase.Database(file: file)
        #expect(try database.integrityFindings() == [])
        #expect(try file.verify().isSound)
        for (name, content) in note.collections {
            let parts = name.split(separator: ".").map(String.init)
            let collection = try #require(try database.collection(name: parts[1], scope: parts[0]))
            let listed = try collection.changes(since: 0, limit: .max).map {
                GoldenNote.Listed(
                    id: $0.id, revision: $0.revisionID, sequence: $0.sequence, deleted: $0.isDeleted ? true : nil)
            }
            #expect(listed == content.documents, "\(name)")
            var lines: [String] = []
            try collection.forEachDocument { document in
                lines.append(String(decoding: try JSONSerializer.text(of: document.body), as: UTF8.self))
            }
            let expected = content.export.map { $0.replacing(/^{"_id":"[^"]*",?/, with: "{") }
            #expect(lines == expected, "\(name)")
        }
        let collection = try database.defaultCollection()
        for (id, history) in note.histories {
            let found = try collection.revisions(id: id).map {
                GoldenNote.Revision(
                    revision: $0.id.description, parent: $0.parent?.description, current: $0.isCurrent ? true : nil,
                    deleted: $0.isDeleted ? true : nil, body: $0.hasBody ? true : nil)
            }
            #expect(found.sorted { $0.revision > $1.revision } == history.sorted { $0.revision > $1.revision }, "\(id)")
        }
        #expect(try collection.getDocumentExpiration(id: "row-20") == Date(timeIntervalSince1970: 4_102_444_800))
        let blob = try #require(try collection.document(id: "with-blob")?.blob(forKey: "file"))
        var hasher = try SHA1.Hasher()
        let content = try blob.content
        unsafe content.withUnsafeBytes { bytes in try? unsafe hasher.update(bytes) }
        #expect(try hasher.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == note.blobSHA1)
        let remote = try #require(try database.remotes().first { $0.name == note.remote })
        let view = ReplicatedCollection(collection: collection, remote: remote.number)
        #expect(try view.refusals().map(\.refusal.documentID) == ["row-12"])
        #expect(try collection.remoteRevision(id: "from-peer", remote: remote.number) != nil)
    }

    /// The description of a golden database by `scripts/golden-indexes.sh`.
    private struct IndexNote: Decodable {
        struct Row: Decodable, Equatable {
            let number: Int64
            let name: String
            let kind: String
            let definition: String
            let versions: String
        }
        let catalogue: [Row]
        let tables: [String: [String]]
    }

    @Test(
        "the indexes of a golden database are sound as they are, are kept, and are what this program would make",
        arguments: [FormatTables.version])
    func indexes(format: Int64) throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path + "/golden.db"
        try FileManager.default.copyItem(atPath: "\(Self.folder)/indexes-\(format).db", toPath: path)
        let note = try JSONDecoder().decode(
            IndexNote.self, from: try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/indexes-\(format).json")))
        let key = unsafe SecretBytes(copying: Array(0..<32 as Range<UInt8>).span.bytes)
        let database = try SealiteDatabase.Database(file: try SealedDatabase.open(path, key: .rawKey(key)))
        #expect(try database.integrityFindings() == [])
        let collection = try database.defaultCollection()
        let records = try collection.indexRecords()
        let found = records.map { record in
            IndexNote.Row(
                number: record.number, name: record.name, kind: record.kind?.rawValue ?? "unknown",
                definition: record.definition, versions: record.versions)
        }
        #expect(found == note.catalogue && Set(found.map(\.kind)) == ["value", "array"])
        try database.performMaintenance(type: .reindex)
        for record in records {
            let table = try #require(record.keyTable())
            var entries: [String] = []
            try database.reading { connection in
                let statement = try PreparedStatement(connection, "SELECT * FROM \(table.name)")
                while try statement.step() {
                    let columns = (0...table.width).map { column in
                        statement.blob(at: CInt(column)).map { $0.map { String(format: "%02X", $0) }.joined() }
                            ?? "\(statement.int64(at: CInt(column)))"
                    }
                    entries.append(columns.joined(separator: " "))
                }
            }
            #expect(entries == note.tables[table.name], "\(record.name)")
        }
        try collection.save(
            document: try #require(try collection.document(id: "row-20")).toMutable().setInt(1, forKey: "tags"))
        #expect(try database.integrityFindings() == [])
    }
}
