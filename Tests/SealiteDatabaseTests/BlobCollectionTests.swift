import Foundation
import GRDB
import Testing

@testable import SealiteDatabase

@Suite("which blobs compaction removes")
struct BlobCollectionTests {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection
    var database: SealiteDatabase.Database { test.database }

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
    }

    private var blobCount: UInt64 { get throws { try database.statistics().blobCount } }

    /// A blob that a document referred to and nothing refers to any more.
    private func usedOnce(_ bytes: [UInt8]) throws {
        try collection.save(
            document: MutableDocument(id: "old").setBlob(Blob(contentType: nil, bytes: bytes), forKey: "x"))
        try collection.purge(id: "old")
        #expect(try blobCount == 1)
    }

    @Test("content that was used once and is stored again stays until its document is saved")
    func storedAgain() throws {
        let bytes = [UInt8](repeating: 7, count: 2_000_000)
        try usedOnce(bytes)
        try database.saveBlob(
            blob: Blob(contentType: nil, contentStream: BlobTests.stream(bytes, piece: 50_000)))
        try database.performMaintenance(type: .compact)
        #expect(try blobCount == 1)
        try collection.save(
            document: MutableDocument(id: "new").setBlob(Blob(contentType: nil, bytes: bytes), forKey: "x"))
        #expect(try collection.document(id: "new")?.blob(forKey: "x")?.content == Data(bytes))
        try collection.purge(id: "new")
        try database.performMaintenance(type: .compact)
        #expect(try blobCount == 0)
    }

    @Test("an attachment that a peer needn't send, since it is here, stays until its document is")
    func announced() throws {
        let bytes = Array("Hello, blob!".utf8)
        try usedOnce(bytes)
        let here = try #require(BlobDigest("sha1-ArH2IhJgRp/90GRqSAdAfa750BE="))
        let absent = try #require(BlobDigest(bytes: bytes + bytes.prefix(8)))
        #expect(try database.missingBlobs([here, absent]) == [absent])
        try database.performMaintenance(type: .compact)
        #expect(try database.missingBlobs([here]) == [])
        #expect(try database.collectBlobs(touchedBefore: .max) == 1)
        #expect(try database.missingBlobs([here]) == [here])
    }

    @Test("a writer whose unfinished blob was collected fails; it doesn't write into the blob that got its number")
    func collectedMeanwhile() throws {
        let (old, new) = ([UInt8](repeating: 1, count: 300_000), [UInt8](repeating: 2, count: 100_000))
        var writer: BlobWriter? = try BlobWriter()
        try database.writer.perform(database) { transaction in
            try writer?.add(Array(old.prefix(150_000)))
            try writer?.flush(BlobStore(transaction.connection), atEnd: false)
        }
        #expect(try database.collectBlobs(touchedBefore: .max) == 1)
        let other = Blob(contentType: nil, bytes: new)
        try database.saveBlob(blob: other)
        let failure = code {
            try database.writer.perform(database) { transaction in
                try writer?.add(Array(old.suffix(150_000)))
                _ = try writer.take()?.finish(BlobStore(transaction.connection))
            }
        }
        #expect(failure == .notFound)
        #expect(try other.content == Data(new))
        #expect(try database.integrityFindings() == [] && blobCount == 1)
    }

    @Test("what a source gave before it failed is removed at once")
    func failedSource() throws {
        struct Failure: Error {}
        let position = BlobTests.Position()
        let blob = Blob(contentType: nil) { limit in
            let range = position.advance(by: limit, limit: 20_000_000)
            if range.upperBound > 10_000_000 { throw Failure() }
            return [UInt8](repeating: 3, count: range.count)
        }
        let document = MutableDocument(id: "a").setBlob(blob, forKey: "b")
        #expect(throws: Failure.self) { try collection.save(document: document) }
        let left = try database.scalar(sql: "SELECT (SELECT count(*) FROM blobs) + (SELECT count(*) FROM blob_chunks)")
        #expect(left == 0)
        #expect(try collection.count == 0)
    }

    @Test("the integrity check finds chunks of no blob and blobs that nobody is known to refer to")
    func findings() throws {
        let blob = Blob(contentType: nil, bytes: [UInt8](repeating: 7, count: 100_000))
        try collection.save(document: MutableDocument(id: "a").setBlob(blob, forKey: "b"))
        #expect(try database.integrityFindings() == [])
        for sql in [
            "INSERT INTO blob_chunks (position, data) VALUES (99 << 24, x'00')", "DELETE FROM blob_references",
            "UPDATE documents_1 SET flags = 0",
        ] {
            let before = try database.integrityFindings().count
            try database.writer.withoutTransaction { try $0.execute(sql: sql) }
            #expect(try database.integrityFindings().count == before + 1, "\(sql)")
        }
    }

    /// Checks the content of the file, and returns the numbers of rows that the progress function is called with.
    private func toldRowCounts(stoppingAfter limit: UInt64 = .max) throws -> [UInt64] {
        var told: [UInt64] = []
        _ = try SealiteDatabase.Database.checkDocuments(in: test.file) { progress in
            told.append(progress.rowCount)
            #expect(progress.rowCount <= progress.totalRowCount)
            if progress.rowCount >= limit { throw TransactionTests.Stop() }
        }
        return told
    }

    @Test("a check tells how far it is at each mebibyte of a blob, and can be stopped there")
    func progress() throws {
        let blob = Blob(contentType: nil, bytes: [UInt8](repeating: 7, count: 16 * BlobStore.chunkByteCount + 1))
        try collection.save(document: MutableDocument(id: "a").setBlob(blob, forKey: "b"))
        #expect(try toldRowCounts() == [0, 1, 129])
        #expect(throws: TransactionTests.Stop.self) { try toldRowCounts(stoppingAfter: 129) }
    }

    @Test("a check reads no further blobs once it has as many findings as it reports")
    func findingLimit() throws {
        let document = MutableDocument(id: "a")
        for number in 0..<120 {
            document.setBlob(Blob(contentType: nil, bytes: Array("blob \(number)".utf8)), forKey: "b\(number)")
        }
        try collection.save(document: document)
        try database.writer.withoutTransaction { try $0.execute(sql: "UPDATE blob_chunks SET data = x'00'") }
        #expect(try toldRowCounts().last == 793)
        #expect(try database.integrityFindings().count == DocumentCheck.findingLimit)
    }
}
