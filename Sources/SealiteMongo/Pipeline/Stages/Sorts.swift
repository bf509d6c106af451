internal import SealiteValues

extension StageKind {
    /// Stages that sort rows.
    static let sorts: [StageKind] = [
        .init("$sort") { specification, _ in SortStage(order: try SortOrder(specification), limit: nil) }
    ]
}
