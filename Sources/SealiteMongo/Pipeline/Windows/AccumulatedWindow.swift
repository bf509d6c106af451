internal import SealiteValues

/// A window function that computes an accumulator over the window of each row.
struct AccumulatedWindow: WindowFunction {
    let accumulator: AccumulatorSpecification
    let bounds: WindowBounds

    /// The maximum number of values that are added to accumulators for all windows of a partition.
    private static let maximumWork = 50_000_000

    func values(_ partition: Partition, _ evaluation: Evaluation) throws -> [BSON?] {
        let inputs = try partition.rows.map { row in
            evaluation.row = row
            return try accumulator.input.value(evaluation)
        }
        let window = try partition.windows(bounds)
        var (results, work) = ([BSON?](), 0)
        var (current, range) = (try accumulator.make(evaluation), 0..<0)
        for index in partition.rows.indices {
            let next = try window(index)
            if next == range, let last = results.last {
                results.append(last)
                continue
            }
            // A window that only grows at its end keeps its accumulator.
            if next.lowerBound != range.lowerBound || next.upperBound < range.upperBound {
                (current, range) = (try accumulator.make(evaluation), next.lowerBound..<next.lowerBound)
            }
            for place in range.upperBound..<next.upperBound { _ = try current.add(inputs[place]) }
            work += next.upperBound - range.upperBound
            guard work <= Self.maximumWork else { throw MongoError.tooLarge("A 'window' takes too long.") }
            range = next
            results.append(try current.result())
        }
        return results
    }
}
