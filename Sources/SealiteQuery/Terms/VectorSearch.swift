internal import SealiteDatabase
internal import SealiteFunctions
internal import SealiteQueryLanguage

/// A vector index in the form that the translation of queries needs.
struct VectorIndex: Equatable {
    let name: String
    let plan: VectorPlan
    let definition: VectorDefinition
    /// The expression that has the vector, over a document.
    let expression: Tree.Expression

    /// The names of the metrics in SQL++, in the order in which errors list them.
    static let metricNames = ["EUCLIDEAN", "L2", "EUCLIDEAN_SQUARED", "EUCLIDEAN2", "L2_SQUARED", "COSINE", "DOT"]

    /// Creates the index from its row of the database's catalogue of indexes; nil if it isn't a vector index that was
    /// defined in SQL++, or isn't ready for use.
    init?(_ record: IndexRecord) {
        guard let (plan, definition) = record.vectors, let source = definition.source,
            let text = try? IndexSource(stored: source).expressions.first,
            let expression = try? Tree.Expression(parsing: text)
        else { return nil }
        (name, self.plan, self.definition) = (record.name, plan, definition)
        self.expression = expression.canonical
    }
}

/// The calls of APPROX_VECTOR_DISTANCE of a query that refer to one source, all with the same vectors.
struct VectorSearch {
    /// The arguments that the calls have in common: the vector of a document, and the one that is searched for.
    let operands: [Tree.Expression]
    let index: VectorIndex
    /// SQL for the number of a document of the source.
    let number: String
    /// The alias in SQL of the table of the nearest documents, and its SQL; nil if the documents are found otherwise, and
    /// their vectors are compared exactly.
    let access: (alias: String, rows: String)?
    /// A Boolean value that says whether the query has conditions, so that an unknown number of the nearest documents must be
    /// read. A bound of the distance is one: SQLite evaluates those that it doesn't pass on to the table.
    let isFiltered: Bool

    func isFor(_ call: FunctionCall) -> Bool { Array(call.arguments.prefix(2)) == operands }
}
