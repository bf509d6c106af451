public import SealiteValues

/// One run of a pipeline: its options, the values of its variables, and its memory budget.
struct PipelineRun {
    let options: PipelineOptions
    let store: (any PipelineStore)?
    let memory: MemoryBudget
    let slotCount: Int
    /// The work of the run, also of its nested pipelines.
    let work = WorkMeter()
    /// The values of the variables that have the same value for all rows, with their indices in `Evaluation.slots`.
    var variables: [(slot: Int, value: BSON?)] = []

    /// Returns a new context with the variables' values, for the expressions of a stage.
    func evaluation() -> Evaluation {
        let evaluation = Evaluation(Row([:]), slotCount: slotCount, now: options.now, work: work)
        for (slot, value) in variables { evaluation.slots[slot] = value }
        return evaluation
    }

    /// Returns a cursor over rows in memory. The rows are charged.
    func cursor(_ rows: [Row]) -> RowCursor {
        var iterator = rows.makeIterator()
        return RowCursor {
            try work.charge(1)
            return iterator.next()
        }
    }

    /// Returns the store, through which the stage with the name `stage` reads or writes other collections; throws
    /// `MongoError` if the run has none.
    func openStore(for stage: String) throws -> any PipelineStore {
        guard let store else {
            throw MongoError(
                code: 20, "\(stage) can't be used in this pipeline, which has no access to other collections.")
        }
        return store
    }
}

extension BSON {
    /// An estimate of the value's memory in bytes.
    var memoryByteCount: Int { 48 + 4 * bsonByteCount }
}

extension Row {
    /// An estimate of the row's memory in bytes.
    var memoryByteCount: Int {
        switch content {
        case .stored(let body, _): 96 + body.count
        case .made(let document): 48 + 4 * document.bsonByteCount
        }
    }
}

/// The options of a run of a pipeline.
public struct PipelineOptions: Sendable {
    /// The time of `$$NOW`.
    public var now: DateTime
    /// The number of bytes that stages may hold in total, by estimate: groups, sorted rows, facets. A run that needs
    /// more throws `MongoError` 146.
    public var memoryLimit: Int

    /// Creates options.
    public init(now: DateTime, memoryLimit: Int = 256 * 1024 * 1024) {
        (self.now, self.memoryLimit) = (now, memoryLimit)
    }
}

/// Access to other collections than the pipeline's own, for stages that read or write them.
public protocol PipelineStore {
    /// Returns the rows of a collection; empty if it doesn't exist.
    func rows(of collection: String) throws -> RowCursor

    /// Returns the access to the collections of another scope, which `$out` and `$merge` call a database; nil if there is
    /// none.
    func store(ofScope name: String) -> (any PipelineStore)?

    /// Replaces all documents of a collection by rows (`$out`); a collection that doesn't exist is created.
    func replace(_ collection: String, with rows: RowCursor) throws

    /// Merges rows into a collection as a specification says (`$merge`); a collection that doesn't exist is created.
    func merge(_ rows: RowCursor, into specification: MergeSpecification) throws
}

extension PipelineStore {
    /// Returns nil: there is no access to other scopes.
    public func store(ofScope name: String) -> (any PipelineStore)? { nil }
}

/// The parsed specification of the stage `$merge`, which merges the documents of a pipeline into a collection.
public struct MergeSpecification: Sendable {
    /// The action for a document of the pipeline that matches one in the collection.
    public enum Matched: Sendable {
        case replace, keepExisting, merge, fail
        /// The stages compute the replacement of the existing document from it. Their variables are evaluated with the
        /// document that is merged, which by default is available as `$$new`.
        case pipeline(Pipeline)
    }

    /// The action for a document of the pipeline that matches none in the collection.
    public enum NotMatched: Sendable { case insert, discard, fail }

    /// The name of the target collection.
    public let collection: String
    /// The paths at which a document of the pipeline and one in the collection must have equal values to match.
    public let on: [String]
    /// The action for a document of the pipeline that matches one in the collection.
    public let whenMatched: Matched
    /// The action for a document of the pipeline that matches none in the collection.
    public let whenNotMatched: NotMatched
}

/// The limit on the memory that all stages of one run of a pipeline hold, and an estimate of the bytes that they hold
/// now.
final class MemoryBudget {
    private let limit: Int
    private var used = 0

    init(limit: Int) { self.limit = limit }

    /// Adds bytes that a stage holds.
    ///
    /// - Throws: `MongoError` 146 if the limit is exceeded.
    func take(_ byteCount: Int, for stage: String) throws {
        used += byteCount
        guard used <= limit else {
            throw MongoError.tooLarge(
                "The stages of a pipeline hold more than \(limit) bytes in total, its memoryLimit; the last to grow was \(stage)."
            )
        }
    }

    /// Subtracts bytes that a stage no longer holds.
    func giveBack(_ byteCount: Int) { used -= byteCount }

    /// Runs `work` and subtracts the bytes that were added meanwhile: those of a nested pipeline that `work` opens and
    /// reads to its end, whose stages hold nothing afterwards.
    func releasing<Result>(_ work: () throws -> Result) rethrows -> Result {
        let before = used
        defer { used = before }
        return try work()
    }
}
