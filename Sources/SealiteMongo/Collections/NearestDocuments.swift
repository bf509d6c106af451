internal import SealiteBase
internal import SealiteDatabase
internal import SealiteFunctions
internal import SealiteValues
internal import SealiteVectors

extension DatabasePipelineStore: VectorSearchStore {
    func nearest(_ search: VectorSearchSpecification, where filter: Filter?, _ work: WorkMeter) throws -> RowCursor {
        let collection = try require(
            target.collection, 27,
            "There is no vector index with the name '\(search.index)', since there is no collection.")
        return try NearestDocuments(search, in: collection).rows(where: filter, work)
    }
}

/// The documents of a collection that a `$vectorSearch` finds, read in the calling thread's transaction or snapshot.
struct NearestDocuments {
    /// A document's row number, and the distance of its vector.
    private typealias Found = (number: Int64, distance: Double)

    /// Thrown to end a statement once there are enough documents; caught by the same method.
    private struct Enough: Error {}

    /// The greatest number of documents that another index finds for which their vectors are compared one by one, which is
    /// faster than to look among the nearest documents for those that fulfil the filter.
    private static let comparedCount = 2_000

    private let search: VectorSearchSpecification
    private let collection: Collection
    private let plan: VectorPlan
    private let definition: VectorDefinition

    /// Finds the index of a search.
    ///
    /// - Throws: `MongoError` 27 if there is no vector index of the name, 9 if it is over another path, or if its vectors
    ///   can't be compared with the one that is searched for.
    init(_ search: VectorSearchSpecification, in collection: Collection) throws {
        let records = try collection.indexRecords()
        guard let (plan, definition) = records.first(where: { $0.name == search.index })?.vectors else {
            let names = records.filter { $0.vectors != nil }.map { "'\($0.name)'" }.joined(separator: ", ")
            let hint = names.isEmpty ? "create one with createSearchIndex" : "those of the collection are \(names)"
            throw MongoError(code: 27, "There is no vector index with the name '\(search.index)'; \(hint).")
        }
        let sought = VectorPath(names: search.path)
        guard definition.sql == sought.sql else {
            let path = VectorPath(sql: definition.sql).map { "the path '\($0.text)'" } ?? "an expression of SQL++"
            throw MongoError.failedToParse(
                "The index '\(search.index)' is over \(path), not over the path '\(sought.text)'.")
        }
        try require(
            search.vector.count == definition.dimensions, 9,
            "The index '\(search.index)' has vectors of \(definition.dimensions) dimensions, and 'queryVector' has \(search.vector.count)."
        )
        try require(
            definition.metric != .cosine || search.vector.contains { $0 != 0 }, 9,
            "'queryVector' has only zeros, which have no cosine.")
        (self.search, self.collection, self.plan, self.definition) = (search, collection, plan, definition)
    }

    /// Returns the documents that fulfil a filter, the nearest first, with their scores. The row numbers are found at once,
    /// and the documents are read one after the other.
    func rows(where filter: Filter?, _ work: WorkMeter) throws -> RowCursor {
        let found = try filter.map { try nearest(where: $0, work) } ?? nearest()
        var rest = found[...]
        return RowCursor {
            while let next = rest.popFirst() {
                try work.charge(1)
                if let row = try row(next) { return row }
            }
            return nil
        }
    }

    private var documents: String { "documents_\(collection.number)" }

    /// The vector as base64, in which SQL functions take it.
    private var vector: String { Base64.encode(VectorReader.bytes(of: search.vector)) }

    private func row(_ found: Found) throws -> Row? {
        var row: Row?
        let sql = "SELECT id, body FROM \(documents) WHERE number = ?1"
        try collection.database.readRows(sql, bind: { $0.bind(found.number, at: 1) }) { statement in
            row = Row(body: statement.bytes(at: 1) ?? [], id: DocumentKey.value(of: statement.text(at: 0)))
        }
        let score = BSON.double(score(found.distance))
        row?.metadata = RowMetadata([.vectorSearchScore: score, .score: score])
        return row
    }

    /// The score of a distance, by MongoDB's formulas.
    private func score(_ distance: Double) -> Double {
        switch definition.metric {
        case .euclidean: 1 / (1 + distance)
        case .euclideanSquared: 1 / (1 + distance.squareRoot())
        // The distances are 1 − cosine, and the negative dot product.
        case .cosine: (2 - distance) / 2
        case .dot: (1 - distance) / 2
        }
    }

    // MARK: - In the order of the index

    private var nearestTable: String { plan.nearest(to: "?1", count: "?2", probes: "?3") }

    /// Binds the parameters of the table of the nearest documents. `count` is the number of rows that are probably read.
    private func bind(_ statement: borrowing PreparedStatement, count: Int, probes: Int) {
        statement.bind(vector, at: 1)
        statement.bind(Int64(count), at: 2)
        statement.bind(Int64(probes), at: 3)
    }

    private func nearest() throws -> [Found] {
        var found: [Found] = []
        let probes = try probes()
        try collection.database.readRows(
            "SELECT number, distance FROM \(nearestTable) LIMIT ?2",
            bind: { bind($0, count: search.limit, probes: probes) }
        ) { found.append(($0.int64(at: 0), $0.double(at: 1))) }
        return found
    }

    /// Sorts documents. Those of further lists, in which a search goes on, may be nearer than those that it found before.
    private static func sort(_ found: inout [Found]) {
        found.sort { $0.distance == $1.distance ? $0.number < $1.number : $0.distance < $1.distance }
    }

    private func nearest(where filter: Filter, _ work: WorkMeter) throws -> [Found] {
        if let scan = try selectiveScan(filter) { return try compared(scan, filter, work) }
        var found: [Found] = []
        let probes = try probes()
        let sql = """
            SELECT d.id, d.body, n.number, n.distance FROM \(nearestTable) AS n
            CROSS JOIN \(documents) AS d ON d.number = n.number
            """
        do {
            try collection.database.readRows(
                sql, bind: { bind($0, count: search.candidateCount ?? search.limit, probes: probes) }
            ) { statement in
                try work.charge(1)
                guard try filter.match(statement) != nil else { return }
                found.append((statement.int64(at: 2), statement.double(at: 3)))
                if found.count == search.limit { throw Enough() }
            }
        } catch is Enough {}
        Self.sort(&found)
        return found
    }

    /// The number of lists that are read at first: as many as have the candidates, on average, but at least as many as the
    /// index says; 0 for all.
    private func probes() throws -> Int {
        guard let candidateCount = search.candidateCount else { return 0 }
        var entryCount: Int64 = 0
        try collection.database.readRows(
            "SELECT entries FROM \(plan.tables.newestGenerations) WHERE whole = 1 ORDER BY generation DESC LIMIT 1"
        ) { entryCount = $0.int64(at: 0) }
        guard entryCount > 0 else { return definition.probes }
        let lists = (Double(candidateCount * definition.centroids) / Double(entryCount)).rounded(.up)
        return min(max(definition.probes, Int(lists)), definition.centroids)
    }

    // MARK: - Of documents that another index finds

    /// Returns the scan by which the documents that fulfil a filter are found if they are few; nil otherwise.
    private func selectiveScan(_ filter: Filter) throws -> ScanPlan? {
        guard !definition.lazy else { return nil }
        let scan = try ScanPlan(filter, in: collection)
        guard let search = scan.search else { return ScanPlan.looksUpIDs(filter) ? scan : nil }
        var count: Int64 = 0
        try collection.database.readRows(
            "SELECT count(*) FROM (\(search.sqlForNumbers) LIMIT \(Self.comparedCount + 1))", isKept: false,
            bind: { search.bind($0, after: 0) }
        ) { count = $0.int64(at: 0) }
        return count <= Self.comparedCount ? scan : nil
    }

    /// Returns the nearest documents among those that a scan finds.
    private func compared(_ scan: ScanPlan, _ filter: Filter, _ work: WorkMeter) throws -> [Found] {
        var found: [Found] = []
        let parameter = scan.parameterCount
        let sql = """
            SELECT id, body, number, query_vector_distance((\(plan.source)), ?\(parameter + 1), '\(plan.metric.rawValue)')
            FROM (\(scan.sql)) WHERE \(plan.vector) IS NOT NULL
            """
        try collection.database.readRows(
            sql, isKept: false,
            bind: {
                scan.bind($0)
                $0.bind(vector, at: CInt(parameter + 1))
            }
        ) { statement in
            try work.charge(1)
            guard try filter.match(statement) != nil else { return }
            found.append((statement.int64(at: 2), statement.double(at: 3)))
        }
        Self.sort(&found)
        return Array(found.prefix(search.limit))
    }
}
