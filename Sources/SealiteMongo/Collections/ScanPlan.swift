internal import SealiteDatabase
internal import SealiteValues

/// The documents of a collection that may fulfil a filter, as a statement of SQL finds them.
struct ScanPlan {
    /// The statement: an id, a body and a number a row.
    let sql: String
    /// The document IDs that are bound; none if documents are found otherwise.
    let ids: [String]
    /// The part of an index that is searched; nil if none is.
    let search: IndexSearch?
    private let isUnbound: Bool

    /// The number of ids that are looked up one by one; above it all documents are read.
    private static let maximumIDCount = 500

    /// Returns a Boolean value that says whether documents that fulfil a filter are looked up by their ids.
    static func looksUpIDs(_ filter: Filter) -> Bool { filter.ids.map { $0.count <= maximumIDCount } ?? false }

    /// A plan, with the indexes of the collection.
    init(_ filter: Filter, in collection: Collection, isReversed: Bool = false) throws {
        let table = "documents_\(collection.number)"
        let found = filter.ids.flatMap { $0.count <= Self.maximumIDCount ? $0 : nil }
        ids = found ?? []
        isUnbound = found == nil
        search = isUnbound ? try Self.search(filter, collection) : nil
        let condition: String
        if let search {
            condition = "+number > 0 AND \(search.condition(after: 0))"
        } else if isUnbound {
            condition = "number > 0"
        } else {
            let places = (0..<ids.count).map { "?\($0 + 1)" }.joined(separator: ", ")
            condition = "+number > 0 AND id IN (\(places))"
        }
        sql = "SELECT id, body, number FROM \(table) WHERE \(condition) ORDER BY number\(isReversed ? " DESC" : "")"
    }

    /// The best search for a filter in an index of a collection; nil if there is none.
    static func search(_ filter: Filter, _ collection: Collection) throws -> IndexSearch? {
        let bounds = FilterBounds(filter)
        guard !bounds.paths.isEmpty else { return nil }
        return IndexSearch.best(bounds, try PathIndex.all(of: collection))
    }

    /// A Boolean value that says whether the statement's text comes again: a connection keeps it.
    var isKept: Bool { ids.count <= 1 && (search?.ranges.count ?? 1) <= 1 }

    /// Binds the statement's parameters.
    func bind(_ statement: borrowing PreparedStatement) {
        search?.bind(statement, after: 0)
        for (index, id) in ids.enumerated() { statement.bind(id, at: CInt(index + 1)) }
    }

    /// The plan as a value.
    var access: FindPlan.Access {
        if let search { return .index(search.index.model.name, rangeCount: search.ranges.count) }
        return isUnbound ? .scan : .ids(ids.count)
    }
}

extension Filter {
    /// The document IDs, each once, of which every document that fulfils the filter has one; nil if the filter doesn't say.
    var ids: [String]? { tree.ids }
}

extension FilterTree {
    fileprivate var ids: [String]? {
        switch self {
        case .all(let trees): return trees.lazy.compactMap(\.ids).first
        case .condition(let condition):
            guard condition.path.isID, condition.path.count == 1 else { return nil }
            switch condition.test {
            case .equal(let value): return Self.ids(of: [value])
            case .among(let list) where list.patterns.isEmpty:
                return Self.ids(of: list.values + (list.hasNull ? [.null] : []))
            default: return nil
            }
        default: return nil
        }
    }

    /// A value that can't be an id is no document's.
    private static func ids(of values: [BSON]) -> [String] {
        values.flatMap { (try? DocumentKey.candidates(for: $0)) ?? [] }
    }
}
