import CSQLite
import Foundation
package import SealiteCrypto
package import SealiteFile

/// A folder for one test, removed with everything in it when the value goes.
package final class SealedScratch {
    package let folder: String

    package init() throws {
        folder = NSTemporaryDirectory() + "sealite-test-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    package func path(_ name: String) -> String { folder + "/" + name }

    /// A new sealed database under `testKey`.
    package func create(_ name: String = "test.db", pageSize: Int = 1024, mode: String = "WAL") throws -> SealedDatabase
    {
        let database = try SealedDatabase.create(
            path(name), slot: .rawKey(testKey()), options: CreationOptions(pageSize: pageSize))
        _ = try database.connect().text("PRAGMA journal_mode=\(mode)")
        return database
    }

    package func open(_ name: String = "test.db", seed: UInt8 = 7) throws -> SealedDatabase {
        try SealedDatabase.open(path(name), key: .rawKey(testKey(seed)))
    }

    /// The bytes of a file that no connection has open.
    package func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    package func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    }

    /// Overwrites a part of a file that no connection has open.
    package func patch(_ name: String, at offset: Int, _ bytes: [UInt8]) throws {
        try RawFile.patch(path(name), at: offset, with: bytes)
    }

    package func remove(_ name: String) { try? FileManager.default.removeItem(atPath: path(name)) }

    package func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Copies a database with all that lies beside it, as a crash would leave it.
    package func copy(_ name: String, to other: String) throws {
        for suffix in ["", "-wal", "-journal"] {
            remove(other + suffix)
            if exists(name + suffix) { try write(try bytes(name + suffix), other + suffix) }
        }
        remove(other + "-shm")
    }
}

/// A raw key of 32 equal bytes: for tests only.
package func testKey(_ seed: UInt8 = 7) -> SecretBytes { secret([UInt8](repeating: seed, count: 32)) }

package func secret(_ text: String) -> SecretBytes { secret(Array(text.utf8)) }

package func secret(_ bytes: [UInt8]) -> SecretBytes {
    unsafe SecretBytes(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) }
}

extension RawConnection {
    /// Rows of text as a reader sees them, for comparing content.
    package func dump(_ sql: String = "SELECT id, body FROM notes ORDER BY id") throws(SealedFileError) -> [String] {
        var rows: [String] = []
        try query(sql) { (row) throws(SealedFileError) in
            rows.append((0..<row.columnCount).map { row.text($0) ?? "NULL" }.joined(separator: "|"))
        }
        return rows
    }

    package func fillNotes(_ count: Int, text: String = "note", byteCount: Int = 120) throws(SealedFileError) {
        try execute("CREATE TABLE IF NOT EXISTS notes(id INTEGER PRIMARY KEY, body TEXT)")
        try execute(
            """
            WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < \(count))
            INSERT INTO notes(body) SELECT '\(text) ' || x || ' ' || hex(zeroblob(\(byteCount / 2))) FROM n
            """)
    }

    /// A connection whose close leaves the WAL as it is.
    package func keepLogOnClose() { _ = unsafe sealite_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1) }
}
