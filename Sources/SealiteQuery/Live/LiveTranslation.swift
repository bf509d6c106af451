/// What is noted while a query is translated that is observed.
struct LiveTranslation {
    /// A Boolean value that says whether the translation gives the numbers of the documents that take part, instead of the rows.
    let readsMembers: Bool
    /// The number of queries, inner ones too.
    var queryCount = 0
    var hasAggregates = false
    /// A Boolean value that says whether rows may differ after changes of documents that don't take part: a rank counts the words of all documents.
    var dependsOnOtherDocuments = false
    /// A Boolean value that says whether each row has the number of its document in one more column, the last.
    var hasNumberColumn = false
    /// The collection that the outermost query reads; nil where it reads anything else or more.
    private(set) var source: QuerySource?
    /// The terms of WHERE in SQL, over the source's alias.
    var conditions: [String] = []
    /// A Boolean value that says whether the next SELECT is the query's own.
    private var awaitsOutermost: Bool

    /// Notes nothing yet.
    ///
    /// - Parameters:
    ///   - isOneSelect: a Boolean value that says whether the query is one SELECT from one collection.
    ///   - readsMembers: see ``readsMembers``.
    init(isOneSelect: Bool, readsMembers: Bool = false) {
        awaitsOutermost = isOneSelect
        self.readsMembers = readsMembers
    }

    /// Notes the sources of a SELECT.
    ///
    /// - Returns: true for the query's own, where it reads one collection and nothing else.
    mutating func takeOutermost(_ terms: [FromTerm]) -> Bool {
        guard awaitsOutermost else { return false }
        awaitsOutermost = false
        guard terms.count == 1, let first = terms.first, case .documents = first.source.kind else { return false }
        source = first.source
        return true
    }

    /// The condition that a row of the collection's table fulfils where its document takes part; nil where each live document does.
    var predicate: String? {
        guard let source else { return nil }
        guard !conditions.isEmpty || source.hasDeleted else { return nil }
        let liveness = source.hasDeleted ? [] : ["\(source.prefix)number > 0"]
        let terms = liveness + conditions
        return terms.isEmpty ? "1" : terms.joined(separator: " AND ")
    }
}
