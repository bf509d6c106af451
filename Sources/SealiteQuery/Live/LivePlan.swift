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
    /// The numbers of the vector indexes that the query searches.
    let vectorIndexes: Set<Int64>

    /// Translates an observed query for a version of the schema.
    ///
    /// - Throws: `invalidQuery` if it names something that doesn't exist, or is a statement that changes documents.
    init(_ source: QueryDefinition, schema: Int64, hasRowLimit: Bool) throws {
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
            vectorIndexes = translator.plan.vectorIndexes
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
