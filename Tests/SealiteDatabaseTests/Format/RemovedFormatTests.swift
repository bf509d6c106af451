import Foundation
import GRDB
import SealiteCrypto
import SealiteFile
import Testing

@testable import SealiteDatabase
@testable import SealiteTestSupport

@Suite("document formats that were removed before the first release")
struct RemovedFormatTests {
    /// A database with a document and the number of another format, closed; returns the bytes of its file.
    private func made(_ test: TestDatabase, format: Int64) throws -> Data {
        try test.collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "n"))
        try test.database.writer.withoutTransaction {
            try $0.execute(sql: "PRAGMA user_version = \(format); PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try test.database.close()
        return try Data(contentsOf: URL(fileURLWithPath: test.file.path))
    }

    @Test(
        "a database of a removed format is refused with one error that names the way out, and stays as it is",
        arguments: 1..<FormatTables.version)
    func refused(format: Int64) throws {
        let test = try TestDatabase()
        let before = try made(test, format: format)
        let error = #expect(throws: SealiteDatabase.DatabaseError.self) { _ = try test.reopened() }
        #expect(error?.code == .databaseTooOld && error?.reason.contains("document format \(format)") == true)
        #expect(error?.hint == FileRemedy.exportByOldBuild.hint)
        let report = try SealiteDatabase.Database.checkDocuments(in: test.file) { _ in }
        #expect(report?.reasonForNoCheck == error?.reason)
        let copy = test.file.path + ".salvaged"
        let salvage = #expect(throws: SealedFileError.self) {
            _ = try SealiteDatabase.Database.salvage(test.file, to: copy)
        }
        #expect(salvage?.code == .unsupportedVersion && salvage?.hint == FileRemedy.exportByOldBuild.hint)
        #expect(!FileManager.default.fileExists(atPath: copy))
        #expect(try Data(contentsOf: URL(fileURLWithPath: test.file.path)) == before)
    }

    @Test("a format that never existed is damage, and a later one is told apart from a removed one")
    func others() throws {
        for (format, expected) in [
            (0, SealiteDatabase.DatabaseError.Code.corruptData), (-1, .corruptData),
            (FormatTables.version + 1, .databaseTooNew),
        ] as [(Int64, SealiteDatabase.DatabaseError.Code)] {
            let test = try TestDatabase()
            let before = try made(test, format: format)
            #expect(code { _ = try test.reopened() } == expected, "\(format)")
            guard expected == .databaseTooNew else { continue }
            #expect(try Data(contentsOf: URL(fileURLWithPath: test.file.path)) == before)
        }
    }

    @Test("a salvage recognises the tables of format 1 although page 1, with the number of the format, is lost")
    func tablesOfFirstFormat() throws {
        let tables = [
            "documents_1": "CREATE TABLE documents_1 (\n    sequence INTEGER PRIMARY KEY,\n    id TEXT NOT NULL) STRICT"
        ]
        #expect(throws: SealedFileError(.unsupportedVersion, "")) {
            _ = try DocumentGuide().applies(applicationID: nil, userVersion: nil, tables: tables)
        }
        let isOther = try !DocumentGuide().applies(applicationID: 7, userVersion: 1, tables: tables)
        let present = Dictionary(
            uniqueKeysWithValues: FormatTables.collectionParts(1).prefix(1).map { ($0.name, $0.sql) })
        let isOwn = try DocumentGuide().applies(applicationID: nil, userVersion: nil, tables: present)
        #expect(isOther && isOwn)
    }

    @Test("the numbers of documents stay, through changes, deletion and being made again")
    func numbersStay() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        func number(_ id: String) throws -> Int64 {
            try test.database.scalar(sql: "SELECT number FROM documents_1 WHERE id = '\(id)'")
        }
        for id in ["a", "b", "c"] { try collection.save(document: MutableDocument(id: id)) }
        let first = try number("b")
        try collection.save(document: MutableDocument(id: "b").setInt(1, forKey: "x"))
        #expect(try number("b") == first)
        try collection.delete(id: "b")
        #expect(try number("b") == -first)
        try collection.save(document: MutableDocument(id: "b"))
        #expect(try number("b") == first)
        // Also where a tombstone has the greatest number.
        try collection.delete(id: "c")
        try collection.purge(id: "a")
        try collection.purge(id: "b")
        try collection.save(document: MutableDocument(id: "d"))
        #expect(try number("d") == -(try number("c")) + 1)
        #expect(try collection.count == 1 && test.database.integrityFindings() == [])
    }
}
