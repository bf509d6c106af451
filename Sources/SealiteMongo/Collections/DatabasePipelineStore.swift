internal import SealiteDatabase
internal import SealiteValues

/// The collections of the scope of a pipeline's collection, for stages that read or write other collections, or search the
/// pipeline's own.
struct DatabasePipelineStore: PipelineStore {
    /// The pipeline's own collection.
    let collection: Collection
    let options: PipelineOptions

    private var database: Database { collection.database }
    private var scope: String { collection.scopeName }

    func rows(of collection: String) throws -> RowCursor {
        guard let collection = try database.collection(name: collection, scope: scope) else { return RowCursor([]) }
        return try CollectionRows.cursor(collection, Filter.everything)
    }

    func replace(_ collection: String, with rows: RowCursor) throws {
        let documents = try Self.documents(rows)
        let store = CollectionDocuments(try database.createCollection(name: collection, scope: scope))
        var ids = Set(documents.map { BSONKey($0.id) })
        guard ids.count == documents.count else { throw MongoError.duplicateKey(in: collection) }
        var gone: [BSON] = []
        try store.visit(Filter.everything, isReversed: false) { row, _ in
            if ids.remove(BSONKey(row.id)) == nil { gone.append(row.id) }
            return true
        }
        for id in gone { try store.remove(id: id) }
        try Self.put(documents.map(\.document), in: store)
    }

    /// Inserts documents, or replaces those with their `_id`s.
    private static func put(_ documents: [MongoDocument], in store: CollectionDocuments) throws {
        var refused: [MongoDocument] = []
        let counter = WriteControl.counting(documents.count)
        for document in documents {
            defer { counter?.count() }
            do {
                try store.put(document)
            } catch let error as MongoError where error.code == 11000 {
                refused.append(document)
            }
        }
        // Another document had a unique value, and may have got a different one since. Among documents that exchange
        // their values, none can be replaced before the others.
        for document in refused { try store.remove(id: document["_id"] ?? .null) }
        for document in refused { try store.insert(document) }
    }

    func merge(_ rows: RowCursor, into specification: MergeSpecification) throws {
        // All documents are read before the first one is written, since they may come from the same collection.
        let documents = try Self.documents(rows)
        let store = CollectionDocuments(try database.createCollection(name: specification.collection, scope: scope))
        let counter = WriteControl.counting(documents.count)
        for document in documents {
            try merge(document.document, into: specification, store)
            counter?.count()
        }
    }

    private static func documents(_ rows: RowCursor) throws -> [InsertStatement] {
        var (rows, documents) = (rows, [InsertStatement]())
        while let row = try rows.next() { documents.append(try InsertStatement(row.document)) }
        return documents
    }

    // MARK: - Merging

    private func merge(
        _ document: MongoDocument, into specification: MergeSpecification, _ store: CollectionDocuments
    ) throws {
        guard let old = try Self.match(of: document, specification, store) else {
            switch specification.whenNotMatched {
            case .insert: return try store.insert(document)
            case .discard: return
            case .fail:
                throw MongoError(
                    code: 13113,
                    "$merge found no matching document in '\(specification.collection)', and 'whenNotMatched' is 'fail'."
                )
            }
        }
        switch specification.whenMatched {
        case .keepExisting: return
        case .fail:
            throw MongoError(
                code: 11000,
                "$merge found a matching document in '\(specification.collection)', and 'whenMatched' is 'fail'.")
        case .replace: try Self.replace(old, document, store, isWhole: true)
        case .merge:
            var merged = old.document
            for member in document where member.key != "_id" { merged[member.key] = member.value }
            try Self.replace(old, merged, store)
        case .pipeline(let pipeline):
            var rows = try pipeline.rows(from: RowCursor([old]), options: options, variablesOf: Row(document))
            if let row = try rows.next() { try Self.replace(old, row.document, store) }
        }
    }

    private static func match(
        of document: MongoDocument, _ specification: MergeSpecification, _ store: CollectionDocuments
    ) throws -> Row? {
        if specification.on == ["_id"] { return try store.document(id: document["_id"] ?? .null) }
        let conditions = try specification.on.map { path -> FilterTree in
            let value = Row(document).value(at: try FieldPath(path).names[...])
            return FilterTree.path(try FilterPath(path), .equal(value ?? .null))
        }
        var found: Row?
        try store.visit(Filter(.all(conditions)), isReversed: false) { row, _ in
            found = row
            return false
        }
        return found
    }

    private static func replace(
        _ old: Row, _ document: MongoDocument, _ store: CollectionDocuments, isWhole: Bool = false
    ) throws {
        var document = document
        document.putFirst("_id", old.id)
        try isWhole ? store.replaceWhole(old, with: document) : store.replace(old, with: document)
    }
}

extension CollectionDocuments {
    /// Inserts a document, or replaces the document with its `_id`.
    fileprivate func put(_ document: MongoDocument) throws {
        guard let old = try self.document(id: document["_id"] ?? .null) else { return try insert(document) }
        try replaceWhole(old, with: document)
    }
}
