internal import SealiteJSON
internal import SealiteValues

/// A parsed `find`: its filter, order, skip, limit and projection.
struct FindStatement: Sendable {
    let filter: Filter
    let order: FindOrder
    let skip: Int
    /// The maximum number of documents; nil for no limit.
    let limit: Int?
    let projection: FindProjection?

    init(
        filter: MongoDocument, sort: MongoDocument = [:], skip: Int = 0, limit: Int? = nil,
        projection: MongoDocument = [:], context: FilterContext = FilterContext()
    ) throws {
        try require(skip >= 0, .badValue("'skip' must not be negative."))
        self.filter = try Filter(parsing: filter, context: context)
        order = try FindOrder(sort, metadata: self.filter.metadata)
        (self.skip, self.limit) = (skip, limit)
        self.projection = try FindProjection(projection, context, metadata: self.filter.metadata)
        try require(
            self.filter.text == nil || sort["$natural"] == nil, .badValue("A sort by $natural can't go with $text."))
        try require(
            !self.filter.hasExpression || self.projection?.isPositional != true, 224,
            "'.$' in a projection can't go with $expr in the filter.")
    }

    /// The sort order; nil for natural order and its reverse.
    var sort: SortOrder? { if case .sorted(let order) = order { order } else { nil } }

    /// A Boolean value that says whether documents are read in reverse natural order.
    var isReversed: Bool { if case .natural(let isReversed) = order { isReversed } else { false } }

    /// The part of the matching documents that is returned, by their number in the order.
    var window: Window { Window(skip: skip, limit: limit) }

    /// Calls `body` with the documents of a source that the statement returns, projected, until it returns false.
    func run(_ source: some DocumentSource, _ body: (MongoDocument) throws -> Bool) throws {
        let projector = projection?.projector()
        try rows(source) { row, match in
            try body(try projector?.document(of: row, match) ?? row.document)
        }
    }

    /// Calls `body` with the documents of a source that the statement returns, unprojected and with the results of the
    /// filter, until it returns false.
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
            // The source returned the row without its match.
            guard let match = try filter.text == nil ? filter.match(row) : FilterMatch(position: nil) else {
                return true
            }
            return try body(row, match) && !window.isEmpty
        }
    }

    /// Returns the first document of a source that the statement returns, unprojected; nil if there is none.
    func first(_ source: some DocumentSource) throws -> (row: Row, match: FilterMatch)? {
        var found: (Row, FilterMatch)?
        try rows(source) { row, match in
            found = (row, match)
            return false
        }
        return found
    }

    /// The numbers of documents that are still to be skipped and to be returned.
    struct Window {
        private var skip: Int
        private var limit: Int?

        init(skip: Int, limit: Int?) { (self.skip, self.limit) = (skip, limit) }

        /// A Boolean value that says whether no more documents are to be returned.
        var isEmpty: Bool { limit == 0 }

        /// The number of documents to be skipped and returned in total; `Int.max` without a limit.
        var end: Int {
            guard let limit else { return .max }
            let (end, isOverflow) = skip.addingReportingOverflow(limit)
            return isOverflow ? .max : end
        }

        /// Counts the next document, and returns a Boolean value that says whether it is returned instead of skipped.
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

/// The order in which documents are returned.
enum FindOrder: Sendable {
    /// In the order in which the documents were first inserted, or in reverse.
    case natural(isReversed: Bool)
    /// By values; documents with equal values in natural order.
    case sorted(SortOrder)

    /// Creates the order that a sort specification describes; natural order for an empty one.
    /// `metadata` are the fields of metadata that the documents have.
    init(_ specification: MongoDocument, metadata: Set<MetadataField> = []) throws {
        guard let natural = specification["$natural"] else {
            self =
                specification.isEmpty
                ? .natural(isReversed: false) : .sorted(try SortOrder(.document(specification), metadata: metadata))
            return
        }
        guard specification.count == 1, natural.type.isNumber, let direction = natural.exactInt64,
            direction == 1 || direction == -1
        else {
            throw MongoError.badValue("A sort by $natural takes 1 or -1, and has no other key.")
        }
        self = .natural(isReversed: direction == -1)
    }
}

/// A parsed `distinct`: it finds the distinct values at a path, to which an array contributes its items.
struct DistinctStatement: Sendable {
    private let path: FilterPath
    private let filter: Filter

    init(_ field: String, filter: MongoDocument, context: FilterContext = FilterContext()) throws {
        try require(!field.isEmpty, 56, "The field name of distinct is empty.")
        path = try FilterPath(field)
        self.filter = try Filter(parsing: filter, context: context)
    }

    /// Returns the distinct values in the order in which they are first found.
    func run(_ source: some DocumentSource) throws -> [BSON] {
        var known: Set<BSONKey> = []
        var values: [BSON] = []
        try source.visit(filter, isReversed: false) { row, _ in
            row.visitLeaves(at: path) { value in
                if known.insert(BSONKey(value)).inserted { values.append(value) }
            }
            return true
        }
        return values
    }
}

extension Row {
    /// Calls `body` with each value at a path; an array at the end of the path contributes its items instead of itself.
    func visitLeaves(at path: FilterPath, _ body: (BSON) -> Void) {
        func visit<Node: FilterNode>(_ path: FilterPath, _ root: Node, _ bytes: borrowing Span<UInt8>) {
            let bytes = copy bytes
            _ = path.visit(root, in: bytes) { (leaf) in
                if !leaf.isWholeArray, let value = leaf.node?.value(in: bytes) { body(value) }
                return false
            }
        }
        let none: [UInt8] = []
        switch content {
        case .made(let document): visit(path, BSON.document(document), none.span)
        case .stored(_, let id) where path.isID: visit(path.tail, id, none.span)
        case .stored(let bytes, _):
            guard let root = JSONBElement(root: bytes.span) else { return }
            visit(path, root, bytes.span)
        }
    }
}
