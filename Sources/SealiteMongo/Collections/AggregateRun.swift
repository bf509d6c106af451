internal import SealiteDatabase
internal import SealiteValues

/// A parsed pipeline, split into the conditions of its first stage, if this is a `$match`, and the remaining stages.
/// The conditions filter the collection's documents.
struct AggregateRun: Sendable {
    /// A pipeline whose `$match`, if any, is followed by a `$sort`: the sort order, and the stages after the sort.
    private struct Sorted: Sendable {
        let order: SortOrder
        /// The number of documents that the `$limit` stage directly after the sort passes on; `Int.max` without such a
        /// stage.
        let limit: Int
        let pipeline: Pipeline
    }

    /// A Boolean value that says whether the last stage is `$out` or `$merge`.
    let isWriting: Bool
    /// The name of the collection to which the last stage writes; nil if it doesn't write.
    let target: String?
    private let filter: Filter
    private let pipeline: Pipeline
    private let sorted: Sorted?
    private let options: PipelineOptions

    init(_ stages: [MongoDocument], _ options: AggregateOptions) throws {
        let context = FilterContext(variables: options.let)
        self.options = PipelineOptions(now: context.now, memoryLimit: options.memoryLimit)
        // Parsed as a whole first, so that an invalid filter is refused with the error of its stage.
        _ = try Pipeline(parsing: stages, variables: options.let)
        var rest = stages[...]
        if let first = stages.first, first.count == 1, case .document(let conditions)? = first["$match"] {
            filter = try Filter(parsing: conditions, context: context)
            rest = rest.dropFirst()
        } else {
            filter = Filter.everything
        }
        pipeline = try Pipeline(parsing: Array(rest), variables: options.let)
        if let next = rest.first, next.count == 1, let specification = next["$sort"] {
            let tail = rest.dropFirst()
            let limit = tail.first?["$limit"]?.exactInt64.map { Int(clamping: $0) } ?? .max
            sorted = Sorted(
                order: try SortOrder(specification), limit: limit,
                pipeline: try Pipeline(parsing: Array(tail), variables: options.let))
        } else {
            sorted = nil
        }
        isWriting = ["$out", "$merge"].contains(stages.last?.keys.first)
        target = Self.target(of: stages.last ?? [:])
    }

    /// Returns the name of the collection to which a stage writes: the operand of `$out` or `$merge`, or a member of
    /// it; nil for any other stage.
    private static func target(of stage: MongoDocument) -> String? {
        var operand = stage["$out"] ?? stage["$merge"]
        while case .document(let members)? = operand { operand = members["into"] ?? members["coll"] }
        if case .string(let name)? = operand { return name }
        return nil
    }

    /// Returns the rows that the pipeline produces from a collection; the calling thread reads them in one snapshot or
    /// transaction.
    ///
    /// - Parameters:
    ///   - collection: the collection.
    ///   - snapshot: the snapshot that the calling thread is reading; nil inside a transaction.
    /// - Returns: the rows, which must be read in the same snapshot or transaction.
    /// - Throws: `MongoError` if a variable can't be evaluated, and errors of the storage.
    func rows(of collection: Collection, in snapshot: HeldSnapshot?) throws -> RowCursor {
        let store = DatabasePipelineStore(database: collection.database, scope: collection.scopeName, options: options)
        if let sorted, let snapshot, let order = try IndexOrder.best(filter, sorted.order, collection) {
            let cursor = try OrderedCursor(
                order, filter, limit: sorted.limit, memoryLimit: options.memoryLimit, in: snapshot)
            return try sorted.pipeline.rows(from: RowCursor { try cursor.next() }, options: options, store: store)
        }
        return try pipeline.rows(from: CollectionRows.cursor(collection, filter), options: options, store: store)
    }
}
