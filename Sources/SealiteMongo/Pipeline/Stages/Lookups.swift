internal import SealiteValues

extension StageKind {
    /// The stages `$lookup` and `$graphLookup`, which read other collections.
    static let lookups: [StageKind] = [
        .init("$lookup") { specification, parser in try LookupStage(specification, parser) },
        .init("$graphLookup") { specification, parser in try GraphLookupStage(specification, parser) },
    ]
}
