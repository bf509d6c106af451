import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

@Suite("blobs")
struct BlobTests {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection
    var database: SealiteDatabase.Database { test.database }

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
    }

    private func pattern(_ count: Int) -> [UInt8] {
        var generator = SeededRandom(part: UInt64(count))
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }

    @Test("a blob saved with its document is described there and read back")
    func saveWithDocument() throws {
        let blob = Blob(contentType: "text/plain", data: Data("Hello, blob!".utf8))
        #expect(blob.digest == nil)
        try collection.save(document: MutableDocument(id: "a").setBlob(blob, forKey: "note"))
        #expect(blob.digest == "sha1-ArH2IhJgRp/90GRqSAdAfa750BE=")
        let read = try #require(try collection.document(id: "a")?.blob(forKey: "note"))
        #expect(read.length == 12)
        #expect(read.contentType == "text/plain")
        #expect(try read.content == Data("Hello, blob!".utf8))
        #expect(read == blob)
        #expect(
            try collection.document(id: "a")?.toJSON()
                == """
                {"note":{"@type":"blob","content_type":"text/plain",\
                "digest":"sha1-ArH2IhJgRp/90GRqSAdAfa750BE=","length":12}}
                """)
        #expect(Blob.isBlob(read.properties))
        #expect(!Blob.isBlob(["@type": "other"]))
    }

    @Test(
        "content of every length around the chunk's is read back, whole and from any position",
        arguments: [
            0, 1, 65_535, 65_536, 65_537, 131_072, 200_000,
        ])
    func lengths(count: Int) throws {
        let bytes = pattern(count)
        try database.saveBlob(blob: Blob(contentType: nil, bytes: bytes))
        let digest = try #require(BlobDigest(bytes: try HashDigest.sha1(bytes)))
        let blob = try #require(try database.getBlob(properties: ["@type": "blob", "digest": .string("\(digest)")]))
        #expect(try blob.content == Data(bytes))
        var reader = try blob.makeReader()
        #expect(reader.length == UInt64(count))
        for position in [0, 1, count / 2, 65_535, 65_536, count - 1, count, count + 5] where position >= 0 {
            reader.seek(to: UInt64(position))
            let start = min(position, count)
            let piece = try reader.read(upTo: 100)
            #expect(piece == Array(bytes[start..<min(start + piece.count, count)]))
            #expect(piece.isEmpty == (start == count))
        }
    }

    @Test("nothing is added to a blob whose digest was taken")
    func addAfterDigest() throws {
        var writer = try BlobWriter()
        try writer.add([1, 2])
        #expect("\(try writer.finishDigest())" == "\(try #require(BlobDigest(bytes: try HashDigest.sha1([1, 2]))))")
        #expect(code { try writer.add([3]) } == .unexpected)
        #expect(code { _ = try writer.finishDigest() } == .unexpected)
        #expect(writer.pendingByteCount == 2)
    }

    @Test("the same content is stored once, whoever refers to it")
    func deduplication() throws {
        let bytes = pattern(100_000)
        for id in ["a", "b"] {
            try collection.save(
                document: MutableDocument(id: id).setBlob(Blob(contentType: nil, bytes: bytes), forKey: "x"))
        }
        let stream = Self.stream(bytes, piece: 777)
        try collection.save(
            document: MutableDocument(id: "c").setBlob(Blob(contentType: "x/y", contentStream: stream), forKey: "x"))
        #expect(try database.statistics().blobCount == 1)
        #expect(try database.statistics().blobByteCount == 100_000)
    }

    static func stream(_ bytes: [UInt8], piece: Int) -> @Sendable (Int) throws -> [UInt8] {
        let position = Position()
        return { limit in
            let start = position.advance(by: min(piece, limit), limit: bytes.count)
            return Array(bytes[start])
        }
    }

    // Sendable: `position` is read and written with `lock` held.
    final class Position: @unchecked Sendable {
        private let lock = NSLock()
        private var position = 0

        func advance(by count: Int, limit: Int) -> Range<Int> {
            lock.withLock {
                let start = position
                position = min(position + count, limit)
                return start..<position
            }
        }
    }

    @Test("files and streams of several transactions' size come out as they went in")
    func largeSources() async throws {
        let bytes = pattern(9_000_001)
        let url = URL(fileURLWithPath: test.folder.path + "/content")
        try Data(bytes).write(to: url)
        let document = MutableDocument(id: "a")
        document.setBlob(try Blob(contentType: "a/file", fileURL: url), forKey: "file")
        document.setBlob(
            Blob(contentType: "a/stream", contentStream: Self.stream(bytes.reversed(), piece: 100_000)),
            forKey: "stream")
        try await collection.save(document: document)
        let read = try #require(try await collection.document(id: "a"))
        #expect(try read.blob(forKey: "file")?.content == Data(bytes))
        var joined: [UInt8] = []
        for try await piece in try #require(read.blob(forKey: "stream")).chunks { joined += piece }
        #expect(joined == bytes.reversed())
        #expect(code { _ = try Blob(contentType: nil, fileURL: URL(fileURLWithPath: "/none/there")) } == .notFound)
    }

    @Test("blobs in nested arrays and dictionaries, and edits that keep or drop them")
    func nested() throws {
        // An open Blob keeps its content.
        do {
            let document = MutableDocument(id: "a")
            document["list"] = .array([
                .blob(Blob(contentType: nil, bytes: [1])), ["deep": .blob(Blob(contentType: nil, bytes: [2]))],
            ])
            try collection.save(document: document)
            let read = try #require(try collection.document(id: "a"))
            #expect(try read["list"][1]["deep"].blob?.content == Data([2]))
            let edit = read.toMutable()
            edit["list"] = [read["list"][0]]
            try collection.save(document: edit)
        }
        #expect(try collection.document(id: "a")?["list"][0].blob?.content == Data([1]))
        try database.performMaintenance(type: .compact)
        #expect(try database.statistics().blobCount == 1)
    }

    @Test("compaction removes what nothing refers to any more and keeps what is waiting for its document")
    func garbage() throws {
        let document = MutableDocument(id: "a").setBlob(Blob(contentType: nil, bytes: pattern(70_000)), forKey: "x")
        try collection.save(document: document)
        try database.saveBlob(blob: Blob(contentType: nil, bytes: [9]))
        try database.performMaintenance(type: .compact)
        #expect(try database.statistics().blobCount == 2)
        try collection.save(document: document.removeValue(forKey: "x"))
        let old = try #require(try collection.document(id: "a"))
        #expect(old.count == 0)
        try database.performMaintenance(type: .compact)
        #expect(try database.statistics().blobCount == 1)
        #expect(try database.collectBlobs(touchedBefore: .max) == 1)
        for id in ["b", "c"] {
            try collection.save(
                document: MutableDocument(id: id).setBlob(Blob(contentType: nil, bytes: [7]), forKey: "x"))
        }
        try collection.purge(id: "b")
        try database.performMaintenance(type: .compact)
        #expect(try database.statistics().blobCount == 1)
        try collection.delete(id: "c")
        try database.performMaintenance(type: .compact)
        #expect(try database.statistics().blobCount == 0)
    }

    @Test("compaction inside a transaction is refused before it deletes anything")
    func compactionInTransaction() throws {
        try collection.save(
            document: MutableDocument(id: "a").setBlob(Blob(contentType: nil, bytes: [1]), forKey: "x"))
        try collection.purge(id: "a")
        try database.write { _ in
            #expect(code { try database.performMaintenance(type: .compact) } == .invalidParameter)
        }
        #expect(try database.statistics().blobCount == 1)
    }

    @Test("a blob whose content isn't stored can't be stored by itself, inside a transaction either")
    func unknownContent() throws {
        let json = #"{"x":{"@type":"blob","digest":"sha1-ArH2IhJgRp/90GRqSAdAfa750BE=","length":12}}"#
        let blob = try #require(
            try collection.save(document: MutableDocument(id: "a", json: json)).blob(forKey: "x"))
        #expect(code { try database.saveBlob(blob: blob) } == .notFound)
        try database.write { transaction in
            #expect(code { try database.saveBlob(blob: blob) } == .notFound)
            // What is saved with a document keeps the description, whose content may come later.
            try transaction.save(blob)
            try transaction.save(MutableDocument(id: "b").setBlob(blob, forKey: "x"), in: collection)
        }
        #expect(try collection.count == 2)
    }

    @Test("a blob goes from one database into another with its document")
    func otherDatabase() throws {
        try collection.save(
            document: MutableDocument(id: "a").setBlob(Blob(contentType: "x/y", bytes: [1, 2, 3]), forKey: "x"))
        let blob = try #require(try collection.document(id: "a")?.blob(forKey: "x"))
        let other = try TestDatabase()
        try other.collection.save(document: MutableDocument(id: "b").setBlob(blob, forKey: "y"))
        #expect(try other.collection.document(id: "b")?.blob(forKey: "y")?.content == Data([1, 2, 3]))
    }

    @Test("a description of content that isn't here stays a description")
    func missingContent() throws {
        let json =
            "{\"x\":{\"@type\":\"blob\",\"digest\":\"sha1-ArH2IhJgRp/90GRqSAdAfa750BE=\",\"length\":12,\"own\":1.50}}"
        let saved = try collection.save(document: MutableDocument(id: "a", json: json))
        #expect(try saved.toJSON() == json)
        let blob = try #require(saved.blob(forKey: "x"))
        #expect(code { _ = try blob.content } == .notFound)
        let edited = saved.toMutable().setInt(1, forKey: "y")
        #expect(try collection.save(document: edited).toJSON() == json.dropLast() + ",\"y\":1}")
        #expect(try database.getBlob(properties: blob.properties) == nil)
        #expect(
            code { _ = try database.getBlob(properties: ["@type": "blob", "digest": "sha1-short"]) }
                == .invalidParameter)
        #expect(code { _ = try database.getBlob(properties: ["a": 1]) } == .invalidParameter)
    }

    @Test("content with a missing part is damaged, and content that was removed isn't found")
    func missingPart() throws {
        let blob = Blob(contentType: nil, bytes: pattern(100_000))
        try database.saveBlob(blob: blob)
        try database.writer.perform(database) { try $0.connection.run("DELETE FROM blob_chunks WHERE position & 1") }
        #expect(code { _ = try blob.content } == .corruptData)
        var reader = try blob.makeReader()
        // Another process may delete what this one reads.
        try database.writer.perform(database) { try $0.connection.run("DELETE FROM blobs") }
        #expect(code { _ = try reader.read(upTo: 1) } == .notFound)
    }

    @Test("a blob of a file that is deleted before it is stored isn't found")
    func deletedFile() throws {
        let url = URL(fileURLWithPath: test.folder.path + "/content")
        try Data([1]).write(to: url)
        let blob = try Blob(contentType: nil, fileURL: url)
        try FileManager.default.removeItem(at: url)
        #expect(code { try database.saveBlob(blob: blob) } == .notFound)
    }

    @Test("content that a document has in its JSON stays there until the blob is stored")
    func inlineContent() throws {
        let json = #"{"x":{"@type":"blob","data":"AQI=","own":1.50}}"#
        let document = try MutableDocument(id: "a", json: json)
        #expect(document.toDictionary().blob(forKey: "x")?.length == 2)
        #expect(try document.toJSON() == json)
        let saved = try collection.save(document: document)
        #expect(try saved.blob(forKey: "x")?.content == Data([1, 2]))
        #expect(saved.blob(forKey: "x")?.digest == document.blob(forKey: "x")?.digest)
        #expect(try !saved.toJSON().contains("data"))
    }

    @Test("content that doesn't have the digest a peer stated isn't stored")
    func mismatch() throws {
        let digest = try #require(BlobDigest("sha1-ArH2IhJgRp/90GRqSAdAfa750BE="))
        let blob = Blob(contentType: nil, bytes: [1, 2, 3])
        #expect(code { try database.saveBlob(blob, expecting: digest, length: 3) } == .blobMismatch)
        #expect(try database.statistics().blobCount == 0)
        let good = Blob(contentType: nil, bytes: Array("Hello, blob!".utf8))
        #expect(code { try database.saveBlob(good, expecting: digest, length: 11) } == .blobMismatch)
        try database.saveBlob(good, expecting: digest, length: 12)
        #expect(try database.hasBlob(digest: digest))
    }

    @Test("a blob whose transaction was rolled back is stored by the next one")
    func rollback() throws {
        let blob = Blob(contentType: nil, bytes: [5, 6])
        let document = MutableDocument(id: "a").setBlob(blob, forKey: "x")
        #expect(throws: TransactionTests.Stop.self) {
            try database.write { _ in
                try collection.save(document: document)
                throw TransactionTests.Stop()
            }
        }
        try collection.save(document: document)
        #expect(try collection.document(id: "a")?.blob(forKey: "x")?.content == Data([5, 6]))
    }

    @Test("digests are read in their one form only")
    func digests() {
        for text in [
            "", "sha1-", "sha1-ArH2IhJgRp/90GRqSAdAfa750BE", "md5-ArH2IhJgRp/90GRqSAdAfa750BE=",
            "sha1-ArH2IhJgRp/90GRqSAdAfa750BF=", "sha1-!rH2IhJgRp/90GRqSAdAfa750BE=",
        ] {
            #expect(BlobDigest(text) == nil)
        }
    }
}
