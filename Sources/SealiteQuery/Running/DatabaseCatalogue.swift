internal import SealiteDatabase
internal import SealiteQueryLanguage

/// The collections of a database, found by their names in queries, and their indexes.
struct DatabaseCatalogue: QueryCatalogue {
    let database: Database

    func collection(scope: String?, name: String) throws -> (number: Int, scope: String, name: String)? {
        if let scope { return try find(scope, name, written: "\(scope).\(name)") }
        if name == "_" || name == Database.defaultCollectionName { return try defaultCollection() }
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2 { return try find(parts[0], parts[1], written: name) }
        do {
            if let found = try find(Database.defaultScopeName, name, written: name) { return found }
        } catch  where name == database.name {
            return try defaultCollection()
        }
        return name == database.name ? try defaultCollection() : nil
    }

    func indexes(ofCollection number: Int) throws -> [PlannedIndex] {
        try database.indexRecords(ofCollection: number).compactMap { PlannedIndexes.index($0) }
    }

    func textIndexes(ofCollection number: Int) throws -> [TextIndex] {
        try database.indexRecords(ofCollection: number).compactMap { TextIndex($0) }
    }

    func vectorIndexes(ofCollection number: Int) throws -> [VectorIndex] {
        try database.indexRecords(ofCollection: number).compactMap { VectorIndex($0) }
    }

    func geometryIndexes(ofCollection number: Int) throws -> [GeometryIndex] {
        try database.indexRecords(ofCollection: number).compactMap { GeometryIndex($0) }
    }

    private func defaultCollection() throws -> (number: Int, scope: String, name: String) {
        let collection = try database.defaultCollection()
        return (collection.number, collection.scopeName, collection.name)
    }

    private func find(_ scope: String, _ name: String, written: String) throws -> (Int, String, String)? {
        do {
            return try database.collection(name: name, scope: scope).map { ($0.number, $0.scopeName, $0.name) }
        } catch let error as DatabaseError where error.code == .badName {
            throw QueryFailure("`\(written)` is not a valid collection name", hint: error.reason)
        }
    }
}
