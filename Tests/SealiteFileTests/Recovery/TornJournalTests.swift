import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("a torn rollback journal")
struct TornJournalTests {
    private static let unit = 4096

    /// Returns whether the database opens with its former content; nil if the journal was refused as damaged.
    private func recovers(_ folder: Folder, to before: String) throws -> Bool? {
        let disk = try folder.contents()
        let connection = try folder.open().connect()
        do throws(SealedFileError) {
            guard try connection.fingerprint() == before else { return false }
        } catch {
            guard error.code == .damagedJournal else { throw error }
            #expect(failureCode { try connection.addNotes(1) } == .damagedJournal)
            #expect(try folder.contents() == disk, "something was written although the journal is damaged")
            return nil
        }
        try connection.checkIntegrity()
        return true
    }

    @Test(
        "a torn rollback journal that was synced is refused, wherever it is damaged",
        arguments: ["DELETE", "TRUNCATE", "PERSIST"])
    func synced(mode: String) throws {
        let crash = try Crash(mode: mode, rows: 150)
        let journal = try RawFile.read(crash.folder.file("a.db-journal"))
        let count = journal.count / Self.unit - 1
        #expect(count > 6)
        for index in 0..<count {
            for spoil in [0, 1, 2] {
                let folder = try Folder()
                try crash.folder.copy(to: folder)
                let (path, offset) = (folder.file("a.db-journal"), Self.unit * (1 + index))
                switch spoil {
                case 0: try RawFile.flip(path, at: offset + 100)
                case 1: try RawFile.patch(path, at: offset, with: [UInt8](repeating: 0, count: Self.unit))
                default: try RawFile.patch(path, at: offset + 2048, with: [UInt8](repeating: 9, count: 2048))
                }
                let outcome = try recovers(folder, to: crash.before)
                // The mark that says "all was synced" is the last unit: without it nothing is known to be lost, and every unit
                // before it is there.
                #expect(
                    outcome == nil || (index == count - 1 && outcome == true), "\(mode) unit \(index) spoil \(spoil)")
            }
        }
        #expect(try recovers(crash.folder, to: crash.before) == true)
    }

    @Test(
        "a torn rollback journal that was never synced reads as its whole units",
        arguments: ["DELETE", "TRUNCATE", "PERSIST"])
    func unsynced(mode: String) throws {
        let (start, rehearsal, disk) = (try Folder(), try Folder(), try MortalDisk())
        let before = try start.create(mode: mode, rows: 150).connect().fingerprint()
        try start.copy(to: rehearsal)
        let operations = try disk.record { try Crash.run(Crash.changeAll, mode, in: rehearsal, on: disk) }
        let mutations = operations.filter { [.write, .truncate, .delete].contains($0.kind) }
        let firstPage = try #require(mutations.firstIndex { $0.kind == .write && $0.path?.hasSuffix("a.db") == true })
        // Dies at each write of the journal, with what came so far torn at its end.
        for number in 1...firstPage {
            for torn in [0, 1, 2000] {
                let folder = try Folder()
                try start.copy(to: folder)
                disk.die(at: number + 1) { try Crash.run(Crash.changeAll, mode, in: folder, on: disk) }
                let path = folder.file("a.db-journal")
                if torn > 0, let size = RawFile.byteCount(path), size > torn {
                    try RawFile.write(Array(try RawFile.read(path).dropLast(torn)), to: path)
                }
                // A mark among the units says that all before it was synced: then a torn unit is damage, not the end.
                let outcome = try recovers(folder, to: before)
                #expect(outcome == true, "\(mode) died at \(number), torn by \(torn)")
            }
        }
    }

    @Test(
        "a torn rollback journal whose preamble is broken is that of its first unit, and is played back",
        arguments: ["DELETE", "TRUNCATE", "PERSIST"])
    func preamble(mode: String) throws {
        let crash = try Crash(mode: mode)
        for offset in 0..<32 {
            let folder = try Folder()
            try crash.folder.copy(to: folder)
            try RawFile.flip(folder.file("a.db-journal"), at: offset)
            #expect(try recovers(folder, to: crash.before) == true, "\(mode) preamble byte \(offset)")
        }
    }

    @Test("of zero bytes, or with a preamble of zeros, is no journal", arguments: [true, false])
    func noJournal(isEmpty: Bool) throws {
        let folder = try Folder()
        let before = try folder.create().connect().fingerprint()
        try RawFile.write(isEmpty ? [] : [UInt8](repeating: 0, count: 4096), to: folder.file("a.db-journal"))
        #expect(try recovers(folder, to: before) == true)
    }
}
