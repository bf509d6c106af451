internal import SealiteValues

/// The window functions `$rank`, `$denseRank` and `$documentNumber`: the rank or the number of a row in its partition,
/// from 1.
struct Rank: WindowFunction {
    enum Kind: Sendable { case rank, denseRank, number }

    let kind: Kind
    let order: SortOrder

    func values(_ partition: Partition, _ evaluation: Evaluation) -> [BSON?] {
        var (rank, dense) = (0, 0)
        return partition.rows.indices.map { index in
            if index == 0 || order.compare(partition.values[index - 1], partition.values[index]) != 0 {
                (rank, dense) = (index + 1, dense + 1)
            }
            switch kind {
            case .rank: return BSON(rank)
            case .denseRank: return BSON(dense)
            case .number: return BSON(index + 1)
            }
        }
    }
}
