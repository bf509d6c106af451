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
