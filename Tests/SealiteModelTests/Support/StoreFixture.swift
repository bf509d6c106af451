import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteJSON

@testable import SealiteModel

/// A database in a folder of its own, which goes with it.
final class StoreFixture: Sendable {
    private let folder: String
    let database: Database

    init() throws {
        folder = NSTemporaryDirectory() + "sealite-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let bytes = [UInt8](repeating: 7, count: 32)
        let file = try SealedDatabase.create(
            "\(folder)/test.db", slot: .rawKey(unsafe SecretBytes(copying: bytes.span.bytes)))
        database = try Database(file: file)
    }

    deinit {
        try? database.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Opens a store of types.
    func store(_ types: any Model.Type...) throws -> ModelStore {
        try ModelStore.open(database, ModelConfiguration(types: types))
    }
}

extension ModelStore {
    /// The stored JSON of an object.
    func json<M: Model>(_ object: M) throws -> String? {
        try collection(of: M.self).document(id: try ModelCoder<M>.documentID(object.id))?.toJSON()
    }

    /// The stored document of a document ID.
    func document(_ type: any Model.Type, _ id: String) throws -> Document? {
        try collection(of: type).document(id: id)
    }

    /// Stores a document for a type as another program would.
    @discardableResult
    func put<M: Model>(_ type: M.Type, _ id: M.ID, _ json: String) throws -> Document {
        try put(type, documentID: try ModelCoder<M>.documentID(id), json)
    }

    /// Stores a document under a document ID, as a peer's comes in: whether or not it fits the schema.
    @discardableResult
    func put(_ type: any Model.Type, documentID id: String, _ json: String) throws -> Document {
        let collection = try collection(of: type)
        let document = try MutableDocument(id: id, json: json)
        return try database.write { transaction in
            try transaction.withoutGuards { try transaction.save(document, in: collection) }
        }
    }
}

/// The body of an object as JSON, and the object that it is read as.
func written<M: Model>(_ object: M) throws -> String {
    let body = try ModelCoder(M.self).body(of: object).body
    return String(decoding: try JSONBSerializer.text(of: body.span), as: UTF8.self)
}

/// The object of a body that is given as JSON.
func read<M: Model>(_ type: M.Type, _ json: String, id: String = "$oid:616f44305a205add93ff1081") throws -> M {
    try ModelCoder(type).object(id: id, body: try JSONB.parse(Array(json.utf8)), in: nil)
}
