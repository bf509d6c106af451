import SealiteCrypto
import SealiteDatabase
import SealiteFile

/// A change of a document that this process makes.
enum DocumentChange {
    case save(json: String)
    case delete
    case purge
}

/// Opens a database, changes a document of a collection there, and closes it.
func changeDocument(
    _ id: String, in name: String, of path: String, key: consuming SecretBytes, _ change: DocumentChange
) throws {
    let database = try Database.open(path, key: .rawKey(key))
    let collection = try database.createCollection(name: name)
    switch change {
    case .save(let json): try collection.save(document: MutableDocument(id: id, json: json))
    case .delete: try collection.delete(id: id)
    case .purge: try collection.purge(id: id)
    }
    try database.close()
}
