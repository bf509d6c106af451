internal import SealiteValues

/// A window function that computes an accumulator over the window of each row.
struct AccumulatedWindow: WindowFunction {
    let accumulator: AccumulatorSpecification
    let bounds: WindowBounds

    /// The maximum number of values that are added to accumulators for all windows of a partition.
    private static let maximumWork = 50_000_000

    func visitValues(
        of partition: Partition, _ evaluation: Evaluation, _ memory: MemoryBudget, _ body: (BSON?) throws -> Void
    ) throws {
        var byteCount = 0
        let inputs = try partition.rows.map { row -> BSON? in
            evaluation.row = row
            let value = try accumulator.input.value(evaluation)
            let growth = value?.memoryByteCount ?? 0
            byteCount += growth
            try memory.take(growth, for: "$setWindowFields")
            return value
        }
        try visitResults(of: inputs, partition, evaluation, body)
        memory.giveBack(byteCount)
    }

    /// Calls `body` with the accumulator's result for the window of each row, in the order of the rows. `inputs` are
    /// the values of the rows that are added to accumulators.
    private func visitResults(
        of inputs: [BSON?], _ partition: Partition, _ evaluation: Evaluation, _ body: (BSON?) throws -> Void
    ) throws {
        let window = try partition.windows(bounds)
        var (last, work) = (BSON.null, 0)
        var (current, range) = (try accumulator.make(evaluation), 0..<0)
        for index in partition.rows.indices {
            let next = try window(index)
            // A result may take time in the size of the window.
            try evaluation.work.charge(1 + next.count)
            if index > 0, next == range {
                try body(last)
                continue
            }
            // A window that only grows at its end keeps its accumulator.
            if next.lowerBound != range.lowerBound || next.upperBound < range.upperBound {
                (current, range) = (try accumulator.make(evaluation), next.lowerBound..<next.lowerBound)
            }
            for place in range.upperBound..<next.upperBound { _ = try current.add(inputs[place]) }
            work += next.upperBound - range.upperBound
            guard work <= Self.maximumWork else {
                throw MongoError.tooLarge(
                    "The windows of one partition add more than \(Self.maximumWork) values to an accumulator.")
            }
            range = next
            last = try current.result()
            try body(last)
        }
    }
}
