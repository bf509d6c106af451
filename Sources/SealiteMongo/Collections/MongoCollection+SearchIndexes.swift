internal import SealiteDatabase
public import SealiteValues

// Vector indexes.
extension MongoCollection {
    /// Creates a vector index for `$vectorSearch`, and trains and fills it if there are enough documents, otherwise by a
    /// later search; an existing index with the same name and definition is left unchanged.
    ///
    /// The index has about as many lists as the square root of the number of documents, from 16 to 4,096. Each write
    /// maintains it, whichever API or process makes it.
    ///
    /// - Parameters:
    ///   - name: the name, unique among all indexes of the collection.
    ///   - definition: as MongoDB's definition of an index of the type `vectorSearch`: an object with `fields`, of which
    ///     exactly one has the type `vector`, with `path`, `numDimensions`, `similarity` (`euclidean`, `cosine` or
    ///     `dotProduct`) and `quantization` (`none` or `scalar`; `none` if it is missing). Fields of the type `filter` have
    ///     no effect.
    /// - Returns: the name.
    /// - Throws: `MongoError` 67 for an invalid definition, 68 if the collection has another index of the name;
    ///   `DatabaseError` for errors of the storage.
    @discardableResult
    public func createSearchIndex(name: String = "default", definition: MongoDocument) async throws -> String {
        let model = try SearchIndexModel(definition)
        try await database.write { _ in try make(model, name) }
        let (collection, interruption) = (collection, Interruption())
        try await interruption.run {
            try collection.completeVectorIndex(name) { _ in try interruption.check() }
        }
        return name
    }

    private func make(_ model: SearchIndexModel, _ name: String) throws {
        if let found = try collection.indexRecords().first(where: { $0.name == name }) {
            if let known = found.vectors, SearchIndexModel(known.definition) == model { return }
            throw MongoError(
                code: 68,
                "The search index '\(name)' can't be created: the collection has another index with this name. Drop it, or choose another name."
            )
        }
        try collection.createIndex(name, try model.stored(documentCount: collection.count))
    }

    /// Returns the collection's vector indexes over paths, sorted by name, also those that were created in SQL++, each as
    /// an object with `id`, `name`, `type`, `status`, `queryable` and `latestDefinition`, as MongoDB returns them.
    public func listSearchIndexes() async throws -> [MongoDocument] {
        try await read { source in
            let indexes = try source.collection.indexRecords().sorted { $0.name < $1.name }
            return indexes.compactMap { record in
                guard let known = record.vectors, let model = SearchIndexModel(known.definition) else { return nil }
                return [
                    "id": .string("\(record.number)"), "name": .string(record.name), "type": "vectorSearch",
                    "status": "READY", "queryable": true, "latestDefinition": .document(model.document),
                ]
            }
        }
    }

    /// Deletes a vector index over a path.
    ///
    /// - Throws: `MongoError` 27 if there is no such index.
    public func dropSearchIndex(_ name: String) async throws {
        try await database.write { _ in
            let found = try collection.indexRecords().first { $0.name == name }
            try require(
                found?.vectors.flatMap { SearchIndexModel($0.definition) } != nil, 27,
                "There is no search index with the name '\(name)'.")
            try collection.deleteIndex(name)
        }
    }
}
