internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// The collections of the scope of a pipeline's collection, for stages that read or write other collections, or search the
/// pipeline's own.
struct DatabasePipelineStore: PipelineStore {
    /// The pipeline's own collection, or the database.
    let target: AggregateTarget
    let options: PipelineOptions

    private var database: Database { target.database }
    private var scope: String { target.scopeName }

    func store(ofScope name: String) -> (any PipelineStore)? {
        name == scope ? self : DatabasePipelineStore(target: .database(database, scope: name), options: options)
    }

    func rows(of collection: String) throws -> RowCursor {
        guard let collection = try existing(collection) else { return RowCursor([]) }
        return try CollectionRows.cursor(collection, Filter.everything)
    }

    /// Returns the collection with a name in the scope; nil if it doesn't exist, or if no collection can have the name.
    private func existing(_ name: String) throws -> Collection? {
        do { return try database.collection(name: name, scope: scope) } catch let error as DatabaseError {
            guard error.code == .badName else { throw error }
            return nil
        }
    }

    func replace(_ collection: String, with rows: RowCursor) throws {
        let documents = try Self.documents(rows)
        let store = CollectionDocuments(try database.createCollection(name: collection, scope: scope))
        var ids = Set(documents.map { BSONKey($0["_id"] ?? .null) })
        guard ids.count == documents.count else { throw MongoError.duplicateKey(in: collection) }
        var gone: [BSON] = []
        try store.visit(Filter.everything, isReversed: false) { row, _ in
            if ids.remove(BSONKey(row.id)) == nil { gone.append(row.id) }
            return true
        }
        for id in gone { try store.remove(id: id) }
        try Self.put(documents, in: store)
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
        let target = try existing(specification.collection)
        let isSparse = try Self.checkIndex(of: specification, in: target)
        // All documents are read before the first one is written, since they may come from the same collection.
        let documents = try Self.documents(rows, addingIDs: specification.on.contains("_id"))
        // A collection that doesn't exist is created for the first document that is inserted.
        var store = target.map(CollectionDocuments.init)
        let counter = WriteControl.counting(documents.count)
        for document in documents {
            try Self.checkValues(of: document, specification, isSparse: isSparse)
            if store == nil, case .insert = specification.whenNotMatched {
                store = CollectionDocuments(try database.createCollection(name: specification.collection, scope: scope))
            }
            try merge(document, into: specification, store)
            counter?.count()
        }
    }

    /// Checks that the documents of a collection are unique at the paths `on` of a specification, and returns whether
    /// documents without a value at these paths are left out.
    ///
    /// - Throws: `MongoError` 51183 if there is no unique index over exactly these paths.
    private static func checkIndex(of specification: MergeSpecification, in collection: Collection?) throws -> Bool {
        if specification.on == ["_id"] { return false }
        let indexes = try collection.map { try PathIndex.all(of: $0) } ?? []
        let index = indexes.first { index in
            index.model.options.unique && index.model.options.partialFilterExpression == nil
                && Set(index.model.paths.map { ExactText($0) }) == Set(specification.on.map { ExactText($0) })
        }
        return try require(
            index, 51183,
            "$merge needs a unique index over the paths of 'on', and over no other ones, in '\(specification.collection)'."
        ).model.options.sparse
    }

    private static func checkValues(
        of document: MongoDocument, _ specification: MergeSpecification, isSparse: Bool
    ) throws {
        for path in specification.on where path != "_id" {
            let value = Row(document).value(at: try FieldPath(path).names[...])
            try require(value?.type != .array, 51185, "The value at '\(path)', in 'on' of $merge, is an array.")
            try require(
                !isSparse || !value.isNullish, 51132,
                "A document of $merge has no value at '\(path)', and the index over 'on' is sparse.")
        }
    }

    /// Returns the documents of rows, which get an `_id` if they have none and `addingIDs` is true.
    private static func documents(_ rows: RowCursor, addingIDs: Bool = true) throws -> [MongoDocument] {
        var (rows, documents) = (rows, [MongoDocument]())
        while let row = try rows.next() {
            documents.append(addingIDs ? try InsertStatement(row.document).document : row.document)
        }
        return documents
    }

    // MARK: - Merging

    private func merge(
        _ document: MongoDocument, into specification: MergeSpecification, _ store: CollectionDocuments?
    ) throws {
        guard let store, let old = try Self.match(of: document, specification, store) else {
            switch specification.whenNotMatched {
            case .insert: return try store?.insert(Self.inserted(document, specification)) ?? ()
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
            for member in document { merged[member.key] = member.value }
            try Self.replace(old, merged, store)
        case .pipeline(let pipeline):
            var rows = try pipeline.rows(from: RowCursor([old]), options: options, variablesOf: Row(document))
            if let row = try rows.next() { try Self.replace(old, row.document, store) }
        }
    }

    /// Returns a document as a merge inserts it: with the paths by which documents are compared and, unless the whole
    /// document replaces others, with the members in the order of their names.
    private static func inserted(
        _ document: MongoDocument, _ specification: MergeSpecification
    ) throws -> MongoDocument {
        var inserted = document
        switch specification.whenMatched {
        case .merge, .keepExisting:
            let members = document.members.filter { $0.key != "_id" }
                .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            inserted = MongoDocument(document.members.filter { $0.key == "_id" } + members)
            for path in specification.on where inserted[path] == nil && !path.contains(".") { inserted[path] = .null }
        default: break
        }
        return try InsertStatement(inserted).document
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
        try require(
            document["_id"].map { $0.isSame(as: old.id) } ?? true, 66,
            "$merge would change the '_id' of a document; leave the '_id' out before it.")
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
