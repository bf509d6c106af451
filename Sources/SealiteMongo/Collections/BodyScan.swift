internal import SealiteDatabase
internal import SealiteValues

/// The bodies of the documents that fulfil a filter, borrowed from SQLite without a copy, for readers that don't decode
/// whole documents.
struct BodyScan {
    private let collection: Collection
    private let filter: Filter
    /// The key ranges of an index in which documents are searched; nil if all documents are read.
    private let search: IndexSearch?

    /// Creates a scan; nil for a filter on the `_id`, which bodies don't contain.
    init?(_ filter: Filter, _ collection: Collection) throws {
        guard !filter.needsID else { return nil }
        (self.collection, self.filter) = (collection, filter)
        search = try ScanPlan.search(filter, collection)
    }

    /// Calls `body` with the body of each document that fulfils the filter, in natural order (by row number), even if
    /// an index finds the documents.
    func visit(_ body: (borrowing Span<UInt8>) throws -> Void) throws {
        let condition = search.map { "+number > 0 AND \($0.condition(after: 1))" } ?? "number > 0"
        try collection.database.visitBodies(
            from: "documents_\(collection.number) WHERE \(condition)", isKept: (search?.ranges.count ?? 1) <= 1,
            bind: { search?.bind($0, after: 1) }
        ) { bytes in
            if try filter.match(bytes, id: nil) != nil { try body(bytes) }
        }
    }
}
