internal import SealiteBase
internal import SealiteDatabase
internal import SealiteFunctions
internal import SealiteQueryLanguage
internal import SealiteVectors

// The nearest documents are rows of an SQL table, from which the documents are looked up. It returns them in the order of
// their distances and goes on as long as rows are read, so that LIMIT ends the search. If an index over values or words finds
// the documents of the other conditions, their vectors are compared exactly instead.
extension Translator {
    static let approximate = "APPROX_VECTOR_DISTANCE"
    /// The greatest LIMIT of a search by vectors.
    private static let greatestLimit = 10_000

    /// Finds the calls of APPROX_VECTOR_DISTANCE in the expressions of a SELECT, and chooses for each source that they refer to
    /// how its documents are found. Must be called before the calls are translated.
    mutating func planVectorSearches(
        _ expressions: [Tree.Expression], _ terms: [FromTerm], _ select: Tree.Select, of query: Tree.Query?,
        _ scope: NameScope
    ) throws {
        let filter = select.condition?.conjuncts ?? []
        for call in Self.calls(in: expressions) {
            let search = try search(call, terms, filter, select, of: query, scope)
            if let known = search.source.vectorSearch, !known.isFor(call) {
                throw QueryFailure(
                    "a query can search one source for one vector only", hint: "use one query for each vector",
                    at: call.position)
            }
            if search.source.vectorSearch == nil { try plan(search, terms, filter, query, scope) }
        }
    }

    private typealias Found = (source: QuerySource, call: FunctionCall, index: VectorIndex, probes: Int)

    /// The calls that occur in expressions, outside of subqueries.
    private static func calls(in expressions: [Tree.Expression]) -> [FunctionCall] {
        var calls: [FunctionCall] = []
        for expression in expressions {
            _ = try? expression.rewritten { part in
                switch part {
                case .call(let call) where call.name == approximate:
                    calls.append(call)
                    return part
                case .subquery, .exists, .path: return part
                default: return nil
                }
            }
        }
        return calls
    }

    /// Finds the source and the index of a call, and checks its arguments.
    private func search(
        _ call: FunctionCall, _ terms: [FromTerm], _ filter: [Tree.Expression], _ select: Tree.Select,
        of query: Tree.Query?, _ scope: NameScope
    ) throws -> Found {
        guard let limit = query?.limit, select.groups.isEmpty, !select.isDistinct else {
            throw QueryFailure(
                "\(Self.approximate)() needs a SELECT with LIMIT, without GROUP BY and DISTINCT", at: call.position)
        }
        if case .literal(.number(let text)) = limit, let count = Int(text), !(1...Self.greatestLimit).contains(count) {
            throw QueryFailure(
                "the LIMIT of a search by vectors is 1 to \(Self.greatestLimit), not \(text)", at: call.position)
        }
        var names: [String] = []
        var candidates: [(expression: String, source: QuerySource)] = []
        for term in terms {
            guard case .documents(let collection) = term.source.kind,
                let expression = relative(call.arguments[0], term.source, scope)
            else { continue }
            candidates.append(("\(expression)", term.source))
            let indexes = try catalogue.vectorIndexes(ofCollection: collection)
            if let index = indexes.first(where: { $0.expression == expression }) {
                return (term.source, call, index, try probes(call, index))
            }
            names += indexes.map(\.name)
        }
        let missing = QueryRemedy.createVectorIndex(
            on: candidates.first?.expression ?? "\(call.arguments[0])", collection: place(candidates.map(\.source)))
        throw QueryFailure(
            "there is no vector index on \(call.arguments[0])",
            hint: names.isEmpty
                ? missing.hint
                : "existing vector indexes: \(names.map { "\"\($0)\"" }.joined(separator: ", "))",
            at: call.position)
    }

    /// Returns the number of lists that a call reads at first, 0 for all, and checks its metric.
    private func probes(_ call: FunctionCall, _ index: VectorIndex) throws -> Int {
        let arguments = call.arguments
        if arguments.count > 2, arguments[2] != .literal(.null), arguments[2] != .literal(.missing) {
            guard case .literal(.string(let name)) = arguments[2], let metric = VectorMetric(queryName: name) else {
                throw QueryFailure(
                    "the third argument of \(Self.approximate)() is the name of a metric in quotation marks",
                    hint: "the metrics are \(VectorIndex.metricNames.joined(separator: ", "))", at: call.position)
            }
            guard metric == index.definition.metric else {
                throw QueryFailure(
                    "the index \"\(index.name)\" has another metric, \(index.definition.metric.rawValue)",
                    hint: "leave the metric out, or create another index", at: call.position)
            }
        }
        if arguments.count > 4, arguments[4] == .literal(.boolean(true)) { return 0 }
        guard arguments.count > 3, arguments[3] != .literal(.null), arguments[3] != .literal(.missing) else {
            return index.definition.probes
        }
        guard case .literal(.number(let text)) = arguments[3], let count = Int(text), count > 0 else {
            throw QueryFailure(
                "the fourth argument of \(Self.approximate)() is the number of lists to read, from 1 on",
                at: call.position)
        }
        return min(count, index.definition.centroids)
    }

    /// Chooses how the documents of a source are found.
    private mutating func plan(
        _ found: Found, _ terms: [FromTerm], _ filter: [Tree.Expression], _ query: Tree.Query?, _ scope: NameScope
    ) throws {
        let (source, call, index, probes) = found
        guard let place = terms.firstIndex(where: { $0.source === source }), terms[place].kind != .left,
            case .documents(let collection) = source.kind
        else {
            throw QueryFailure("a source of LEFT JOIN can't be searched for vectors", at: call.position)
        }
        let operands = Array(call.arguments.prefix(2))
        let joined = terms[place].condition.map(\.term)
        let target = AccessTarget(
            source: source, collection: collection, terms: filter + joined, scope: scope,
            known: terms[..<place].map(\.source), isOuter: false)
        guard isKnown(operands[1], target) else {
            throw QueryFailure(
                "the vector that \(Self.approximate)() searches for can't depend on the documents that it searches",
                at: call.position)
        }
        let others = (filter + joined).filter { Self.calls(in: [$0]).isEmpty }
        plan.vectorIndexes.insert(index.plan.tables.index)
        live?.dependsOnOtherDocuments = true
        if let reason = try otherWay(target) {
            plan.notes.append("compare vectors exactly, without the index \(index.name), since \(reason)")
            source.vectorSearch = VectorSearch(
                operands: operands, index: index, number: "\(source.prefix)number", access: nil, isFiltered: true)
            return
        }
        let alias = nextAlias()
        let vector = try value(operands[1], scope)
        let count = try query.flatMap { try rowCount($0, NameScope(scope.outer)) } ?? "1"
        let rows = index.plan.nearest(to: vector, count: count, probes: "\(probes)")
        let lists =
            probes == 0 ? "all \(index.definition.centroids) lists" : "\(probes) of \(index.definition.centroids) lists"
        plan.vectorSearches[alias] = (
            index.name, others.isEmpty ? lists : "\(lists) first, and more until enough documents fulfil the conditions"
        )
        source.vectorSearch = VectorSearch(
            operands: operands, index: index, number: "\(source.prefix)number", access: (alias, rows),
            isFiltered: !(filter + joined).isEmpty)
    }

    /// Returns why another index finds the documents of the conditions faster; nil if the lists are read.
    private func otherWay(_ target: AccessTarget) throws -> String? {
        if try isFoundByWords(target) { return "a full-text index finds the documents of the condition" }
        var probe = self
        guard let path = try probe.access(target), path.equalCount > 0 || path.elements != nil else { return nil }
        return "the index \(path.index.name) finds the documents of the condition"
    }

    /// Translates a call of APPROX_VECTOR_DISTANCE.
    mutating func approximateDistance(_ call: FunctionCall, _ scope: NameScope) throws -> SQLPiece {
        var place: NameScope? = scope
        while let scope = place {
            if let source = scope.sources.first(where: { $0.vectorSearch?.isFor(call) ?? false }),
                let search = source.vectorSearch
            {
                if let alias = search.access?.alias { return SQLPiece("\(alias).distance", .number) }
                return SQLPiece(try exactDistance(search, scope))
            }
            place = scope.outer
        }
        throw QueryFailure(
            "\(Self.approximate)() must be in the results, in WHERE or in ORDER BY of a SELECT",
            at: call.position)
    }

    private mutating func exactDistance(_ search: VectorSearch, _ scope: NameScope) throws -> String {
        let (plan, metric) = (search.index.plan, search.index.definition.metric)
        let stored =
            try plan.isLazy
            ? plan.storedVector(ofDocument: "\(search.number)")
            : plan.vector(in: value(search.operands[0], scope))
        let vector = try value(search.operands[1], scope)
        return "query_index_distance(\(stored), \(vector), \(SQLText.string(metric.rawValue)))"
    }

    /// Appends a column with the distance to the columns of a SELECT whose rows come in the order of the lists: SQLite doesn't
    /// sort them, and those of further lists may be nearer than earlier ones.
    ///
    /// - Returns: the columns of the query around the SELECT that sorts its rows by `nearest`; nil if none has to.
    func noteDistance(
        _ terms: [FromTerm], ordered: String, columnCount: Int, _ list: inout String
    ) -> [String]? {
        let aliases = terms.compactMap(\.source.vectorSearch).filter(\.isFiltered).compactMap(\.access?.alias)
        guard let alias = aliases.first(where: { "\($0).distance" == ordered }) else { return nil }
        list += ", \(alias).distance AS nearest"
        return (0..<columnCount).map { "c\($0)" } + (live?.hasNumberColumn == true ? ["number"] : [])
    }

    /// The SQL conditions that documents without a vector aren't found by a search that compares exactly.
    mutating func vectorConditions(_ terms: [FromTerm], _ scope: NameScope) throws -> [String] {
        var conditions: [String] = []
        for term in terms {
            guard let search = term.source.vectorSearch, search.access == nil else { continue }
            conditions.append("\(try exactDistance(search, scope)) IS NOT NULL")
        }
        return conditions
    }
}

extension FromTerm {
    /// The SQL for the rows of a source that is found through the lists of a vector index; nil for other sources. Appends the
    /// condition of the documents.
    func nearestRows(_ conditions: inout [String]) -> String? {
        guard let (alias, nearest) = source.vectorSearch?.access else { return nil }
        conditions.append("\(source.prefix)number = \(alias).number")
        return "\(nearest) AS \(alias) CROSS JOIN \(rows) AS \(source.sql)"
    }
}
