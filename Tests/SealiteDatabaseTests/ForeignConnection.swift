import GRDB
import SealiteFile
import SealiteGRDB

/// A connection on the file that the library knows nothing of: what another process would be.
struct ForeignConnection {
    private let queue: DatabaseQueue

    init(_ file: SealedDatabase) throws { queue = try file.makeQueue() }

    func copyRow(_ id: String, to copy: String, sequence: Int64) throws {
        try queue.write {
            try $0.execute(
                sql: """
                    INSERT INTO documents_1 (number, sequence, id, flags, revision, body)
                    SELECT (SELECT max(number) + 1 FROM documents_1), ?, ?, flags, revision, body FROM documents_1 WHERE id = ?
                    """, arguments: [sequence, copy, id])
        }
    }

    func purge(_ id: String, sequence: Int64) throws {
        try queue.write {
            try $0.execute(sql: "DELETE FROM documents_1 WHERE id = ?", arguments: [id])
            try $0.execute(
                sql: "UPDATE collections SET purges = purges + 1, sequence = ? WHERE number = 1", arguments: [sequence])
        }
    }
}
