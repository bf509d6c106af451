import Foundation
import GRDB

@testable import SealiteDatabase

/// Databases of format 1, which no code writes any more.
enum FirstFormat {
    /// Takes a database back to format 1: the same rows in the tables that it had.
    static func makeEarlier(_ database: SealiteDatabase.Database) throws {
        try database.writer.withoutTransaction { connection in
            try connection.execute(sql: "BEGIN IMMEDIATE")
            for number in try Int.fetchAll(connection, sql: "SELECT number FROM collections") {
                for part in Schema.collectionParts(number).dropFirst() {
                    try connection.execute(sql: "DROP INDEX \(part.name)")
                }
                try connection.execute(sql: "ALTER TABLE documents_\(number) RENAME TO later")
                for part in Schema.firstCollectionParts(number) { try connection.execute(sql: part.sql) }
                let columns = "sequence, id, flags, revision, expires, body, tree"
                try connection.execute(
                    sql: """
                        INSERT INTO documents_\(number) (\(columns)) SELECT \(columns) FROM later ORDER BY sequence;
                        DROP TABLE later
                        """)
            }
            for part in Schema.laterParts { try connection.execute(sql: "DROP TABLE \(part.name)") }
            try connection.execute(sql: "PRAGMA user_version = 1; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// What both formats store of every document, byte for byte, in a text for each collection: fast, for many documents.
    static func rows(_ database: SealiteDatabase.Database) throws -> [String] {
        try database.writer.withoutTransaction { connection in
            try Int.fetchAll(connection, sql: "SELECT number FROM collections ORDER BY number").map { number in
                try String.fetchOne(
                    connection,
                    sql: """
                        SELECT group_concat(sequence || ' ' || quote(id) || flags || hex(revision) || ' ' || quote(expires)
                            || hex(body) || ' ' || hex(tree), char(10))
                        FROM (SELECT * FROM documents_\(number) ORDER BY sequence)
                        """) ?? ""
            }
        }
    }

    /// Every document, tombstones included, with its place, revision, history and content.
    static func contents(_ database: SealiteDatabase.Database) throws -> [String] {
        try database.scopes().flatMap { try $0.collections() }.sorted { $0.fullName < $1.fullName }.flatMap {
            collection in
            try collection.changes(since: 0, limit: .max).map { change in
                let document = try collection.document(id: change.id)
                let history = try collection.revisions(id: change.id).map {
                    "\($0.id)\($0.isDeleted ? " deleted" : "")"
                }
                return
                    "\(collection.fullName) \(change.sequence) \(change.id) \(history) \(document?.json ?? "deleted")"
            }
        }
    }
}

extension Document {
    fileprivate var json: String { String(decoding: (try? JSONSerializer.text(of: body)) ?? [], as: UTF8.self) }
}
