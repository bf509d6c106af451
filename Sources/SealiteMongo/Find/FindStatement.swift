internal import SealiteValues

/// A `find`, parsed: which documents, in which order, how many, and what of each.
struct FindStatement: Sendable {
    let filter: Filter
    let order: FindOrder
    let skip: Int
    /// The number of documents; nil for all.
    let limit: Int?
    let projection: FindProjection?

    init(
        filter: MongoDocument, sort: MongoDocument = [:], skip: Int = 0, limit: Int? = nil,
        projection: MongoDocument = [:], context: FilterContext = FilterContext()
    ) throws {
        guard skip >= 0 else { throw MongoError.badValue("'skip' takes no negative number.") }
        self.filter = try Filter(parsing: filter, context: context)
        order = try FindOrder(sort)
        (self.skip, self.limit) = (skip, limit)
        self.projection = try FindProjection(projection, context)
    }

    /// The order by values; nil for the natural one.
    var sort: SortOrder? { if case .sorted(let order) = order { order } else { nil } }

    /// True if documents are read against the natural order.
    var isReversed: Bool { if case .natural(let isReversed) = order { isReversed } else { false } }

    /// The documents that are left out, of those that fulfil the filter.
    var window: Window { Window(skip: skip, limit: limit) }

    /// Calls `body` with the documents of a source, projected, until it returns false.
    func run(_ source: some DocumentSource, _ body: (MongoDocument) throws -> Bool) throws {
        let projector = projection?.projector()
        try rows(source) { row, match in
            try body(try projector?.document(of: row, match) ?? row.document)
        }
    }

    /// Calls `body` with the rows of a source, as they are stored, until it returns false.
    func rows(_ source: some DocumentSource, _ body: (Row, FilterMatch) throws -> Bool) throws {
        var window = window
        guard !window.isEmpty else { return }
        guard case .sorted(let order) = order else {
            return try source.visit(filter, isReversed: isReversed) { row, match in
                guard window.admits() else { return true }
                return try body(row, match) && !window.isEmpty
            }
        }
        try source.visit(filter, sortedBy: order, limit: window.end) { row in
            guard window.admits() else { return true }
            // The row has come without its match.
            guard let match = try filter.match(row) else { return true }
            return try body(row, match) && !window.isEmpty
        }
    }

    /// The first document; nil if there is none.
    func first(_ source: some DocumentSource) throws -> (row: Row, match: FilterMatch)? {
        var found: (Row, FilterMatch)?
        try rows(source) { row, match in
            found = (row, match)
            return false
        }
        return found
    }

    /// The documents that are left out at the start and at the end.
    struct Window {
        private var skip: Int
        private var limit: Int?

        init(skip: Int, limit: Int?) { (self.skip, self.limit) = (skip, limit) }

        /// True if no more documents are wanted.
        var isEmpty: Bool { limit == 0 }

        /// The number of documents that must be known in their order.
        var end: Int {
            guard let limit else { return .max }
            let (end, isOverflow) = skip.addingReportingOverflow(limit)
            return isOverflow ? .max : end
        }

        /// Returns a Boolean value that says whether the next document is wanted.
        mutating func admits() -> Bool {
            guard skip == 0 else {
                skip -= 1
                return false
            }
            limit = limit.map { $0 - 1 }
            return true
        }
    }
}
