internal import SealiteValues

extension StageKind {
    /// The stage that adds rows for values missing between others.
    static let densities: [StageKind] = [.init("$densify") { specification, _ in try DensifyStage(specification) }]
}
