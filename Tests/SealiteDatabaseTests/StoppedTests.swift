import Foundation
import SealiteFile
import Testing

@testable import SealiteDatabase
@testable import SealiteTestSupport

@Suite("a collection that goes away, a disk that fails")
struct StoppedTests {
    @Test("a collection deleted while it is read: the read goes on in its own state, the next one says so")
    func deletedWhileRead() throws {
        let test = try TestDatabase()
        let collection = try test.database.createCollection(name: "hotels")
        try test.database.write { _ in
            for index in 0..<1000 {
                try collection.save(document: MutableDocument(id: "\(index)").setInt(1, forKey: "x"))
            }
        }
        let other = try test.reopened()
        var count = 0
        try collection.forEachDocument { document in
            if count == 10 { try other.database.deleteCollection(name: "hotels") }
            count += document.int(forKey: "x")
        }
        #expect(count == 1000)
        #expect(code { try collection.forEachDocument { _ in } } == .notOpen)
        #expect(code { _ = try collection.documents(in: DocumentRange()) } == .notOpen)
        #expect(code { _ = try collection.document(id: "1") } == .notOpen)
        #expect(code { try collection.save(document: MutableDocument()) } == .notOpen)
        #expect(code { try collection.purge(id: "1") } == .notOpen)
        #expect(code { try collection.setDocumentExpiration(id: "1", expiration: nil) } == .notOpen)
        #expect(code { _ = try collection.changes(since: 0) } == .notOpen)
        let again = try other.database.createCollection(name: "hotels")
        #expect(try again.count == 0)
    }

    @Test(
        "every disk operation of a save may fail: nothing half saved, and the database goes on",
        arguments: [Fault.Style.full, .error])
    func faults(style: Fault.Style) throws {
        let disk = MemoryDisk()
        let vfs = try TestVFS(name: "documents, \(style), below", disk: disk)
        let choice = VFSChoice(name: "documents, \(style), sealed", base: vfs.name)
        let path = "/documents.db"
        _ = try SealedDatabase.create(path, slot: .rawKey(testKey(7)), vfs: choice)
        let file = try SealedDatabase.open(path, key: .rawKey(testKey(7)), vfs: choice)
        let database = try SealiteDatabase.Database(file: file)
        let collection = try database.defaultCollection()
        let content = [UInt8](repeating: 5, count: 200_000)
        var failures = 0
        for number in 1...200 {
            let id = "doc-\(number)"
            let before = try collection.changes(since: 0, limit: 1000).map(\.id)
            vfs.tap.arm(Fault(style, number: number))
            let failure = code {
                try database.write { _ in
                    try collection.save(document: MutableDocument(id: id + "-first"))
                    let blob = Blob(contentType: nil, bytes: content + [UInt8(number & 255)])
                    try collection.save(document: MutableDocument(id: id).setBlob(blob, forKey: "b"))
                }
            }
            let strikes = vfs.tap.strikes
            vfs.tap.disarm()
            let after = try collection.changes(since: 0, limit: 1000).map(\.id)
            let isSaved = after == before + [id + "-first", id]
            #expect(isSaved == (failure == nil), "fault \(number): \(String(describing: failure))")
            #expect(isSaved || after == before, "fault \(number): half saved")
            failures += failure == nil ? 0 : 1
            if strikes == 0 { break }
        }
        #expect(failures > 3)
        #expect(try database.integrityFindings() == [])
        try database.close()
    }

    @Test(
        "no blob is made of an open database's own files, whose locks that would drop", arguments: ["", "-wal", "-shm"])
    func ownFiles(suffix: String) throws {
        let test = try TestDatabase()
        try test.collection.save(document: MutableDocument(id: "a"))
        let url = URL(fileURLWithPath: test.folder.path + "/test.db" + suffix)
        let blob = try Blob(contentType: nil, fileURL: url)
        let document = MutableDocument(id: "b").setBlob(blob, forKey: "x")
        #expect(code { try test.collection.save(document: document) } == .invalidParameter)
        #expect(try test.collection.document(id: "b") == nil)
    }

    @Test("an unknown @type is kept as it is")
    func unknownType() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        let json = #"{"x":{"@type":"hologram","data":[1.50,{"@type":7}]},"@type":"y"}"#
        try collection.save(document: try MutableDocument(id: "a", json: json))
        #expect(try collection.document(id: "a")?.toJSON() == json)
        #expect(try collection.document(id: "a")?.dictionary(forKey: "x")?.string(forKey: "@type") == "hologram")
    }
}
