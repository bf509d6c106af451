import SealiteFileTestSupport
import SealiteMaintenance
import Testing

@testable import SealiteFile

@Suite("an old journal or log put back")
struct OldJournalTests {
    @Test(
        "an old journal or log is refused when it is older than the last transaction",
        arguments: ["DELETE", "TRUNCATE", "PERSIST"])
    func olderJournal(mode: String) throws {
        let crash = try Crash(mode: mode)
        let path = crash.folder.file("a.db-journal")
        let journal = try RawFile.read(path)
        let current: String
        do {
            let connection = try crash.folder.open().connect()
            for _ in 0..<3 { try connection.addNotes(5) }
            current = try connection.fingerprint()
        }
        let database = try RawFile.read(crash.folder.file("a.db"))
        try RawFile.write(journal, to: path)
        do {
            let connection = try crash.folder.open().connect()
            #expect(failureCode { _ = try connection.fingerprint() } == .foreignJournal)
            #expect(failureCode { try connection.addNotes(1) } == .foreignJournal)
        }
        #expect(try RawFile.read(crash.folder.file("a.db")) == database)
        #expect(try RawFile.read(path) == journal)
        try RawFile.write([], to: path)
        #expect(try crash.folder.open().connect().fingerprint() == current)
    }

    @Test("of the very last transaction undoes it as a whole: the limit that SECURITY.md states")
    func lastJournal() throws {
        let crash = try Crash(mode: "DELETE")
        let path = crash.folder.file("a.db-journal")
        let journal = try RawFile.read(path)
        try RawFile.write([], to: path)
        #expect(try crash.folder.open().connect().fingerprint() != crash.before, "the transaction is committed")
        try RawFile.write(journal, to: path)
        let connection = try crash.folder.open().connect()
        #expect(try connection.fingerprint() == crash.before)
        try connection.checkIntegrity()
    }

    @Test("of another database with the same key is ignored, and verify says that it lies there")
    func foreignJournal() throws {
        let crash = try Crash(mode: "DELETE")
        let other = try Folder()
        let content = try other.create().connect().fingerprint()
        try RawFile.write(try RawFile.read(crash.folder.file("a.db-journal")), to: other.file("a.db-journal"))
        let report = try other.open().verify()
        #expect(report.isSound && report.findings.map(\.code) == [.foreignJournal])
        try RawFile.write(try RawFile.read(crash.folder.file("a.db-journal")), to: other.file("a.db-journal"))
        let connection = try other.open().connect()
        let code = failureCode { _ = try connection.fingerprint() }
        #expect(code == nil || code == .foreignJournal || code == .damagedJournal)
        if code == nil {
            #expect(try connection.fingerprint() == content)
            try connection.checkIntegrity()
        }
    }

    @Test("a log of another database with the same key is ignored")
    func foreignWAL() throws {
        let folder = try Folder()
        do {
            let connection = try folder.create(mode: "WAL").connect()
            try connection.addNotes(10)
            connection.keepWALOnClose()
        }
        let other = try Folder()
        let content = try other.create(mode: "WAL").connect().fingerprint()
        try RawFile.write(try RawFile.read(folder.file("a.db-wal")), to: other.file("a.db-wal"))
        let connection = try other.open().connect()
        #expect(try connection.fingerprint() == content)
        try connection.checkIntegrity()
    }

    @Test("frames of an older generation behind the current ones are ignored")
    func olderFrames() throws {
        let folder = try Folder()
        let expected: String
        do {
            let connection = try folder.create(mode: "WAL").connect()
            try connection.addNotes(200)
            // The log starts again at its beginning, over the frames of its last round.
            #expect(try connection.text("PRAGMA wal_checkpoint(RESTART)") == "0")
            try connection.addNotes(1)
            expected = try connection.fingerprint()
            connection.keepWALOnClose()
        }
        let connection = try folder.open().connect()
        #expect(try connection.fingerprint() == expected)
        try connection.checkIntegrity()
    }
}
