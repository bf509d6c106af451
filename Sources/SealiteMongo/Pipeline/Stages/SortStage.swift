internal import SealiteValues

/// `$sort`, with the limit of the `$limit` stage after it; nil without one.
struct SortStage: Stage {
    let order: SortOrder
    let limit: Int?

    /// Returns the stage with the limit of a stage after it.
    func limited(to count: Int) -> SortStage { SortStage(order: order, limit: min(count, limit ?? count)) }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        .deferred {
            var input = input
            var heap = SortHeap(order: order, limit: limit ?? .max)
            while let row = try input.next() {
                try run.memory.take(heap.add(row), for: "$sort")
            }
            return RowCursor(heap.sorted())
        }
    }
}
