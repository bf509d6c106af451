import Foundation
import GRDB
import SealiteFile
import SealiteGRDB
import Testing

@testable import SealiteDatabase

/// A database with indexes, and what other programs would do with it.
struct IndexStage {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
    }

    /// Indexes of every form: one path, two keys with a step into an array, SQL with a condition.
    static let definitions: [String: KeyDefinition] = [
        "age": KeyDefinition(keys: [.path([.member("age")], .queries)]),
        "two": KeyDefinition(keys: [
            .path([.member("address"), .member("it's"), .item(0)], .mongo), .path([.member("age")], .mongo),
        ]),
        "some": KeyDefinition(
            keys: [.sql("CAST(upper(body_value(body, 'name')) AS BLOB)")],
            condition: "body_type(body, 'age') = 'number' AND id <> 'odd one'", source: "upper(name)"),
    ]

    func makeIndexes() throws {
        for (name, definition) in Self.definitions.sorted(by: { $0.key < $1.key }) {
            try collection.createIndex(name, definition)
        }
    }

    /// Saves a document with the members that the indexes are of.
    @discardableResult
    func save(_ id: String, age: Int?, name: String = "Ada", line: String = "1") throws -> Document {
        let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
        document.setValue(age.map { .number(Number($0)) } ?? .string("none"), forKey: "age").setString(
            name, forKey: "name")
        document.setValue(.dictionary(["it's": .array([.string(line)])]), forKey: "address")
        return try collection.save(document: document)
    }

    /// The entries of an index: the keys in hexadecimal, and the document's number.
    func entries(_ name: String) throws -> [String] {
        let record = try #require(try collection.indexRecords().first { $0.name == name })
        let table = try #require(record.keyTable()).name
        return try test.database.reading { connection in
            try Row.fetchAll(connection, sql: "SELECT * FROM \(table)").map { row in
                row.map { _, value in
                    if let bytes = Data.fromDatabaseValue(value), case .blob = value.storage {
                        return bytes.map { String(format: "%02x", $0) }.joined()
                    }
                    return "\(value)"
                }.joined(separator: " ")
            }
        }
    }

    /// Returns the findings of the integrity check of the indexes.
    func findings() throws -> [String] { try test.database.integrityFindings() }

    /// Runs SQL on a connection that the library knows nothing of.
    func foreign(_ sql: String) throws {
        let queue = try test.file.makeQueue()
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }
}
