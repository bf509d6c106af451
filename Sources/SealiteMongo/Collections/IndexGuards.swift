internal import Foundation
internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// The indexes of a collection that look at what is written: those that are unique, that forbid parallel arrays, and by which documents expire.
struct IndexGuards {
    private let collection: Collection
    private let indexes: [PathIndex]

    init(_ collection: Collection) throws {
        self.collection = collection
        indexes = try PathIndex.all(of: collection)
    }

    /// Looks at a document that was written in the transaction of the calling thread.
    ///
    /// - Throws: `MongoError` 11000 where a unique index has its values, 171 for parallel arrays, 17280 for values that are too long for a unique index; the
    ///   caller takes the change back.
    func check(_ id: String) throws {
        guard !indexes.isEmpty, let document = try collection.document(id: id) else { return }
        let body = document.body
        // One path can't be parallel to another: without uniqueness its entries say nothing here.
        for index in indexes where index.model.options.unique || index.paths.count > 1 {
            let entries = PathEntries(index.paths, isSparse: index.model.options.sparse, id: id, body: body.span)
            guard !entries.hasParallelArrays else {
                throw MongoError(code: 171, "The index '\(index.model.name)' can't have two paths through arrays.")
            }
            if index.model.options.unique, try fulfils(index, Row(document)) {
                try checkUnique(index, entries.keys, id)
            }
        }
        try expire(document)
    }

    /// Checks all documents against a unique index that was just built.
    func checkAll(_ index: PathIndex) throws {
        guard index.model.options.unique else { return }
        var ids: [String] = []
        let duplicates = """
            SELECT DISTINCT d.id FROM \(index.table) AS e JOIN documents_\(collection.number) AS d ON d.number = e.document
            WHERE e.key1 IN (SELECT key1 FROM \(index.table) GROUP BY key1 HAVING min(document) <> max(document))
            """
        try collection.database.readRows(duplicates, isKept: false) { ids.append($0.text(at: 0)) }
        for id in ids {
            guard let document = try collection.document(id: id), try fulfils(index, Row(document)) else { continue }
            let body = document.body
            let entries = PathEntries(index.paths, isSparse: index.model.options.sparse, id: id, body: body.span)
            try checkUnique(index, entries.keys, id)
        }
    }

    private func fulfils(_ index: PathIndex, _ row: Row) throws -> Bool {
        try index.condition?.matches(row) ?? true
    }

    private func checkUnique(_ index: PathIndex, _ keys: [[UInt8]], _ id: String) throws {
        let sql = """
            SELECT d.id FROM \(index.table) AS e JOIN documents_\(collection.number) AS d ON d.number = e.document
            WHERE e.key1 = ?1 AND d.id <> ?2
            """
        for key in Set(keys) {
            guard key.count < OrderKey.maximumByteCount else {
                throw MongoError(code: 17280, "A value is too long for the unique index '\(index.model.name)'.")
            }
            var others: [String] = []
            try collection.database.readRows(
                sql,
                bind: {
                    $0.bind(key, at: 1)
                    $0.bind(id, at: 2)
                }
            ) { others.append($0.text(at: 0)) }
            for other in others {
                guard let document = try collection.document(id: other), try fulfils(index, Row(document)) else {
                    continue
                }
                throw MongoError(
                    code: 11000,
                    "E11000 duplicate key error collection: \(collection.fullName) index: \(index.model.name)")
            }
        }
    }

    // MARK: - Expiration

    /// Sets when a document expires, the earliest time of all indexes with expiration, or that it doesn't; does nothing without such an index.
    func expire(_ document: Document) throws {
        var earliest: Int64?
        var isExpiring = false
        let body = document.body
        guard let root = JSONBElement(root: body.span) else { return }
        for index in indexes {
            guard let seconds = index.model.options.expireAfterSeconds else { continue }
            isExpiring = true
            _ = index.paths[0].visit(root, in: body.span) { leaf in
                guard let leaf = leaf.node, case .datetime(let date)? = BSON(stored: leaf, in: body.span) else {
                    return false
                }
                let (time, isBeyond) = date.milliseconds.addingReportingOverflow(Int64(seconds) * 1000)
                if !isBeyond { earliest = min(earliest ?? .max, time) }
                return false
            }
        }
        guard isExpiring else { return }
        let expiration = earliest.map { Date(timeIntervalSince1970: Double($0) / 1000) }
        guard try collection.getDocumentExpiration(id: document.id) != expiration else { return }
        try collection.setDocumentExpiration(id: document.id, expiration: expiration)
    }
}
