internal import SealiteDatabase
internal import SealiteQueryLanguage

/// An observed query, translated to SQL for one version of the schema.
struct LivePlan: Sendable {
    let schema: Int64
    let sql: String
    /// The parameters of the statement in SQL, in the order of their numbers, from ?1 on.
    let parameters: [StatementParameter]
    let columns: ResultColumns
    /// A Boolean value that says whether each row of the SQL query has the row number of its document in an additional
    /// last column.
    let hasNumberColumn: Bool
    /// The collections that the query reads, including those that subqueries read.
    let collections: [Collection]
    /// The rule for skipping changes of documents that don't affect the result; nil if every change counts.
    let filter: LiveFilter?

    /// Translates an observed query for a version of the schema.
    ///
    /// - Throws: `invalidQuery` if it names something that doesn't exist, or is a statement that changes documents.
    init(_ source: QuerySourceText, schema: Int64, hasRowLimit: Bool) throws {
        guard case .query(let query) = source.tree else {
            throw DatabaseError(.invalidQuery, "UPDATE, DELETE and INSERT can't be observed, only queries can")
        }
        do {
            var translator = Translator(DatabaseCatalogue(database: source.database))
            translator.live = LiveTranslation(isOneSelect: query.isOneSelect)
            let translated = try translator.query(query, nil)
            let noted = translator.live
            collections = try translator.collectionNames.sorted { $0.key < $1.key }.compactMap {
                try source.database.collection(name: $1.name, scope: $1.scope)
            }
            filter =
                !hasRowLimit && noted?.queryCount == 1 && noted?.dependsOnOtherDocuments == false
                ? try Self.filter(query, noted, &translator) : nil
            self.schema = schema
            sql = translated.sql
            parameters = translator.parameters
            columns = ResultColumns(translated.columns, isValue: translated.isValue)
            hasNumberColumn = noted?.hasNumberColumn ?? false
        } catch let failure as QueryFailure {
            throw failure.error(in: source.text)
        }
    }

    private static func filter(
        _ query: Tree.Query, _ noted: LiveTranslation?, _ translator: inout Translator
    ) throws -> LiveFilter? {
        guard let noted, let source = noted.source, case .documents(let collection) = source.kind else { return nil }
        var members: String?
        if !noted.hasNumberColumn, noted.predicate != nil {
            // The query is translated with the parameter numbers that the first translation has assigned.
            translator.live = LiveTranslation(isOneSelect: true, readsMembers: true)
            members = try translator.query(Tree.Query(query.first), nil).sql
        }
        return LiveFilter(
            collection: collection, alias: source.sql, predicate: noted.predicate, members: members)
    }
}

extension Tree.Query {
    /// A Boolean value that says whether the query is a single SELECT from one collection, without joins, WITH, set
    /// operations, LIMIT and OFFSET.
    fileprivate var isOneSelect: Bool {
        guard case .select(let select) = first, let from = select.from, from.joins.isEmpty,
            case .collection = from.source
        else { return false }
        return combinations.isEmpty && commonTables.isEmpty && limit == nil && offset == nil
    }
}

/// The key that equal observed queries share, so that they are run once for all their observers.
struct LiveKey: Hashable, Sendable {
    /// The query as SQL++ text, printed from its syntax tree.
    let text: String
    let parameters: Parameters
    let rowLimit: Int?
    let timeLimit: Duration?
    let throttle: Duration

    static func == (left: LiveKey, right: LiveKey) -> Bool {
        left.text == right.text && left.rowLimit == right.rowLimit && left.timeLimit == right.timeLimit
            && left.throttle == right.throttle && left.parameters.isIdentical(to: right.parameters)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        for name in parameters.names { hasher.combine(parameters.value(forName: name)) }
    }
}

/// Properties of an observed query that are collected while it is translated.
struct LiveTranslation {
    /// A Boolean value that says whether the translation of the query returns the row numbers of the documents that
    /// take part, instead of the rows of the result.
    let readsMembers: Bool
    /// The number of queries that have been translated, the outermost query and its subqueries.
    var queryCount = 0
    var hasAggregates = false
    /// A Boolean value that says whether the result may change although no document that fulfils WHERE does, for example
    /// because RANK counts the words of all documents, or because the query uses the present time.
    var dependsOnOtherDocuments = false
    /// A Boolean value that says whether each row of the SQL query has the row number of its document in an additional
    /// last column.
    var hasNumberColumn = false
    /// The collection that the outermost query reads; nil if it reads several sources or another kind of source.
    private(set) var source: QuerySource?
    /// The terms of the outermost query's WHERE, in SQL, over the alias of `source`.
    var conditions: [String] = []
    /// A Boolean value that says whether the next SELECT that is translated is the outermost one, and may be a single
    /// SELECT from one collection.
    private var awaitsOutermost: Bool

    /// Creates the properties of a query before its translation.
    ///
    /// - Parameters:
    ///   - isOneSelect: a Boolean value that says whether the query is a single SELECT from one collection.
    ///   - readsMembers: a Boolean value that says whether the translation returns row numbers of documents instead of
    ///     the result.
    init(isOneSelect: Bool, readsMembers: Bool = false) {
        awaitsOutermost = isOneSelect
        self.readsMembers = readsMembers
    }

    /// Records the sources of a SELECT.
    ///
    /// - Returns: true for the outermost SELECT if it reads exactly one collection.
    mutating func takeOutermost(_ terms: [FromTerm]) -> Bool {
        guard awaitsOutermost else { return false }
        assert(source == nil, "the outermost SELECT is translated first")
        awaitsOutermost = false
        guard terms.count == 1, let first = terms.first, case .documents = first.source.kind else { return false }
        source = first.source
        return true
    }

    /// The SQL condition, over a row of the collection's table, that a document takes part in the result; nil if every
    /// document that isn't deleted takes part, or if the query doesn't read exactly one collection.
    var predicate: String? {
        guard let source else { return nil }
        guard !conditions.isEmpty || source.hasDeleted else { return nil }
        let liveness = source.hasDeleted ? [] : ["\(source.prefix)number > 0"]
        let terms = liveness + conditions
        return terms.isEmpty ? "1" : terms.joined(separator: " AND ")
    }
}
