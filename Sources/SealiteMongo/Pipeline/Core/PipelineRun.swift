internal import SealiteValues

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
