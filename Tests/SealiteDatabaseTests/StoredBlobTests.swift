import Foundation
import GRDB
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

@Suite("storing content that is stored already")
struct StoredBlobTests {
    let test: TestDatabase
    /// More than two transactions write.
    let content: [UInt8]
    var database: SealiteDatabase.Database { test.database }

    init() throws {
        test = try TestDatabase()
        content = Array(repeating: Array("sealed \u{1} ".utf8), count: 1_000_000).flatMap { $0 }
    }

    /// A stream of bytes, in pieces of 64 KiB; `next` is called before each piece.
    // Sendable: the position is used by the one thread that stores the blob.
    private final class Stream: @unchecked Sendable {
        private let bytes: [UInt8]
        private let next: (Int) throws -> Void
        private(set) var position = 0

        init(_ bytes: [UInt8], next: @escaping (Int) throws -> Void = { _ in }) {
            (self.bytes, self.next) = (bytes, next)
        }

        var blob: Blob { Blob(contentType: nil, contentStream: { _ in try self.read() }) }

        var rewindable: Blob {
            Blob(
                contentType: nil, length: UInt64(bytes.count), contentStream: { _ in try self.read() },
                rewind: { self.position = 0 })
        }

        private func read() throws -> [UInt8] {
            try next(position)
            let end = min(position + 65_536, bytes.count)
            defer { position = end }
            return Array(bytes[position..<end])
        }
    }

    private func file(_ bytes: [UInt8], _ name: String = "content") throws -> Blob {
        let url = URL(fileURLWithPath: test.folder.path + "/" + name)
        try Data(bytes).write(to: url)
        return try Blob(contentType: nil, fileURL: url)
    }

    /// The number of rows that `body` inserts, changes and deletes.
    private func changes(_ body: () throws -> Void) throws -> Int {
        func count() throws -> Int { try database.writer.perform(database) { $0.connection.totalChangesCount } }
        let before = try count()
        try body()
        return try count() - before
    }

    private func digest(_ bytes: [UInt8]) throws -> BlobDigest {
        try #require(BlobDigest(bytes: try HashDigest.sha1(bytes)))
    }

    /// The content as each kind of source that needs no copy to be compared.
    private func sources(_ bytes: [UInt8]) throws -> [Blob] {
        [Blob(contentType: nil, bytes: bytes), try file(bytes), Stream(bytes).rewindable]
    }

    @Test("content of bytes, of a file and of a stream that can be read twice isn't written again")
    func unwritten() throws {
        try database.saveBlob(blob: Stream(content).blob)
        let digest = try digest(content)
        for blob in try sources(content) {
            #expect(try changes { try database.saveBlob(blob: blob) } == 1, "the time of its last use")
            #expect(blob.digest == digest.description && blob.length == UInt64(content.count))
        }
        let stated = Stream(content).blob
        #expect(try changes { try database.saveBlob(stated, expecting: digest, length: nil) } == 2)
        #expect(try stated.content == Data(content))
        // In a transaction, and as a part of a document.
        for blob in try sources(content) {
            let count = try changes {
                try database.write { _ in
                    _ = try test.collection.save(document: MutableDocument(id: "a").setBlob(blob, forKey: "x"))
                }
            }
            #expect(count < 8)
        }
        #expect(try database.statistics().blobCount == 1)
        #expect(try database.integrityFindings() == [])
    }

    @Test("a stream that can be read once isn't written if it ends in the first transaction")
    func short() throws {
        let short = Array(content.prefix(3 << 20))
        try database.saveBlob(blob: Stream(short).blob)
        #expect(try changes { try database.saveBlob(blob: Stream(short).blob) } == 1)
        #expect(try changes { try database.write { _ in try database.saveBlob(blob: Stream(short).blob) } } == 1)
        // A longer one is compared at its end.
        for _ in 0..<2 { try database.saveBlob(blob: Stream(content).blob) }
        #expect(try database.statistics().blobCount == 2)
        #expect(try database.integrityFindings() == [])
    }

    @Test("content of the length of another one is stored")
    func sameLength() throws {
        try database.saveBlob(blob: Stream(content).blob)
        for (number, kind) in [0, 1, 2].enumerated() {
            var other = content
            other[number] ^= 1
            let blob = try sources(other)[kind]
            try database.saveBlob(blob: blob)
            #expect(try blob.content == Data(other))
        }
        #expect(try database.statistics().blobCount == 4)
    }

    @Test("content that is compared stays, though a compaction deletes what nothing refers to")
    func compaction() throws {
        let document = MutableDocument(id: "a").setBlob(Blob(contentType: nil, bytes: content), forKey: "x")
        try test.collection.save(document: document)
        try test.collection.purge(id: "a")
        document.removeValue(forKey: "x")
        let database = database
        let stream = Stream(content) { position in
            if position == 6 << 20 { try database.performMaintenance(type: .compact) }
        }
        let blob = stream.blob
        try database.saveBlob(blob, expecting: try digest(content), length: nil)
        #expect(try blob.content == Data(content))
    }

    @Test("content that isn't the stated one leaves what is stored")
    func stated() throws {
        try database.saveBlob(blob: Stream(content).blob)
        let digest = try digest(content)
        let short = Array(content.dropLast())
        #expect(code { try database.saveBlob(Stream(short).blob, expecting: digest, length: nil) } == .blobMismatch)
        #expect(code { try database.saveBlob(file(short), expecting: digest, length: nil) } == .blobMismatch)
        let other = try self.digest([1])
        for blob in try sources(content) + [Stream(content).blob] {
            #expect(code { try database.saveBlob(blob, expecting: other, length: nil) } == .blobMismatch)
        }
        #expect(try database.statistics().blobCount == 1)
        #expect(try database.integrityFindings() == [])
    }

    @Test("a file that is gone when its digest is computed isn't found, and stopping ends the reading")
    func failures() throws {
        try database.saveBlob(blob: Stream(content).blob)
        let blob = try file(content)
        try FileManager.default.removeItem(atPath: test.folder.path + "/content")
        #expect(code { try database.saveBlob(blob: blob) } == .notFound)
        let control = WriteControl()
        let stream = Stream(content) { position in if position == 1 << 20 { control.stop() } }
        WriteControl.$current.withValue(control) {
            #expect(code { try database.saveBlob(blob: stream.rewindable) } == .cancelled)
        }
        #expect(stream.position == (1 << 20) + 65_536)
    }
}
