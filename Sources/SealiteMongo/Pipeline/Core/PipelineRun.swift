public import SealiteValues

/// The options of a run of a pipeline.
public struct PipelineOptions: Sendable {
    /// The time of `$$NOW`.
    public var now: DateTime
    /// The number of bytes that stages may hold in total, by estimate: groups, sorted rows, facets.
    public var memoryLimit: Int

    /// Creates options.
    public init(now: DateTime, memoryLimit: Int = 256 * 1024 * 1024) {
        (self.now, self.memoryLimit) = (now, memoryLimit)
    }
}

/// A run of a pipeline: its options, its variables and its memory budget.
struct PipelineRun {
    let options: PipelineOptions
    let store: (any PipelineStore)?
    let memory: MemoryBudget
    let slotCount: Int
    /// The values of variables that are equal for all rows.
    var variables: [(slot: Int, value: BSON?)] = []

    /// Returns a context for the expressions of a stage.
    func evaluation() -> Evaluation {
        let evaluation = Evaluation(Row([:]), slotCount: slotCount, now: options.now)
        for (slot, value) in variables { evaluation.slots[slot] = value }
        return evaluation
    }

    /// Returns the store, which stages that read or write other collections require.
    func openStore(for stage: String) throws -> any PipelineStore {
        guard let store else { throw MongoError(code: 20, "\(stage) can't reach other collections here.") }
        return store
    }
}

/// The memory that all stages of a run hold, by estimate.
final class MemoryBudget {
    private let limit: Int
    private var used = 0

    init(limit: Int) { self.limit = limit }

    /// Adds bytes that a stage holds.
    ///
    /// - Throws: `MongoError` 146 if the limit is exceeded.
    func take(_ byteCount: Int, for stage: String) throws {
        used += byteCount
        guard used <= limit else { throw MongoError.tooLarge("\(stage) holds more than \(limit) bytes.") }
    }

    /// Subtracts bytes that a stage no longer holds.
    func giveBack(_ byteCount: Int) { used -= byteCount }
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
