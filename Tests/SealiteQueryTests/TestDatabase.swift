import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteFile

/// A sealed file in a folder of its own, which goes with the last reference to it.
final class TestFile: Sendable {
    private let folder: String
    /// The path of the file.
    let path: String

    /// Makes a file of a name, with an empty database in it.
    init(name: String = "test") throws {
        folder = NSTemporaryDirectory() + "sealite-" + UUID().uuidString
        path = "\(folder)/\(name).db"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = try SealedDatabase.create(path, slot: .rawKey(Self.key))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    static var key: SecretBytes { unsafe SecretBytes(copying: [UInt8](repeating: 7, count: 32).span.bytes) }

    /// Opens the database of a file that a process has made.
    static func open(_ path: String, _ configuration: DatabaseConfiguration = DatabaseConfiguration()) throws
        -> Database
    {
        try Database(file: try unlock(path), configuration: configuration)
    }

    /// Unlocks a file.
    static func unlock(_ path: String) throws -> SealedDatabase { try SealedDatabase.open(path, key: .rawKey(key)) }

    /// Opens the database for as long as `body` takes.
    func withDatabase(_ body: (Database) throws -> Void) throws {
        let database = try Self.open(path)
        try body(database)
        try database.close()
    }
}

/// A database on a sealed file, which is removed with the last reference to it.
final class TestDatabase: Sendable {
    private let file: TestFile
    let database: Database

    init(name: String = "test", _ configuration: DatabaseConfiguration = DatabaseConfiguration()) throws {
        file = try TestFile(name: name)
        database = try TestFile.open(file.path, configuration)
    }

    /// A database that is open on a file.
    init(_ file: TestFile, _ database: Database) { (self.file, self.database) = (file, database) }

    deinit { try? database.close() }

    /// The path of the file.
    var path: String { file.path }

    /// Unlocks the file once more.
    func unlock() throws -> SealedDatabase { try TestFile.unlock(file.path) }

    var collection: Collection { get throws { try database.defaultCollection() } }

    /// Saves documents by their ids, in one transaction.
    func save(_ documents: DictionaryObject, in collection: Collection? = nil, deleted: [String] = []) throws {
        let collection = try collection ?? self.collection
        try database.write { transaction in
            for (id, body) in documents.entries {
                guard case .dictionary(let properties) = body else { continue }
                try transaction.save(MutableDocument(id: id, data: properties), in: collection)
            }
            for id in deleted { try transaction.delete(id: id, in: collection) }
        }
    }

    /// Saves documents that are written as a JSON object of bodies by their ids.
    func save(json: String) throws { try save(try DictionaryObject(json: json)) }
}
