internal import SealiteDatabase
internal import SealiteValues

/// The documents of a collection that may fulfil a filter, as a statement of SQL finds them.
struct ScanPlan {
    /// The statement: an id and a body a row.
    let sql: String
    /// The document IDs that are bound; none where all documents are read.
    let ids: [String]

    /// The number of ids that are looked up one by one; above it all documents are read.
    private static let maximumIDCount = 500

    init(_ filter: Filter, in collection: Collection, isReversed: Bool = false) {
        let table = "documents_\(collection.number)"
        ids = filter.ids.flatMap { $0.count <= Self.maximumIDCount ? $0 : nil } ?? []
        let isUnbound = filter.ids == nil || (filter.ids?.count ?? 0) > Self.maximumIDCount
        let places = (0..<ids.count).map { "?\($0 + 1)" }.joined(separator: ", ")
        let condition = isUnbound ? "number > 0" : "+number > 0 AND id IN (\(places))"
        sql = "SELECT id, body FROM \(table) WHERE \(condition) ORDER BY number\(isReversed ? " DESC" : "")"
    }

    /// Binds the statement's parameters.
    func bind(_ statement: borrowing PreparedStatement) {
        for (index, id) in ids.enumerated() { statement.bind(id, at: CInt(index + 1)) }
    }
}

extension Filter {
    /// The document IDs, each once, of which every document that fulfils the filter has one; nil where the filter doesn't say.
    var ids: [String]? { tree.ids }
}

extension FilterTree {
    fileprivate var ids: [String]? {
        switch self {
        case .all(let trees): return trees.lazy.compactMap(\.ids).first
        case .condition(let condition):
            guard condition.path.isID, condition.path.steps.count == 1 else { return nil }
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
