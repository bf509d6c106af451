internal import SealiteValues

/// The name of a stage, and the parser of its specification.
struct StageKind: Sendable {
    /// A function that parses a stage's specification.
    typealias Make = @Sendable (_ specification: BSON, _ parser: PipelineParser) throws -> any Stage

    let name: String
    let make: Make

    init(_ name: String, _ make: @escaping Make) { (self.name, self.make) = (name, make) }

    /// The stages that only affect MongoDB's optimizer; they pass their input on.
    private static let internals: [StageKind] = [
        .init("$_internalInhibitOptimization") { _, _ in FunctionStage { input, _ in input } }
    ]

    /// All kinds of stages by their names, such as `$match`.
    static let all: [String: StageKind] = {
        let kinds: [[StageKind]] = [
            filters, shapes, limits, sorts, groups, buckets, unwinding, facets, lookups, redactions, unions, windows,
            densities, outputs, internals,
        ]
        return Dictionary(kinds.joined().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }()
}
