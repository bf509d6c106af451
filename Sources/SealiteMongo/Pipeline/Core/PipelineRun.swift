public import SealiteValues

/// The context of a run of a pipeline.
public struct PipelineOptions: Sendable {
    /// The time that `$$NOW` gives.
    public var now: DateTime
    /// The bytes that stages may hold together, by estimate: groups, sorted rows, facets.
    public var memoryLimit: Int

    /// The options of a run.
    public init(now: DateTime, memoryLimit: Int = 256 * 1024 * 1024) {
        (self.now, self.memoryLimit) = (now, memoryLimit)
    }
}

/// A run of a pipeline: its options, its variables, and what its stages hold.
struct PipelineRun {
    let options: PipelineOptions
    let store: (any PipelineStore)?
    let memory: MemoryBudget
    let slotCount: Int
    /// The values of variables that are the same for all rows.
    var variables: [(slot: Int, value: BSON?)] = []

    /// Returns surroundings for the expressions of a stage.
    func evaluation() -> Evaluation {
        let evaluation = Evaluation(Row([:]), slotCount: slotCount, now: options.now)
        for (slot, value) in variables { evaluation.slots[slot] = value }
        return evaluation
    }

    /// Returns the store, which stages need that read or write other collections.
    func openStore(for stage: String) throws -> any PipelineStore {
        guard let store else { throw MongoError(code: 20, "\(stage) can't reach other collections here.") }
        return store
    }
}

/// The memory that the stages of a run hold together, by estimate.
final class MemoryBudget {
    private let limit: Int
    private var used = 0

    init(limit: Int) { self.limit = limit }

    /// Counts bytes that a stage holds.
    ///
    /// - Throws: `MongoError` 146 where it is too much.
    func take(_ byteCount: Int, for stage: String) throws {
        used += byteCount
        guard used <= limit else { throw MongoError.tooLarge("\(stage) holds more than \(limit) bytes.") }
    }

    /// Counts bytes that a stage held.
    func giveBack(_ byteCount: Int) { used -= byteCount }
}

extension BSON {
    /// An estimate of the memory that the value takes.
    var memoryByteCount: Int { 48 + 4 * bsonByteCount }
}

extension Row {
    /// An estimate of the memory that the row takes.
    var memoryByteCount: Int {
        switch content {
        case .stored(let body, _): 96 + body.count
        case .made(let document): 48 + 4 * document.bsonByteCount
        }
    }
}
