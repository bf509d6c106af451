import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteMongo
import SealiteValues

/// A store on a sealed file in a folder of its own, which goes with the last reference to it.
final class TestStore: Sendable {
    private let folder: String
    let store: MongoStore
    /// The file's path.
    var path: String { "\(folder)/test.db" }

    init() throws {
        folder = NSTemporaryDirectory() + "sealite-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let bytes = [UInt8](repeating: 7, count: 32)
        let file = try SealedDatabase.create(
            "\(folder)/test.db", slot: .rawKey(unsafe SecretBytes(copying: bytes.span.bytes)))
        store = MongoStore(try Database(file: file))
    }

    deinit {
        try? store.database.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A collection of documents of any shape.
    func collection(_ name: String = "things") throws -> MongoCollection<MongoDocument> {
        try store.collection(name)
    }

    /// A collection that has the documents.
    func collection(
        _ name: String = "things", _ documents: [MongoDocument]
    ) async throws -> MongoCollection<MongoDocument> {
        let collection = try collection(name)
        if !documents.isEmpty { try await collection.insertMany(documents) }
        return collection
    }
}
