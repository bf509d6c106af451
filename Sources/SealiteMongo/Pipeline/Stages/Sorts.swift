internal import SealiteValues

extension StageKind {
    /// The stage `$sort`, which sorts the rows.
    static let sorts: [StageKind] = [
        .init("$sort") { specification, _ in SortStage(order: try SortOrder(specification), limit: nil) }
    ]
}
