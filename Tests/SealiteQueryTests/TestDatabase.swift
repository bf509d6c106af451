import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteFile

/// A database on a sealed file in a folder of its own, which goes with the last reference to it.
final class TestDatabase: Sendable {
    private let folder: String
    let database: Database

    init(name: String = "test") throws {
        folder = NSTemporaryDirectory() + "sealite-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let bytes = [UInt8](repeating: 7, count: 32)
        let file = try SealedDatabase.create(
            "\(folder)/\(name).db", slot: .rawKey(unsafe SecretBytes(copying: bytes.span.bytes)))
        database = try Database(file: file)
    }

    deinit {
        try? database.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

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
