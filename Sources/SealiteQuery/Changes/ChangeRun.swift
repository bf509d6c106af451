internal import SealiteDatabase
internal import SealiteJSON

/// One run of a statement that changes documents: the documents to change are read first, then each is changed through
/// the transaction.
struct ChangeRun {
    let database: Database
    let change: TranslatedChange
    /// The SQL query that finds the documents to change or, for INSERT, returns those to insert.
    let sql: String
    let parameters: Parameters?
    /// The parameters of the statement in SQL, in the order of their numbers, from ?1 on.
    let asked: [StatementParameter]

    /// The number of documents that were changed, and the rows that RETURNING gives for them, each with the values of
    /// its columns.
    typealias Outcome = (count: Int, rows: [[QueryValue]])

    /// Runs the statement as a savepoint in the calling thread's transaction; in a transaction of its own if the thread
    /// has none.
    ///
    /// - Parameter rowLimit: the maximum number of rows of RETURNING to return.
    /// - Returns: the number of changed documents, and the rows of RETURNING.
    /// - Throws: the errors of `Query.execute()`; then no change of the statement is stored.
    func callAsFunction(rowLimit: Int) throws -> Outcome {
        guard !database.isInSnapshot else {
            throw DatabaseError(
                .invalidParameter,
                "UPDATE, DELETE and INSERT can't be run inside Database.read(_:), which reads from a snapshot",
                hint: "run the statement in Database.write(_:), or outside of Database.read(_:)")
        }
        try database.storeLargeBlobs(parameters?.blobs ?? [])
        return try database.write { try self(rowLimit: rowLimit, in: $0) }
    }

    /// Runs the statement in a transaction, as a part of it. If this throws, the caller rolls back what was changed.
    func callAsFunction(rowLimit: Int, in transaction: borrowing WriteTransaction) throws -> Outcome {
        let (scope, name) = change.collection
        guard let collection = try database.collection(name: name, scope: scope) else {
            throw DatabaseError(.notFound, "there is no collection \"\(scope).\(name)\"")
        }
        for blob in parameters?.blobs ?? [] { try transaction.save(blob) }
        // The values are read only now, because a new blob has a digest only after it has been stored.
        let values = try Parameters.values(parameters, asked, database.configuration.time)
        assert(values.count == asked.count, "each parameter is bound")
        // The statement isn't cached, because its text may contain many documents to insert.
        var found = PackedRows()
        try database.readRows(sql, isKept: false, bind: values.bind) { found.append($0) }
        let counter = WriteControl.counting(found.count)
        // The documents of RETURNING.
        var ids: [String] = []
        let idCount = change.returning == nil ? 0 : rowLimit
        switch change.kind {
        case .update(let set, let unset):
            for row in found {
                let id = try update(row, set, unset, collection, transaction)
                if ids.count < idCount { ids.append(id) }
                counter?.count()
            }
            return (found.count, try returned(ids, values))
        case .delete:
            // The rows are read before any document is deleted.
            for row in found.prefix(idCount) { ids.append(try Self.id(row)) }
            let rows = try returned(ids, values)
            for row in found {
                try transaction.delete(id: Self.id(row), in: collection)
                counter?.count()
            }
            return (found.count, rows)
        case .insert(let hasKey):
            for row in found {
                let id = try insert(row, hasKey, collection, transaction)
                if ids.count < idCount { ids.append(id) }
                counter?.count()
            }
            return (found.count, try returned(ids, values))
        }
    }

    // MARK: - Reading

    /// Returns the rows that RETURNING gives for the documents with the IDs in `ids`, in their order; no rows without
    /// RETURNING.
    private func returned(_ ids: [String], _ values: [QueryValue]) throws -> [[QueryValue]] {
        guard let returning = change.returning else { return [] }
        return try ids.flatMap { try database.rows(returning.sql, values + [.text($0)]) }
    }

    private static func id(_ row: [QueryValue]) throws -> String {
        guard case .text(let id)? = row.first else {
            throw DatabaseError(.corruptData, "the stored ID of a document is damaged: it isn't text")
        }
        return id
    }

    // MARK: - Changing

    /// Changes the document of a row, and returns its ID.
    private func update(
        _ row: [QueryValue], _ set: [ChangedPath], _ unset: [ChangedPath], _ collection: Collection,
        _ transaction: borrowing WriteTransaction
    ) throws -> String {
        let id = try Self.id(row)
        assert(row.count == set.count + 1, "a row has the ID and a value for each path")
        guard let document = try transaction.document(id: id, in: collection) else {
            throw DatabaseError(
                .corruptData,
                "the statement found the document \"\(id)\", but no document can be read by this ID: the database is damaged"
            )
        }
        var body = document.body
        do {
            for (path, value) in zip(set, row.dropFirst()) {
                body = try value.element().map { try path.set($0, in: body) } ?? path.removed(from: body)
            }
        } catch let error as DatabaseError {
            throw DatabaseError(error.code, "in the document \"\(id)\", \(error.reason)", hint: error.hint)
        }
        for path in unset { body = path.removed(from: body) }
        let edited = document.toMutable()
        edited.setEncoded(body)
        try transaction.save(edited, in: collection)
        return id
    }

    /// Stores the new document that a row of INSERT's query describes, and returns its ID.
    private func insert(
        _ row: [QueryValue], _ hasKey: Bool, _ collection: Collection, _ transaction: borrowing WriteTransaction
    ) throws -> String {
        var key: String?
        assert(row.count == (hasKey ? 2 : 1), "a row has the document, after its ID if it has one")
        if hasKey {
            guard case .text(let id)? = row.first else {
                throw DatabaseError(
                    .badDocumentID,
                    "the KEY of INSERT, a document's ID, must be a string, and that of a document isn't",
                    hint: "without KEY, the documents get random IDs")
            }
            guard try transaction.document(id: id, in: collection) == nil else {
                throw DatabaseError(
                    .conflict, "the collection has a document \"\(id)\" already, or the statement inserts it twice")
            }
            key = id
        }
        let subject = key.map { "the document \"\($0)\"" } ?? "a document"
        guard case .element(let bytes)? = row.last, JSONBElement(root: bytes.span)?.type == JSONBType.object else {
            throw DatabaseError(.invalidParameter, "the VALUE of INSERT must be an object: that of \(subject) isn't")
        }
        guard let body = JSONBEdit.set(bytes, at: [], in: []) else {
            throw DatabaseError(
                .invalidParameter,
                "the VALUE of \(subject) is nested deeper than \(JSONB.maximumDepth) levels, or damaged")
        }
        let document = MutableDocument(id: key)
        document.setEncoded(body)
        try transaction.save(document, in: collection)
        return document.id
    }
}

extension QueryValue {
    /// Returns the value as a JSONB element; nil if it is MISSING.
    fileprivate func element() throws -> [UInt8]? {
        if case .element(let bytes) = self { return bytes }
        return try value(nil)?.jsonb()
    }
}
