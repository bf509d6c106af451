import CSQLite
import Foundation
import SealiteCrypto
import SealiteFileTestSupport
import SealiteTestSupport
import Testing

@testable import SealiteFile

@Suite("nothing readable reaches a disk")
struct MarkerTests {
    /// Text put into values, names and comments, which must not occur in any write below the sealing VFS.
    enum Marker: String, CaseIterable {
        case text = "marker-in-text-4711"
        case blob = "marker-in-blob-0815"
        case key = "marker-in-index-2357"
        case search = "markerinfulltext1123"
        case name = "marker_of_a_name_3141"
        case old = "marker-deleted-1618"

        func isIn(_ bytes: [UInt8]) -> Bool {
            unsafe bytes.withUnsafeBytes { unsafe MemoryPiece.count(Array(rawValue.utf8), in: $0) } > 0
        }
    }

    @Test(
        "no marker is readable in any file that SQLite writes, whatever the journal mode; the same work on plain files shows every marker",
        arguments: ["DELETE", "TRUNCATE", "PERSIST", "WAL"])
    func everyWrite(mode: String) throws {
        let disk = try MortalDisk()
        let (sealed, plain) = (try Folder(), try Folder())
        let sealedWrites = try disk.record {
            let database = try sealed.createEmpty(on: disk.choice)
            let other = try sealed.createEmpty("b.db", seed: 9, on: disk.choice)
            let connection = try database.connect()
            try Self.work(mode, on: connection, other: other.uri)
            try connection.execute("VACUUM INTO '\(database.uri(forCopyAt: sealed.file("copy.db")))'")
            _ = try KeyRotation(of: database).run()
        }
        let plainWrites = try disk.record {
            func uri(_ name: String) -> String {
                VFSChoice(name: disk.choice.base, base: disk.choice.base).uri(plain.file(name))
            }
            let connection = try RawConnection(
                uri: uri("a.db"), path: plain.file("a.db"), flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            try Self.work(mode, on: connection, other: uri("b.db"))
            try connection.execute("VACUUM INTO '\(uri("copy.db"))'")
        }
        for marker in Marker.allCases {
            let found = sealedWrites.filter { $0.kind == .write && marker.isIn($0.bytes) }
            #expect(found.isEmpty, "\(marker) in \(Set(found.map(\.file)))")
            #expect(plainWrites.contains { marker.isIn($0.bytes) }, "\(marker) isn't in the plain files")
        }
        // The search looks where there is something to find, and both went through the same kinds of files.
        let kinds = Self.kinds(plainWrites) { write in Marker.allCases.contains { $0.isIn(write.bytes) } }
        let log: FileKind = mode == "WAL" ? .wal : .journal
        #expect(
            kinds.isSuperset(of: [.main, log, .temporary, .transient, .temporaryJournal, .statementJournal]), "\(kinds)"
        )
        #expect(Self.kinds(sealedWrites) { _ in true }.isSuperset(of: kinds))
    }

    private static func kinds(_ operations: [FileOperation], _ holds: (FileOperation) -> Bool) -> Set<FileKind> {
        Set(operations.filter { $0.kind == .write && holds($0) }.map(\.file))
    }

    /// Something for every kind of file: spills, savepoints, temporary tables, sorters, VACUUM, a second database.
    private static func work(_ mode: String, on connection: RawConnection, other: String) throws(SealedFileError) {
        let rows = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 400)"
        _ = try connection.text("PRAGMA journal_mode = \(mode)")
        try connection.execute(
            """
            PRAGMA temp_store = FILE; PRAGMA cache_size = 10; PRAGMA temp.cache_size = 5; PRAGMA cache_spill = 5;
            PRAGMA secure_delete = OFF;
            CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT, data BLOB, k TEXT);
            CREATE TABLE \(Marker.name.rawValue)(x);
            CREATE INDEX by_key ON notes(k);
            CREATE VIRTUAL TABLE found USING fts5(body);
            \(rows) INSERT INTO notes SELECT x, '\(Marker.text.rawValue) ' || x || hex(randomblob(60)),
                CAST('\(Marker.blob.rawValue)' AS BLOB) || randomblob(30), '\(Marker.key.rawValue)' || x FROM n;
            INSERT INTO found SELECT '\(Marker.search.rawValue) ' || id FROM notes;
            INSERT INTO notes(body) SELECT '\(Marker.old.rawValue)' FROM notes; DELETE FROM notes WHERE id > 400;
            BEGIN; UPDATE notes SET body = body || '!'; SAVEPOINT s; UPDATE notes SET k = k || '?'; ROLLBACK TO s; COMMIT;
            CREATE TEMP TABLE aside AS SELECT * FROM notes;
            """)
        // More than a sorter and a transient table keep in memory.
        let many = "notes, (SELECT 1 FROM notes LIMIT 40)"
        _ = try connection.text("SELECT max(length(body)) FROM (SELECT body, k FROM \(many) ORDER BY data, random())")
        _ = try connection.text("SELECT count(*) FROM (SELECT DISTINCT body || k || random() FROM \(many))")
        try connection.execute("ATTACH '\(other)' AS other")
        try connection.execute(
            """
            PRAGMA other.journal_mode = \(mode);
            BEGIN; CREATE TABLE other.copy AS SELECT * FROM notes; DELETE FROM notes WHERE id % 3 = 0; COMMIT;
            VACUUM;
            """)
    }
}

extension Folder {
    /// A new sealed database under `rawKey(seed)`, made through a VFS of the test's.
    fileprivate func createEmpty(
        _ name: String = "a.db", seed: UInt8 = 7, on vfs: VFSChoice
    ) throws(SealedFileError) -> SealedDatabase {
        try SealedDatabase.create(
            file(name), slot: .rawKey(rawKey(seed)), options: CreationOptions(pageSize: 1024), vfs: vfs)
    }
}
