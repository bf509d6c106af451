import CSQLite
import Glibc
package import SealiteCrypto
package import SealiteFile

/// A raw key of 32 equal bytes: for tests only.
package func rawKey(_ seed: UInt8 = 7) -> SecretBytes { SecretBytes([UInt8](repeating: seed, count: 32)) }

extension Folder {
    /// A sealed database under `rawKey(seed)`, in a journal mode, with a table `notes` of `rows` rows.
    @discardableResult
    package func create(
        _ name: String = "a.db", mode: String = "DELETE", pageSize: Int = 1024, seed: UInt8 = 7, rows: Int = 100,
        autoVacuum: AutoVacuum = .none
    ) throws -> SealedDatabase {
        let options = CreationOptions(pageSize: pageSize, autoVacuum: autoVacuum)
        let database = try SealedDatabase.create(file(name), slot: .rawKey(rawKey(seed)), options: options)
        let connection = try database.connect()
        guard try connection.text("PRAGMA journal_mode = \(mode)") == mode.lowercased() else {
            throw SealedFileError(.statement, "the journal mode \(mode) was refused")
        }
        try connection.execute("CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT)")
        try connection.addNotes(rows)
        return database
    }

    package func open(
        _ name: String = "a.db", seed: UInt8 = 7, vfs: VFSChoice = .standard
    ) throws(SealedFileError) -> SealedDatabase {
        try SealedDatabase.open(file(name), key: .rawKey(rawKey(seed)), vfs: vfs)
    }

    /// Copies everything into another folder, as it is on disk. Only while nothing is open here.
    package func copy(to other: Folder) throws {
        for name in names where !name.hasSuffix("-shm") {
            try RawFile.write(try RawFile.read(file(name)), to: other.file(name))
        }
    }

    /// Everything on disk, by name, WAL indexes excepted: they hold no content and are made anew.
    package func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in names where !name.hasSuffix("-shm") { contents[name] = try RawFile.read(file(name)) }
        return contents
    }
}

extension RawConnection {
    /// Adds rows of some 200 bytes each.
    package func addNotes(_ count: Int) throws(SealedFileError) {
        guard count > 0 else { return }
        try execute(
            """
            WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < \(count))
            INSERT INTO notes(body) SELECT 'note ' || x || ' ' || hex(randomblob(100)) FROM n
            """)
    }

    /// A number that two connections agree on if they see the same notes.
    package func fingerprint(_ table: String = "notes") throws(SealedFileError) -> String {
        var text = ""
        try query("SELECT count(*), total(id), total(length(body)), group_concat(substr(body, 1, 40)) FROM \(table)") {
            (row) throws(SealedFileError) in text = (0..<4).map { row.text($0) ?? "" }.joined(separator: "|")
        }
        return text
    }

    /// Throws unless SQLite's own check finds nothing.
    package func checkIntegrity() throws(SealedFileError) {
        let found = try text("PRAGMA integrity_check") ?? ""
        guard found == "ok" else { throw SealedFileError(.integrity, found) }
    }

    /// Leaves the WAL as it is when this connection closes last.
    package func keepWALOnClose() { _ = unsafe sealite_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1) }
}

/// The code of the error that a closure throws; nil where it throws none.
package func failureCode(_ body: () throws -> Void) -> SealedFileError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? SealedFileError)?.code ?? .internalFailure
    }
}
