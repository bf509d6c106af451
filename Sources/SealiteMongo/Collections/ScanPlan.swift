internal import SealiteDatabase
internal import SealiteValues

/// An SQL statement that finds the documents of a collection that may fulfil a filter.
struct ScanPlan {
    /// The SQL statement; its columns are a document's ID, body and row number.
    let sql: String
    /// The document IDs to which the statement's parameters are bound; empty if documents aren't looked up by ID, or if
    /// no document can have one of the values that the filter requires.
    let ids: [String]
    /// The key ranges of an index in which documents are searched; nil if no index is searched.
    let search: IndexSearch?
    private let isUnbound: Bool

    /// The maximum number of IDs that are looked up individually; for more IDs all documents are read.
    private static let maximumIDCount = 500

    /// Returns a Boolean value that says whether documents that fulfil a filter are looked up by their IDs.
    static func looksUpIDs(_ filter: Filter) -> Bool { filter.ids.map { $0.count <= maximumIDCount } ?? false }

    /// Creates the plan for a filter: a look-up of IDs, a search in an index of the collection, or a scan of all
    /// documents.
    init(_ filter: Filter, in collection: Collection, isReversed: Bool = false) throws {
        let table = "documents_\(collection.number)"
        let found = filter.ids.flatMap { $0.count <= Self.maximumIDCount ? $0 : nil }
        ids = found ?? []
        isUnbound = found == nil
        search = isUnbound ? try Self.search(filter, collection) : nil
        if let search, search.exactKey != nil {
            sql = isReversed ? search.index.exactSearch.backwards : search.index.exactSearch.forwards
            return
        }
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

    /// Returns the best search for a filter in an index of a collection; nil if there is none.
    static func search(_ filter: Filter, _ collection: Collection) throws -> IndexSearch? {
        let bounds = FilterBounds(filter)
        guard !bounds.paths.isEmpty || filter.tree.hasShape else { return nil }
        let indexes = try PathIndex.all(of: collection)
        let best = IndexSearch.best(bounds, indexes)
        // An index in which the filter lists values finds few documents, and costs less.
        guard best?.listsValues != true else { return best }
        return try IndexSearch.best(filter.tree.shapes, indexes) ?? best
    }

    /// A Boolean value that says whether the connection caches the statement, since its text is likely to be used
    /// again.
    var isKept: Bool { ids.count <= 1 && search?.isKept ?? true }

    /// The number of the statement's parameters.
    var parameterCount: Int {
        guard let search else { return ids.count }
        return search.exactKey == nil ? search.parameterCount : 1
    }

    /// Binds the statement's parameters.
    func bind(_ statement: borrowing PreparedStatement) {
        if let search {
            if let key = search.exactKey { return statement.bind(key, at: 1) }
            return search.bind(statement, after: 0)
        }
        for (index, id) in ids.enumerated() { statement.bind(id, at: CInt(index + 1)) }
    }

    /// The plan's access path, which ``FindPlan`` reports.
    var access: FindPlan.Access {
        if let search { return .index(search.index.model.name, rangeCount: search.ranges.count) }
        return isUnbound ? .scan : .ids(ids.count)
    }
}

extension Filter {
    /// The IDs of the only documents that can fulfil the filter, each once; nil if the filter has no such condition on
    /// the `_id`.
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

    /// Returns the document IDs of values; values that can't be an ID are left out, since no document has them.
    private static func ids(of values: [BSON]) -> [String] {
        values.flatMap { (try? DocumentKey.candidates(for: $0)) ?? [] }
    }
}

/// The plan of a `find`: how the documents that fulfil a filter are found and sorted.
public struct FindPlan: Sendable, Hashable, CustomStringConvertible {
    /// The access path to the documents.
    public enum Access: Sendable, Hashable {
        /// Every document is read.
        case scan
        /// Documents are looked up by `_id`. The associated value is the number of `_id`s.
        case ids(Int)
        /// Ranges of an index are read, and the documents found are tested with the filter. The associated values are
        /// the index's name and the number of ranges, 0 for the whole index.
        case index(String, rangeCount: Int)
    }

    /// The method by which documents are sorted.
    public enum Sort: Sendable, Hashable {
        /// The index finds the documents in the order of their distances, as `$near` asks for.
        case distance
        /// The entries of the index are read in the order of the sort.
        case index
        /// The entries of the index are in the order of the first paths of the sort; documents with equal values at
        /// these paths are sorted by the remaining paths in memory. The associated value is the number of paths in
        /// whose order the entries are.
        case partlyIndex(Int)
        /// All documents that are found are sorted before the first one is returned.
        case blocking
    }

    /// The access path to the documents.
    public let access: Access
    /// The method by which the documents are sorted; nil if they are returned in natural order or in its reverse.
    public let sort: Sort?
    /// The names of indexes for SQL++ queries over a path of the filter. Filters can't use such indexes, since SQL++
    /// orders values differently and has no entries for the items of arrays. Empty if `access` isn't `scan`.
    public let indexesOfQueries: [String]

    init(access: Access, sort: Sort?, indexesOfQueries: [String] = []) {
        (self.access, self.sort, self.indexesOfQueries) = (access, sort, indexesOfQueries)
    }

    /// A Boolean value that says whether all documents are read before the first one is returned.
    public var isSortBlocking: Bool { sort == .blocking }

    /// A description of the plan in a sentence.
    public var description: String {
        let found =
            switch access {
            case .scan: "read every document"
            case .ids(let count): "look \(count) \(count == 1 ? "document" : "documents") up by _id"
            case .index(let name, 0): "read the index \(name)"
            case .index(let name, let count): "search \(count) \(count == 1 ? "range" : "ranges") of the index \(name)"
            }
        return switch sort {
        case nil: found
        case .distance: "\(found) in the order of the distances"
        case .index: "\(found) in the order of the sort"
        case .partlyIndex(1): "\(found) in the order of the sort's first path, and sort equal ones by the others"
        case .partlyIndex(let count):
            "\(found) in the order of the sort's first \(count) paths, and sort equal ones by the others"
        case .blocking: "\(found), then sort what is found"
        }
    }
}
