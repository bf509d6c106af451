import Foundation
import GRDB
import SealiteFile
import SealiteGRDB
import SealiteTestSupport
import Synchronization
import Testing

@testable import SealiteDatabase

extension SealiteDatabase.Database {
    /// Does every step of the collection of blobs that is due now. A timer of another object on the file may be doing one
    /// at the same time.
    func collectAllBlobs() throws {
        while true {
            do {
                guard try collectBlobs() else { return }
            } catch let error as SealiteDatabase.DatabaseError where error.code == .busy {}
        }
    }
}

@Suite("blobs that nothing refers to go by themselves")
struct BlobGarbageTests {
    let time: ManualTime
    let configuration: DatabaseConfiguration
    let test: TestDatabase
    let collection: SealiteDatabase.Collection
    var database: SealiteDatabase.Database { test.database }

    init() throws {
        let time = ManualTime()
        var configuration = DatabaseConfiguration()
        configuration.time = time
        (self.time, self.configuration) = (time, configuration)
        test = try TestDatabase(configuration)
        collection = try test.collection
    }

    private static let day = Duration.seconds(86_400)

    private var blobCount: UInt64 { get throws { try database.statistics().blobCount } }

    /// Rows of blobs, finished or not, and chunks.
    private var rowCount: Int64 {
        get throws { try database.scalar(sql: Self.countOfRows) }
    }
    private static let countOfRows = "SELECT (SELECT count(*) FROM blobs) + (SELECT count(*) FROM blob_chunks)"

    private func save(_ id: String, _ bytes: [UInt8], text: String = "") throws {
        try collection.save(
            document: MutableDocument(id: id).setBlob(Blob(contentType: nil, bytes: bytes), forKey: "x")
                .setString(text, forKey: "t"))
    }

    private func content(_ id: String) throws -> Data? { try collection.document(id: id)?.blob(forKey: "x")?.content }

    /// Does every step that is due now.
    private func collect() throws {
        try database.collectAllBlobs()
    }

    /// Lets a day pass, and some, and does every step that is due then.
    private func collectAfterADay() throws {
        time.advance(by: Self.day + .seconds(1))
        try collect()
    }

    @Test("what a deleted, replaced or purged document referred to goes a day later, not earlier")
    func lastReference() throws {
        for id in ["deleted", "replaced", "purged", "kept"] { try save(id, Array(id.utf8)) }
        try collect()
        time.advance(by: Self.day * 3)
        try collection.delete(id: "deleted")
        try collection.save(document: MutableDocument(id: "replaced"))
        try collection.purge(id: "purged")
        time.advance(by: Self.day - .seconds(1))
        try collect()
        #expect(try blobCount == 4)
        time.advance(by: .seconds(2))
        try collect()
        #expect(try blobCount == 1)
        #expect(try content("kept") == Data("kept".utf8))
        #expect(try database.integrityFindings() == [])
    }

    @Test("what only a deleted collection referred to goes a day later")
    func deletedCollection() throws {
        let other = try database.createCollection(name: "other")
        for (id, bytes) in [("shared", [UInt8](repeating: 1, count: 9)), ("own", [2])] {
            try other.save(document: MutableDocument(id: id).setBlob(Blob(contentType: nil, bytes: bytes), forKey: "x"))
        }
        try save("a", [UInt8](repeating: 1, count: 9))
        try collectAfterADay()
        try database.deleteCollection(name: "other")
        try collect()
        #expect(try blobCount == 2)
        try collectAfterADay()
        #expect(try blobCount == 1)
        #expect(try content("a") == Data(repeating: 1, count: 9))
    }

    @Test("a stored blob waits a day for its first document")
    func firstReference() throws {
        try database.saveBlob(blob: Blob(contentType: nil, bytes: [1]))
        try database.saveBlob(blob: Blob(contentType: nil, bytes: [2]))
        time.advance(by: Self.day - .seconds(1))
        try collect()
        #expect(try blobCount == 2)
        try save("a", [2])
        time.advance(by: .seconds(2))
        try collect()
        #expect(try blobCount == 1)
        #expect(try content("a") == Data([2]))
    }

    @Test("content that is announced as being here stays for a day from then")
    func announced() throws {
        try save("a", Array("Hello, blob!".utf8))
        try collection.purge(id: "a")
        time.advance(by: Self.day - .seconds(1))
        let digest = try #require(BlobDigest("sha1-ArH2IhJgRp/90GRqSAdAfa750BE="))
        #expect(try database.missingBlobs([digest]) == [])
        time.advance(by: .seconds(2))
        try collect()
        #expect(try blobCount == 1)
        try collectAfterADay()
        #expect(try blobCount == 0)
    }

    @Test("an open Blob and a reader keep their content, through another database object on the file too")
    func openBlob() throws {
        let bytes = [UInt8](repeating: 5, count: 150_000)
        for id in ["a", "b"] { try save(id, bytes + Array(id.utf8)) }
        var blob = try collection.document(id: "a")?.blob(forKey: "x")
        var reader = try collection.document(id: "b")?.blob(forKey: "x")?.makeReader()
        for id in ["a", "b"] { try collection.purge(id: id) }
        let other = try test.reopened(configuration)
        time.advance(by: Self.day * 2)
        try other.database.collectAllBlobs()
        try other.database.performMaintenance(type: .compact)
        #expect(try blob?.content == Data(bytes + Array("a".utf8)))
        reader?.seek(to: 149_999)
        let last = try reader?.read(upTo: 10)
        #expect(last == [5, UInt8(ascii: "b")])
        (blob, reader) = (nil, nil)
        try collectAfterADay()
        #expect(try rowCount == 0)
        withExtendedLifetime((blob, reader)) {}
    }

    private func insert(
        _ revision: String, _ history: [String] = [], blob byte: UInt8?, text: String = ""
    ) throws -> RevisionOutcome {
        var json = "{}"
        if let byte {
            let blob = Blob(contentType: nil, bytes: [byte])
            try database.saveBlob(blob: blob)
            json = "{\"x\":\(try blob.toJSON()),\"t\":\"\(text)\"}"
        }
        return try collection.insert(
            IncomingRevision(
                documentID: "a", version: Version(revision), history: history.map { Version($0) },
                body: Array(json.utf8)), remote: try database.remoteNumber("ws://127.0.0.1/db"))
    }

    @Test("the blobs of a conflict stay until it is resolved")
    func conflict() throws {
        #expect(try insert("1-aa", blob: 1) == .inserted)
        try save("a", [2])
        #expect(try insert("2-bb", ["1-aa"], blob: 3) == .conflict)
        try collectAfterADay()
        #expect(try blobCount == 2)
        let theirs = try #require(RevisionID("2-bb"))
        #expect(try collection.document(id: "a", revision: theirs)?.blob(forKey: "x")?.content == Data([3]))
        try collection.resolveConflict(id: "a", revision: theirs, expecting: nil, resolution: .local)
        try collectAfterADay()
        #expect(try content("a") == Data([2]))
    }

    @Test("the blobs of the revision that a peer has, the base of deltas, stay until the peer has a later one")
    func base() throws {
        // Of small bodies no bases are kept.
        let text = String(repeating: "a large body ", count: 200)
        #expect(try insert("1-aa", blob: 1, text: text) == .inserted)
        let base = try #require(RevisionID("1-aa"))
        let remote = try database.remoteNumber("ws://127.0.0.1/db")
        for byte in UInt8(2)...4 {
            try save("a", [byte], text: text)
            try collectAfterADay()
            #expect(try collection.document(id: "a", revision: base)?.blob(forKey: "x")?.content == Data([1]))
            #expect(try content("a") == Data([byte]))
        }
        try collectAfterADay()
        #expect(try blobCount == 2)
        // The peer gets the current revision: the base goes, and with it its reference.
        let current = try #require(try collection.document(id: "a")).revision
        #expect(try collection.setRemoteRevision(id: "a", revision: current, remote: remote))
        try collectAfterADay()
        #expect(try blobCount == 1)
        #expect(try content("a") == Data([4]))
        #expect(try database.integrityFindings() == [])
    }

    @Test("content that a writer of this process left unfinished goes at the next occasion, that of a living one stays")
    func abandoned() throws {
        func begin() throws -> BlobWriter {
            var writer = try BlobWriter(spansTransactions: true)
            try writer.add([UInt8](repeating: 1, count: 5 * BlobStore.chunkByteCount))
            var holder: BlobWriter? = consume writer
            _ = try database.writer.perform(database) { try holder?.flush($0.blobs, atEnd: false) }
            guard let begun = holder.take() else { throw CancellationError() }
            return begun
        }
        var alive: BlobWriter? = try begin()
        do { _ = try begin() }
        #expect(try rowCount == 12)
        try collect()
        #expect(try rowCount == 6)
        let result = try database.writer.perform(database) { transaction in
            try alive.take()?.finish(transaction.blobs)
        }
        #expect(result?.length == UInt64(5 * BlobStore.chunkByteCount))
        #expect(try database.integrityFindings() == [])
        #expect(try database.localValue(store: "blobs", name: "writer/1") == nil)
    }

    @Test("an unfinished blob of a process that can't be examined stays for a day")
    func unknownWriter() throws {
        for text in ["", "a b c", "boot pid:[1] 1 1 00"] {
            try database.writer.perform(database) { transaction in
                try transaction.connection.execute(
                    sql: "INSERT INTO blobs (number, length, touched) VALUES (7, 0, ?)",
                    arguments: [time.unixMilliseconds])
                try transaction.blobs.setValue("writer/7", text)
            }
            try collect()
            // Only the text of another boot proves that the writer has ended.
            #expect(try rowCount == (text.hasPrefix("boot") ? 0 : 1), "\(text)")
            try collectAfterADay()
            #expect(try rowCount == 0)
        }
    }

    @Test("a blob larger than a step goes over several, each of which may be the last one before a crash")
    func largeBlob() throws {
        let chunkCount = 2 * BlobCollection.chunksPerStep + 10
        let bytes = [UInt8](repeating: 7, count: chunkCount * BlobStore.chunkByteCount)
        try save("a", bytes)
        try collection.purge(id: "a")
        try save("other", [1])
        // In a transaction, for which the timer's own steps wait.
        let (isMore, rows) = try database.writer.perform(database) { transaction in
            time.advance(by: Self.day + .seconds(1))
            return (try transaction.collectBlobs(), try transaction.connection.integer(Self.countOfRows))
        }
        #expect(isMore)
        #expect(rows == Int64(chunkCount - BlobCollection.chunksPerStep + 3))
        #expect(try database.integrityFindings() == [])
        // A process that was killed here leaves the rest to the next one; meanwhile the same content is stored anew.
        let next = try test.reopened(configuration)
        let again = try next.collection
        try again.save(document: MutableDocument(id: "b").setBlob(Blob(contentType: nil, bytes: bytes), forKey: "x"))
        try next.database.collectAllBlobs()
        #expect(try again.document(id: "b")?.blob(forKey: "x")?.content == Data(bytes))
        #expect(try rowCount == Int64(chunkCount + 1 + 2))
        #expect(try database.integrityFindings() == [])
    }

    @Test("an idle database deletes blobs by a timer, once nothing has changed blobs for a moment")
    func timer() async throws {
        for number in 0..<3 { try await collection.saveDocument(number) }
        for number in 0..<3 { try await collection.purge(id: "doc-\(number)") }
        try await save(id: "kept", [9])
        time.advance(by: Self.day + .seconds(1))
        try await eventually("the end of the blobs") {
            time.advance(by: .seconds(3))
            return try await database.write { _ in try rowCount } == 2
        }
        #expect(try content("kept") == Data([9]))
    }

    private func save(id: String, _ bytes: [UInt8]) async throws {
        try await collection.save(
            document: MutableDocument(id: id).setBlob(Blob(contentType: nil, bytes: bytes), forKey: "x"))
    }

    @Test("a database that is closed soon after it was written deletes what is due, one that only read doesn't")
    func close() throws {
        try save("a", [1])
        try collection.purge(id: "a")
        try save("b", [2])
        try database.close()
        time.advance(by: Self.day * 2)
        let reader = try test.reopened(configuration)
        #expect(try reader.database.statistics().blobCount == 2)
        try reader.database.close()
        let writer = try test.reopened(configuration)
        #expect(try writer.database.statistics().blobCount == 2)
        try writer.collection.save(document: MutableDocument(id: "c"))
        try writer.database.close()
        let last = try test.reopened(configuration)
        #expect(try last.database.statistics().blobCount == 1)
        #expect(try last.collection.document(id: "b")?.blob(forKey: "x")?.content == Data([2]))
    }

    @Test("closing doesn't wait for the transaction of another process", .endsIfItHangs)
    func closeBesideAnother() throws {
        var configuration = configuration
        configuration.busyTimeout = .seconds(86_400)
        let patient = try test.reopened(configuration)
        try patient.collection.save(
            document: MutableDocument(id: "a").setBlob(Blob(contentType: nil, bytes: [1]), forKey: "x"))
        try patient.collection.purge(id: "a")
        // In a transaction, for which the other database's own steps would wait.
        let count = try database.write { _ in
            time.advance(by: Self.day * 2)
            try patient.database.close()
            return try blobCount
        }
        #expect(count == 1)
    }

    @Test("who stores a large blob deletes what a killed writer left, so that the file doesn't grow by it")
    func sizeOfFile() throws {
        let size = 3 * BlobWriter.chunksPerTransaction * BlobStore.chunkByteCount
        func store(_ byte: UInt8) throws {
            let blob = Blob(
                contentType: nil,
                contentStream: BlobTests.stream([UInt8](repeating: byte, count: size), piece: 1 << 20))
            try database.saveBlob(blob: blob)
        }
        for round in UInt8(1)...3 {
            // What a process of an earlier boot left.
            try store(round)
            try database.writer.perform(database) { transaction in
                try transaction.connection.execute(sql: "UPDATE blobs SET digest = NULL, length = 0")
                let number = try transaction.connection.integer("SELECT max(number) FROM blobs")
                try transaction.blobs.setValue("writer/\(number)", "earlier-boot pid:[1] 1 1 00")
            }
        }
        try store(9)
        let pages = try database.scalar(sql: "PRAGMA page_count") * database.scalar(sql: "PRAGMA page_size")
        #expect(pages < Int64(size) * 5 / 2)
    }

    @Test("a pass that a clock set back has postponed by years is due")
    func clockSetBack() throws {
        try save("a", [1])
        try collection.purge(id: "a")
        try collect()
        let now = UInt64(time.unixMilliseconds / 1000)
        time.set(unixSeconds: now - 10 * 365 * 86_400)
        #expect(try database.nextBlobCollection() == 0)
        time.set(unixSeconds: now)
        try collectAfterADay()
        #expect(try rowCount == 0)
    }

    @Test("a database whose blobs are all in use is written once, to note that nothing is due")
    func nothingDue() throws {
        for number in 0..<(BlobCollection.blobsPerStep + 20) { try save("\(number)", Array("\(number)".utf8)) }
        #expect(try database.nextBlobCollection() == 0)
        try collect()
        #expect(try database.nextBlobCollection() == nil)
        // The number is a connection's own: it changes when another one has written.
        let observer = try test.file.makeQueue()
        func version() throws -> Int? { try observer.read { try Int.fetchOne($0, sql: "PRAGMA data_version") } }
        let before = try version()
        time.advance(by: Self.day * 5)
        #expect(try database.nextBlobCollection() == nil)
        #expect(try version() == before)
        try observer.close()
        try collection.purge(id: "3")
        let due = try #require(try database.nextBlobCollection())
        #expect(due == time.unixMilliseconds + BlobStore.unreferencedLifetime)
    }
}

extension SealiteDatabase.Collection {
    fileprivate func saveDocument(_ number: Int) async throws {
        try await save(
            document: MutableDocument(id: "doc-\(number)")
                .setBlob(Blob(contentType: nil, bytes: Array("blob \(number)".utf8)), forKey: "x"))
    }
}
