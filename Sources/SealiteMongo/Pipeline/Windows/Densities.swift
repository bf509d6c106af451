internal import SealiteValues

extension StageKind {
    /// The stage `$densify`, which adds rows for values that are missing between others.
    static let densities: [StageKind] = [.init("$densify") { specification, _ in try DensifyStage(specification) }]
}
