internal import SealiteJSON
package import SealiteValues

/// The constraints that an index over paths places on documents that this process writes
/// (Documentation/DocumentFormat.md §3.6): unique values, no two paths through different arrays, and an expiration.
struct PathGuard: Sendable {
    /// The name of the index.
    let name: String
    let isUnique: Bool
    /// The milliseconds after which a document expires, counted from the earliest date at the first path; nil for
    /// never.
    let expiresAfter: Int64?
    /// The filter of the documents among which values are unique, in Extended JSON; nil for all documents.
    let filter: String?
    private let paths: [FilterPath]
    private let isSparse: Bool
    /// The SQL statement that selects the number, the id and the body of the documents that have the entry ?1, except
    /// the document with the number ?2.
    let selectOthers: String

    /// Creates the guard of an index; nil if the index has no constraint or wasn't created over paths.
    init?(_ record: IndexRecord, _ table: KeyTable) {
        guard record.kind == .multikey, let texts = table.definition.paths,
            let source = table.definition.source.flatMap({ try? MongoDocument(extendedJSON: $0) })
        else { return nil }
        paths = texts.compactMap { FilterPath($0.utf8) }
        guard paths.count == texts.count, !paths.isEmpty else { return nil }
        name = record.name
        isUnique = source["unique"] == true
        isSparse = table.definition.isSparse
        if case .document(let conditions)? = source["partialFilterExpression"] {
            filter = conditions.extendedJSON(.canonical)
        } else {
            filter = nil
        }
        switch source["expireAfterSeconds"] {
        case .int32(let seconds)?: expiresAfter = Int64(seconds) * 1000
        case .int64(let seconds)? where seconds <= Int64(Int32.max): expiresAfter = seconds * 1000
        default: expiresAfter = nil
        }
        selectOthers = """
            SELECT d.number, d.id, d.body FROM \(table.name) AS e JOIN documents_\(record.collection) AS d
            ON d.number = e.document WHERE e.key1 = ?1 AND e.document <> ?2
            """
        guard isUnique || paths.count > 1 || expiresAfter != nil else { return nil }
    }

    /// A Boolean value that says whether the guard examines the entries of documents.
    var looksAtEntries: Bool { isUnique || paths.count > 1 }

    /// Returns whether the index accepts the arrays of a document with these entries.
    func acceptsArrays(of entries: PathEntries, _ body: [UInt8]) -> Bool {
        entries.haveAcceptedArrays(in: body.span, isUnique: isUnique)
    }

    /// Returns the entries that a document has in the index.
    func entries(_ id: String, _ body: [UInt8]) -> PathEntries {
        PathEntries(paths, isSparse: isSparse, id: id, body: body.span)
    }

    /// Returns the time at which a document expires according to the index, in milliseconds since 1970; nil for never.
    func expiration(of body: [UInt8]) -> Int64? {
        guard let expiresAfter, let path = paths.first, let root = JSONBElement(root: body.span) else { return nil }
        let bytes = body.span
        var earliest: Int64?
        _ = path.visit(root, in: bytes) { leaf in
            guard let leaf = leaf.node, case .datetime(let date)? = BSON(stored: leaf, in: bytes) else { return false }
            let (time, isBeyond) = date.milliseconds.addingReportingOverflow(expiresAfter)
            if !isBeyond { earliest = min(earliest ?? .max, time) }
            return false
        }
        return earliest
    }
}

extension PathEntries {
    /// Returns whether an index accepts the arrays of the body from which the entries were created: two of its paths
    /// can't lead through different arrays. In a unique index, two paths can't lead through the same array either: the
    /// entries are combinations of the values of all items, which would make documents equal that have no equal item.
    package func haveAcceptedArrays(in body: borrowing Span<UInt8>, isUnique: Bool) -> Bool {
        switch arrayUse(in: body) {
        case .separate: true
        case .shared: !isUnique
        case .parallel: false
        }
    }
}

extension [PathGuard] {
    /// Returns the earliest time at which a document expires according to one of the guards, in milliseconds since
    /// 1970; nil for never.
    func expiration(of body: [UInt8]?) -> Int64? {
        guard let body else { return nil }
        return compactMap { $0.expiration(of: body) }.min()
    }
}
