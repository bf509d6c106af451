internal import SealiteValues

/// The stage `$sort`. `limit` is the number of rows that the `$limit` stage directly after it passes on; nil if there
/// is none.
struct SortStage: Stage {
    let order: SortOrder
    let limit: Int?

    /// Returns this stage with the number of rows that a `$limit` stage after it passes on.
    func limited(to count: Int) -> SortStage { SortStage(order: order, limit: min(count, limit ?? count)) }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        .deferred {
            var input = input
            var heap = SortHeap(order: order, limit: limit ?? .max, run.work)
            while let row = try input.next() {
                try run.memory.take(heap.add(row), for: "$sort")
            }
            return run.cursor(try heap.sorted())
        }
    }
}
