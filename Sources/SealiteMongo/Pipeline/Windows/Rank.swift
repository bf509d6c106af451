internal import SealiteValues

/// The window functions `$rank`, `$denseRank` and `$documentNumber`: the rank or the number of a row in its partition,
/// from 1.
struct Rank: WindowFunction {
    enum Kind: Sendable { case rank, denseRank, number }

    let kind: Kind
    let order: SortOrder

    func visitValues(
        of partition: Partition, _ evaluation: Evaluation, _ memory: MemoryBudget, _ body: (BSON?) throws -> Void
    ) throws {
        var (rank, dense) = (0, 0)
        for index in partition.rows.indices {
            let work = evaluation.work
            if try index == 0 || order.compare(partition.values[index - 1], partition.values[index], work) != 0 {
                (rank, dense) = (index + 1, dense + 1)
            }
            switch kind {
            case .rank: try body(BSON(rank))
            case .denseRank: try body(BSON(dense))
            case .number: try body(BSON(index + 1))
            }
        }
    }
}
