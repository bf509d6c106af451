import CSQLite
import Foundation
import SealiteCrypto
import SealiteFileTestSupport
import SealiteMaintenance
import Testing

@testable import SealiteFile

@Suite("golden files of format 1")
struct GoldenTests {
    private let scratch: SealedScratch
    init() throws { scratch = try SealedScratch() }

    private static let names = (try? Golden.notes().map(\.name)) ?? []

    private func note(_ name: String) throws -> GoldenNote {
        try #require(try Golden.notes().first { $0.name == name })
    }

    /// Copies a golden file and what lies beside it: the originals are only ever read.
    private func copy(_ note: GoldenNote) throws {
        for file in note.files { try scratch.write(try Golden.bytes(Golden.folder + "/" + file.name), file.name) }
    }

    @Test("every page size, slot kind and state has a golden file")
    func completeness() throws {
        let notes = try Golden.notes()
        #expect(Set(notes.map(\.pageSize)) == [1024, 2048, 4096, 8192, 16384, 32768, 65536])
        #expect(Set(notes.flatMap { $0.keys.map(\.kind) }) == ["raw-key", "passphrase", "recovery"])
        #expect(notes.contains { $0.files.contains { $0.name.hasSuffix("-wal") } })
        #expect(notes.contains { $0.files.contains { $0.name.hasSuffix("-journal") } })
        #expect(notes.contains { $0.files.contains { $0.name.hasSuffix("-rotate") } })
        #expect(notes.contains { $0.name.contains("damaged-copy") })
        #expect(notes.contains { $0.name == "slot-recovery.db" })
        #expect(notes.count >= 18)
    }

    @Test("a golden file is as it was made", arguments: names)
    func unchanged(name: String) throws {
        for file in try note(name).files {
            #expect(try Golden.sha256(try Golden.bytes(Golden.folder + "/" + file.name)) == file.sha256)
        }
    }

    @Test("every key opens it, and the content is the one recorded", arguments: names)
    func content(name: String) throws {
        let note = try note(name)
        try copy(note)
        for key in note.keys {
            let database = try Golden.open(scratch.path(name), with: key)
            #expect(database.pageSize == note.pageSize)
            let connection = try database.connect()
            connection.keepLogOnClose()
            #expect(try connection.integer("SELECT count(*) FROM notes") == note.noteCount)
            #expect(try Golden.sha256(Golden.plainBytes(connection)) == note.plainSHA256)
        }
    }

    @Test("a file without log or journal is read in place, read-only", arguments: names)
    func readOnly(name: String) throws {
        let note = try note(name)
        guard note.files.count == 1 else { return }
        let database = try Golden.open(Golden.folder + "/" + name, with: note.keys[0])
        let connection = try RawConnection(
            uri: database.readOnlyURI, path: database.path, flags: SQLITE_OPEN_READONLY)
        #expect(try Golden.sha256(Golden.plainBytes(connection)) == note.plainSHA256)
        #expect(throws: SealedFileError.self) { try connection.execute("DELETE FROM notes") }
        #expect(try Golden.sha256(try Golden.bytes(database.path)) == note.files[0].sha256)
    }

    @Test("verification finds it sound", arguments: names)
    func verified(name: String) throws {
        let note = try note(name)
        try copy(note)
        let report = try Golden.open(scratch.path(name), with: note.keys[0]).verify()
        #expect(report.isSound, "\(report.findings)")
        #expect(report.integrity == .ok)
        #expect(report.journal?.wasRolledBack == (name.hasPrefix("hot-journal") ? true : nil))
        #expect(((report.wal?.uncommittedFrameCount ?? 0) > 0) == name.hasPrefix("wal"))
    }
}
